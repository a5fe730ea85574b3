package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// random gives every parameter of FORMATS.md that one block could need.
func random(c Config, seed uint64) map[string]Tensor {
	r := rand.New(rand.NewPCG(seed, 0))
	params := make(map[string]Tensor)
	add := func(name string, scale float64, shape ...int) {
		t := zeros(shape...)
		for n := range t.Data {
			t.Data[n] = scale * r.NormFloat64()
		}
		params[name] = t
	}
	N, H := c.Width, max(c.Heads, 1)
	weight := 1 / math.Sqrt(float64(N))
	add("embedding.weight", 1, c.Vocab, N)
	for _, part := range []string{"theta", "gamma", "delta"} {
		add("blocks.0."+part+".bias", 0.3, N)
	}
	for _, part := range []string{"theta", "gamma", "input", "delta_u"} {
		add("blocks.0."+part+".weight", weight, N, N)
	}
	add("blocks.0.delta_h.weight", weight, N, 2*N)
	add("blocks.0.theta_h.weight", 0.3*weight, N, 2*N)
	add("blocks.0.theta_h.bias", 1, N)
	add("blocks.0.metric.factor", 0.5, H, N/H, N/H)
	add("blocks.0.metric.rho", 0.5, H)
	add("blocks.0.fusion.weight", 0.5, H, H)
	add("head.weight", weight, c.outputs(), 2*N)
	add("head.bias", 0.3, c.outputs())
	return params
}

func forward(t *testing.T, c Config, params map[string]Tensor, b Batch) (map[string]Tensor, float64) {
	t.Helper()
	out, loss := Forward(c, params, b)
	for name, tensor := range out {
		for n, x := range tensor.Data {
			assert.Need(t, !math.IsNaN(x) && !math.IsInf(x, 0), "%s[%d] = %v", name, n, x)
		}
	}
	assert.Need(t, !math.IsNaN(loss) && !math.IsInf(loss, 0), "loss = %v", loss)
	return out, loss
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	assert.True(t, math.Abs(got-want) <= tolerance, "%s = %.17g, want %.17g", what, got, want)
}

// tiny is one unit, one head and every weight 0, to be filled in by hand.
func tiny(model, supervision string) (Config, map[string]Tensor) {
	c := Config{Model: model, Layers: 1, Heads: 1, Width: 1, Supervision: supervision, Vocab: 17}
	params := random(c, 1)
	for _, p := range params {
		clear(p.Data)
	}
	return c, params
}

func TestOneTokenByHand(t *testing.T) {
	c, params := tiny("mha-csp", "prefix")
	params["embedding.weight"].Data[5] = 3                  // u
	params["blocks.0.theta.bias"].Data[0] = math.Atanh(0.5) // θ = π/2
	params["blocks.0.input.weight"].Data[0] = 2             // r = 6i
	params["blocks.0.metric.factor"].Data[0] = 1
	params["head.weight"].Data[2*4] = 7   // logit 4 = 7 Re y + 0.25
	params["head.weight"].Data[2*4+1] = 5 // + 5 Im y
	params["head.bias"].Data[4] = 0.25
	out, loss := forward(t, c, params, Batch{Prompts: [][]int32{{5}}, Targets: [][]int32{{4}}})

	g := 3.0 // γ = (1 + sin 0)/2 = 1/2, h_0 = 0
	h := g / math.Sqrt(g*g+1e-8)
	y := h / math.Sqrt(h*h+1e-8)
	near(t, "Re h", out["blocks.0.state"].Data[0], 0, 1e-15)
	near(t, "Im h", out["blocks.0.state"].Data[1], h, 1e-15)
	near(t, "Re y", out["blocks.0.output"].Data[0], 0, 1e-15)
	near(t, "Im y", out["blocks.0.output"].Data[1], y, 1e-15)
	for name, want := range map[string]float64{"distance": 0, "tree": 0, "fusion": 1, "attention": 1} {
		near(t, name, out["blocks.0."+name].Data[0], want, 0)
	}
	logit := 5*y + 0.25
	near(t, "logit 4", out["logits"].Data[4], logit, 1e-14)
	near(t, "loss", loss, math.Log(16+math.Exp(logit))-logit, 1e-14)
}

// Two tokens: the first starts the state at 1, the second has γ = 0 and turns it by a quarter, whatever α is.
func TestTwoTokensByHand(t *testing.T) {
	c, params := tiny("mha-csp", "prefix")
	const u1, u2 = 1.0, 2.0
	// θ: 0 for u1, π/2 for u2. γ: 1 for u1, 0 for u2.
	turn := math.Atanh(0.5)
	params["embedding.weight"].Data[1], params["embedding.weight"].Data[2] = u1, u2
	params["blocks.0.theta.weight"].Data[0], params["blocks.0.theta.bias"].Data[0] = turn, -turn
	params["blocks.0.gamma.weight"].Data[0], params["blocks.0.gamma.bias"].Data[0] = math.Pi, -math.Pi/2
	params["blocks.0.input.weight"].Data[0] = 1e6 // ε is nothing compared with |g|
	params["blocks.0.delta.bias"].Data[0] = -3
	const root = 0.7 // Λ
	params["blocks.0.metric.factor"].Data[0] = math.Log(math.Expm1(root))
	const rho = 1.5
	params["blocks.0.metric.rho"].Data[0] = math.Log(math.Expm1(rho))
	out, _ := forward(t, c, params, Batch{Prompts: [][]int32{{1, 2}}, Targets: [][]int32{{0}}})

	// γ(u2) is (1 + sin(3π/2))/2, zero up to rounding; 1e6 makes that 1e-10 at most.
	state := out["blocks.0.state"].Data // [2][Re Im]
	for n, want := range []float64{1, 0, 0, 1} {
		near(t, fmt.Sprintf("state[%d]", n), state[n], want, 1e-7)
	}
	D := root * root * 2
	tree := math.Log(1 + math.Exp(D))
	p := math.Exp(-(D + rho*tree)) / (1 + math.Exp(-(D + rho*tree)))
	for name, want := range map[string][]float64{
		"distance": {0, D, D, 0}, "tree": {0, 0, tree, 0}, "attention": {1, 0, p, 1 - p}, "fusion": {1, 1},
	} {
		for n := range want {
			near(t, fmt.Sprintf("%s[%d]", name, n), out["blocks.0."+name].Data[n], want[n], 1e-7)
		}
	}
	size := math.Hypot(p, 1-p)
	near(t, "Re y", out["blocks.0.output"].Data[2], p/size, 1e-7)
	near(t, "Im y", out["blocks.0.output"].Data[3], (1-p)/size, 1e-7)
}

// The decoder: <SOS> has γ = 0 and turns by a quarter, so each of its readings turns the prompt's state by a quarter.
func TestDecoderByHand(t *testing.T) {
	c, params := tiny("csp", "final")
	turn := math.Atanh(0.5)
	params["embedding.weight"].Data[1], params["embedding.weight"].Data[16] = 1, 2
	params["blocks.0.theta.weight"].Data[0], params["blocks.0.theta.bias"].Data[0] = turn, -turn
	params["blocks.0.gamma.weight"].Data[0], params["blocks.0.gamma.bias"].Data[0] = math.Pi, -math.Pi/2
	params["blocks.0.input.weight"].Data[0] = 1e6
	params["head.weight"].Data[0] = 1 // logit 0 = Re
	params["head.weight"].Data[3] = 1 // logit 1 = Im
	// Prompt state 1; after <SOS> i; after the target's first token (16) −1.
	out, loss := forward(t, c, params, Batch{Prompts: [][]int32{{1}}, Targets: [][]int32{{16, 0}}})
	assert.Is(t, out["logits"].Shape, []int{1, 2, 17}, "logits have the shape")
	for n, want := range map[int]float64{0: 0, 1: 1, 17: -1, 18: 0} {
		near(t, fmt.Sprintf("logits[%d]", n), out["logits"].Data[n], want, 1e-7)
	}
	first, second := math.Log(16+math.E), math.Log(16+math.Exp(-1))+1
	near(t, "loss", loss, (first+second)/2, 1e-7)
	_, ok := out["blocks.0.attention"]
	assert.True(t, !ok && len(out) == 3, "csp gives %v", slices.Sorted(maps.Keys(out)))
}

// Under `theta` product the token says how far a step turns, the state which way and how much of it.
func TestProductTurnsBothWays(t *testing.T) {
	c := Config{Model: "csp", Layers: 1, Width: 6, Theta: "product", Supervision: "prefix", Vocab: 21}
	m := Load(c, random(c, 8))
	b := m.blocks[0]
	h, u := make([]complex128, c.Width), m.embedding[3]
	for n := range h {
		clear(b.gamma[n]) // γ = 0
		clear(b.thetaH[n])
		b.gammaB[n] = -math.Pi / 2
		h[n] = 1
	}
	for _, way := range []float64{30, -30, 0, math.Atanh(0.25)} { // all of the turn, back, none, a quarter
		for n := range h {
			b.thetaHB[n] = way
		}
		for n, z := range m.cell(b, m.drive(b, u), stack(h), h) {
			angle := math.Tanh(way) * math.Pi * math.Tanh(dot(b.theta[n], u)+b.thetaB[n])
			near(t, "Re", real(z), math.Cos(angle), 1e-6)
			near(t, "Im", imag(z), math.Sin(angle), 1e-6)
		}
	}
}
