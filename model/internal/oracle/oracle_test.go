package oracle

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// base is a small configuration in which every switch has something to act on.
func base() Config {
	return Config{
		Model: "mha-csp", Layers: 2, Heads: 2, Width: 6,
		Rotate: "state", RotateShare: 0.5, Theta: "token", Fusion: "mesh", Skip: true,
		Supervision: "prefix", Ablation: "none", Vocab: 21,
	}
}

// random gives every parameter of FORMATS.md that any switch of c could need.
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
	for l := range c.Layers {
		name := func(part string) string { return fmt.Sprintf("blocks.%d.%s", l, part) }
		if l > 0 {
			add(name("drive.weight"), weight, N, 2*N)
		}
		for _, part := range []string{"theta", "gamma", "delta"} {
			add(name(part+".bias"), 0.3, N)
		}
		for _, part := range []string{"theta", "gamma", "input", "delta_u"} {
			add(name(part+".weight"), weight, N, N)
		}
		add(name("delta_h.weight"), weight, N, 2*N)
		add(name("theta_h.weight"), 0.3*weight, N, 2*N)
		add(name("metric.factor"), 0.5, H, N/H, N/H)
		add(name("metric.rho"), 0.5, H)
		add(name("fusion.weight"), 0.5, H, H)
		add(name("skip.gate"), 1, N)
	}
	add("head.weight", weight, c.outputs(), 2*N)
	add("head.bias", 0.3, c.outputs())
	for l := range c.Layers {
		add(fmt.Sprintf("blocks.%d.theta_h.bias", l), 1, N)
	}
	return params
}

func sequences() Batch {
	return Batch{
		Prompts: [][]int32{{16, 3, 10, 5, 12}, {16, 7}, {16, 14, 2, 11, 9, 15, 12}},
		Targets: [][]int32{{8, 17}, {1, 20, 4, 17}, {17}},
	}
}

func forward(t *testing.T, c Config, params map[string]Tensor, b Batch) (map[string]Tensor, float64) {
	t.Helper()
	out, loss, err := Forward(c, params, b)
	if err != nil {
		t.Fatal(err)
	}
	for name, tensor := range out {
		for n, x := range tensor.Data {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s[%d] = %v", name, n, x)
			}
		}
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		t.Fatalf("loss = %v", loss)
	}
	return out, loss
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
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

// Two tokens: the first starts the state at 1, the second has γ = 0 and turns
// it by a quarter, whatever α is.
func TestTwoTokensByHand(t *testing.T) {
	c, params := tiny("mha-csp", "prefix")
	const u1, u2 = 1.0, 2.0
	// θ: 0 for u1, π/2 for u2. γ: 1 for u1, 0 for u2.
	turn := math.Atanh(0.5)
	params["embedding.weight"].Data[1], params["embedding.weight"].Data[2] = u1, u2
	params["blocks.0.theta.weight"].Data[0], params["blocks.0.theta.bias"].Data[0] = turn, -turn
	params["blocks.0.gamma.weight"].Data[0], params["blocks.0.gamma.bias"].Data[0] = math.Pi, -math.Pi/2
	params["blocks.0.input.weight"].Data[0] = 1e6 // ε is nothing beside |g|
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

// The decoder: <SOS> has γ = 0 and turns by a quarter, so each of its readings
// turns the prompt's state by a quarter.
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
	if got := out["logits"].Shape; !slices.Equal(got, []int{1, 2, 17}) {
		t.Fatalf("logits have shape %v", got)
	}
	for n, want := range map[int]float64{0: 0, 1: 1, 17: -1, 18: 0} {
		near(t, fmt.Sprintf("logits[%d]", n), out["logits"].Data[n], want, 1e-7)
	}
	first := math.Log(16 + math.E)
	second := math.Log(16+math.Exp(-1)) + 1
	near(t, "loss", loss, (first+second)/2, 1e-7)
	if _, ok := out["blocks.0.attention"]; ok || len(out) != 3 {
		t.Errorf("csp gives %v", slices.Sorted(maps.Keys(out)))
	}
}

func TestShapes(t *testing.T) {
	for _, supervision := range []string{"prefix", "final"} {
		c := base()
		c.Supervision = supervision
		out, _ := forward(t, c, random(c, 2), sequences())
		T := 7 // the longest prompt, and the longest prompt with its target but the last
		want := map[string][]int{"logits": {3, 4, 21}}
		for l := range 2 {
			want[fmt.Sprintf("blocks.%d.state", l)] = []int{3, T, 12}
			want[fmt.Sprintf("blocks.%d.output", l)] = []int{3, T, 12}
			want[fmt.Sprintf("blocks.%d.distance", l)] = []int{3, 2, T, T}
			want[fmt.Sprintf("blocks.%d.tree", l)] = []int{3, 2, T, T}
			want[fmt.Sprintf("blocks.%d.attention", l)] = []int{3, 2, T, T}
			want[fmt.Sprintf("blocks.%d.fusion", l)] = []int{3, T, 2, 2}
		}
		if !slices.Equal(slices.Sorted(maps.Keys(out)), slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%s: tensors %v", supervision, slices.Sorted(maps.Keys(out)))
		}
		for name, shape := range want {
			if !slices.Equal(out[name].Shape, shape) {
				t.Errorf("%s: %s has shape %v, want %v", supervision, name, out[name].Shape, shape)
			}
		}
		// Sequence 1 is 2 tokens long in final mode, 5 in prefix mode.
		length := map[string]int{"prefix": 5, "final": 2}[supervision]
		for i := range T {
			zero := out["blocks.1.state"].Data[out["blocks.1.state"].at(1, i, 0)] == 0
			if zero != (i >= length) {
				t.Errorf("%s: padding of sequence 1 wrong at position %d", supervision, i)
			}
			p := out["blocks.0.attention"]
			if zero := p.Data[p.at(1, 0, i, 0)] == 0; zero != (i >= length) {
				t.Errorf("%s: padding of sequence 1's attention wrong at position %d", supervision, i)
			}
		}
	}
}

func TestPaddingChangesNothing(t *testing.T) {
	for _, supervision := range []string{"prefix", "final"} {
		c := base()
		c.Supervision = supervision
		params, b := random(c, 3), sequences()
		all, loss := forward(t, c, params, b)
		sum, count := 0.0, 0
		for s := range b.Prompts {
			one, loss := forward(t, c, params, Batch{Prompts: b.Prompts[s : s+1], Targets: b.Targets[s : s+1]})
			sum += loss * float64(len(b.Targets[s]))
			count += len(b.Targets[s])
			for name := range one {
				each(one[name], func(index []int, x float64) {
					index = slices.Clone(index)
					index[0] = s
					near(t, fmt.Sprint(name, index), all[name].Data[all[name].at(index...)], x, 0)
				})
			}
		}
		near(t, "loss", loss, sum/float64(count), 1e-14)
	}
}

// each calls f for every element.
func each(t Tensor, f func(index []int, x float64)) {
	index := make([]int, len(t.Shape))
	for flat, x := range t.Data {
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis] = flat % t.Shape[axis]
			flat /= t.Shape[axis]
		}
		f(index, x)
	}
}

// Row i of everything equals the model run on prefix i, and what follows
// changes nothing before it.
func TestPrefixes(t *testing.T) {
	prompt := []int32{16, 3, 10, 5, 14, 2, 12}
	for _, ablation := range []string{"none", "no-tree", "no-lse", "no-B", "no-norm"} {
		for _, theta := range []string{"token", "state", "product"} {
			c := base()
			c.Ablation, c.Theta = ablation, theta
			params := random(c, 4)
			whole, _ := forward(t, c, params, Batch{Prompts: [][]int32{prompt}})
			for length := 1; length <= len(prompt); length++ {
				other := slices.Clone(prompt)
				for i := length; i < len(other); i++ {
					other[i] = 9 - other[i]%8
				}
				for _, stream := range [][]int32{prompt[:length], other} {
					part, _ := forward(t, c, params, Batch{Prompts: [][]int32{stream}})
					for _, name := range []string{"state", "output", "distance", "tree", "attention", "fusion"} {
						name = "blocks.1." + name
						each(part[name], func(index []int, x float64) {
							for axis := 1; axis < len(index); axis++ {
								if part[name].Shape[axis] == len(stream) && index[axis] >= length {
									return
								}
							}
							near(t, fmt.Sprint(name, index), whole[name].Data[whole[name].at(index...)], x, 0)
						})
					}
				}
			}
		}
	}
}

// The logits of `prefix` supervision are those of the prompt grown by the
// target, and teacher forcing feeds the target shifted by one.
func TestPrefixLogits(t *testing.T) {
	c := base()
	params := random(c, 5)
	prompt, target := []int32{16, 3, 10}, []int32{8, 1, 17}
	out, loss := forward(t, c, params, Batch{Prompts: [][]int32{prompt}, Targets: [][]int32{target}})
	sum := 0.0
	for n := range target {
		stream := append(slices.Clone(prompt), target[:n]...)
		one, last := forward(t, c, params, Batch{Prompts: [][]int32{stream}, Targets: [][]int32{target[n : n+1]}})
		for class := range c.Vocab {
			near(t, "logit", out["logits"].Data[n*c.Vocab+class], one["logits"].Data[class], 0)
		}
		sum += last
	}
	near(t, "loss", loss, sum/3, 1e-14)
}

// Nothing but one state passes from prompt to answer in `final`: a target token
// does not touch the encoder, and logits at t depend on targets before t alone.
func TestFinalTeacherForcing(t *testing.T) {
	c := base()
	c.Supervision = "final"
	params := random(c, 6)
	one, _ := forward(t, c, params, Batch{Prompts: [][]int32{{16, 3}}, Targets: [][]int32{{8, 1, 17}}})
	two, _ := forward(t, c, params, Batch{Prompts: [][]int32{{16, 3}}, Targets: [][]int32{{8, 2, 5}}})
	for name := range one {
		if name != "logits" && !slices.Equal(one[name].Data, two[name].Data) {
			t.Errorf("%s depends on the target", name)
		}
	}
	a, b := one["logits"].Data, two["logits"].Data
	if !slices.Equal(a[:2*21], b[:2*21]) || slices.Equal(a[2*21:], b[2*21:]) {
		t.Error("logits are not those of teacher forcing")
	}
}

func TestInvariants(t *testing.T) {
	c := base()
	out, _ := forward(t, c, random(c, 7), sequences())
	b := sequences()
	H, N := c.Heads, c.Width
	for s := range b.Prompts {
		length := len(b.Prompts[s]) + len(b.Targets[s]) - 1
		for l := range c.Layers {
			get := func(part string) Tensor { return out[fmt.Sprintf("blocks.%d.%s", l, part)] }
			for i := range length {
				for _, part := range []string{"state", "output"} {
					x := get(part)
					for n := range N {
						near(t, "|"+part+"|", math.Hypot(x.Data[x.at(s, i, n)], x.Data[x.at(s, i, N+n)]), 1, 1e-3)
					}
				}
				for k := range H {
					D, C, P, A := get("distance"), get("tree"), get("attention"), get("fusion")
					sum := 0.0
					for l := range H {
						sum += A.Data[A.at(s, i, k, l)]
					}
					near(t, "row of A", sum, 1, 1e-14)
					sum = 0
					for j := range length {
						sum += P.Data[P.at(s, k, i, j)]
						if j > i && (P.Data[P.at(s, k, i, j)] != 0 || C.Data[C.at(s, k, i, j)] != 0) {
							t.Error("attention or tree above the diagonal")
						}
					}
					near(t, "row of P", sum, 1, 1e-14)

					// SPEC §4's running scalar, s_j = logaddexp(s_{j+1}, e_j).
					running := 0.0
					for j := i; j >= 0; j-- {
						if j < i {
							e := D.Data[D.at(s, k, j, j+1)]
							running = max(running, e) + math.Log1p(math.Exp(-math.Abs(running-e)))
						}
						near(t, "tree", C.Data[C.at(s, k, i, j)], running, 1e-12)
					}
				}
			}
		}
	}
}

// With γ = 0 a step under `rotate` state is a pure rotation whatever α is (§2),
// under `rotate` input it holds the state, and `mixed` does both.
func TestRotation(t *testing.T) {
	for _, rotate := range []string{"state", "input", "mixed"} {
		c := base()
		c.Model, c.Layers, c.Rotate = "csp", 1, rotate
		params := random(c, 8)
		m, err := load(c, params)
		if err != nil {
			t.Fatal(err)
		}
		for n := range c.Width { // γ = 0
			clear(m.blocks[0].gamma[n])
			m.blocks[0].gammaB[n] = -math.Pi / 2
		}
		h := make([]complex128, c.Width)
		for n := range h {
			h[n] = complex(math.Cos(float64(n)), math.Sin(float64(n)))
		}
		u := m.embedding[3]
		next := m.cell(m.blocks[0], u, h)
		for n := range h {
			angle := math.Pi * math.Tanh(dot(m.blocks[0].theta[n], u)+m.blocks[0].thetaB[n])
			if rotate == "input" || rotate == "mixed" && n >= 3 {
				angle = 0
			}
			near(t, "Re", real(next[n]), math.Cos(float64(n)+angle), 1e-6)
			near(t, "Im", imag(next[n]), math.Sin(float64(n)+angle), 1e-6)
		}
	}
}

// Under `theta` product the token says how far a step turns, the state which way and how much of it.
func TestProductTurnsBothWays(t *testing.T) {
	c := base()
	c.Model, c.Layers, c.Theta = "csp", 1, "product"
	m, err := load(c, random(c, 8))
	if err != nil {
		t.Fatal(err)
	}
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
		for n, z := range m.cell(b, u, h) {
			angle := math.Tanh(way) * math.Pi * math.Tanh(dot(b.theta[n], u)+b.thetaB[n])
			near(t, "Re", real(z), math.Cos(angle), 1e-6)
			near(t, "Im", imag(z), math.Sin(angle), 1e-6)
		}
	}
}

func TestLongEdgesStayFinite(t *testing.T) {
	for _, ablation := range []string{"none", "no-tree", "no-lse", "no-B", "no-norm"} {
		for _, want := range []float64{300, 3000} {
			c := base()
			c.Layers, c.Ablation = 1, ablation
			params := random(c, 9)
			b := Batch{Prompts: [][]int32{{16, 3, 10, 5, 14, 2, 12}}, Targets: [][]int32{{8, 17}}}
			out, _ := forward(t, c, params, b)
			edge := func() float64 {
				D, longest := out["blocks.0.distance"], 0.0
				for i := range 7 {
					longest = max(longest, D.Data[D.at(0, 0, i, i+1)])
				}
				return longest
			}
			factor := params["blocks.0.metric.factor"].Data
			for range 40 { // softplus is not linear: approach the wanted length
				for n := range factor {
					factor[n] *= math.Sqrt(want / edge())
				}
				out, _ = forward(t, c, params, b)
			}
			near(t, "longest edge", edge(), want, want/10)
			if C := out["blocks.0.tree"]; ablation == "none" && C.Data[C.at(0, 0, 7, 0)] < edge() {
				t.Errorf("C̃ is %v over an edge of %v", C.Data[C.at(0, 0, 7, 0)], edge())
			}
		}
	}
}

func TestSwitchesChangeTheLoss(t *testing.T) {
	losses := make(map[float64]string)
	for name, change := range map[string]func(*Config){
		"nothing":            func(c *Config) {},
		"csp":                func(c *Config) { c.Model = "csp" },
		"rotate input":       func(c *Config) { c.Rotate = "input" },
		"rotate mixed":       func(c *Config) { c.Rotate = "mixed" },
		"rotate mixed 0.17":  func(c *Config) { c.Rotate, c.RotateShare = "mixed", 0.17 },
		"theta state":        func(c *Config) { c.Theta = "state" },
		"theta state, mixed": func(c *Config) { c.Theta, c.Rotate = "state", "mixed" },
		"theta product":      func(c *Config) { c.Theta = "product" },
		"fusion pooled":      func(c *Config) { c.Fusion = "pooled" },
		"fusion mean":        func(c *Config) { c.Fusion = "mean" },
		"no skip":            func(c *Config) { c.Skip = false },
		"final":              func(c *Config) { c.Supervision = "final" },
		"no-tree":            func(c *Config) { c.Ablation = "no-tree" },
		"no-lse":             func(c *Config) { c.Ablation = "no-lse" },
		"no-norm":            func(c *Config) { c.Ablation = "no-norm" },
	} {
		c := base()
		params := random(c, 10)
		change(&c)
		_, loss := forward(t, c, params, sequences())
		loss = math.Round(loss*1e9) / 1e9
		if other, ok := losses[loss]; ok {
			t.Errorf("%q and %q have the same loss %v", name, other, loss)
		}
		losses[loss] = name
	}

	// no-B is fusion mean, and overrides pooled; share 1 is "state", 0 "input".
	same := func(what string, one, two Config) {
		params := random(one, 10)
		_, a := forward(t, one, params, sequences())
		_, b := forward(t, two, params, sequences())
		near(t, what, a, b, 0)
	}
	noB, mean, all, none, input := base(), base(), base(), base(), base()
	noB.Ablation, noB.Fusion = "no-B", "pooled"
	mean.Fusion = "mean"
	same("no-B", noB, mean)
	all.Rotate, all.RotateShare = "mixed", 1
	same("share 1", all, base())
	none.Rotate, none.RotateShare = "mixed", 0
	input.Rotate = "input"
	same("share 0", none, input)
	same("defaults", Config{Layers: 2, Heads: 2, Width: 6, Skip: true, Supervision: "prefix", Vocab: 21}, base())
}

func TestAblatedTensors(t *testing.T) {
	run := func(change func(*Config)) map[string]Tensor {
		c := base()
		c.Layers = 1
		params := random(c, 11)
		change(&c)
		out, _ := forward(t, c, params, Batch{Prompts: [][]int32{{16, 3, 10, 5}}})
		return out
	}
	out := run(func(c *Config) { c.Ablation = "no-tree" })
	if slices.ContainsFunc(out["blocks.0.tree"].Data, func(x float64) bool { return x != 0 }) {
		t.Error("no-tree dumps a tree")
	}
	out = run(func(c *Config) { c.Ablation = "no-lse" })
	D, C := out["blocks.0.distance"], out["blocks.0.tree"]
	near(t, "Σ e", C.Data[C.at(0, 1, 3, 1)], D.Data[D.at(0, 1, 1, 2)]+D.Data[D.at(0, 1, 2, 3)], 1e-14)
	for _, x := range run(func(c *Config) { c.Fusion = "mean" })["blocks.0.fusion"].Data {
		near(t, "A", x, 0.5, 0)
	}
	mesh, pooled := run(func(c *Config) {}), run(func(c *Config) { c.Fusion = "pooled" })
	if !slices.Equal(mesh["blocks.0.fusion"].Data, pooled["blocks.0.fusion"].Data) {
		t.Error("pooled does not dump A itself")
	}
	out = run(func(c *Config) { c.Ablation = "no-norm" })
	h := out["blocks.0.state"]
	if size := math.Hypot(h.Data[h.at(0, 0, 0)], h.Data[h.at(0, 0, 6)]); math.Abs(size-1) < 1e-3 {
		t.Error("no-norm normalises")
	}
}

func TestClasses(t *testing.T) {
	c := base()
	c.Classes = 3
	params := random(c, 12)
	b := Batch{Prompts: sequences().Prompts, Labels: []int32{2, 0, 1}}
	out, loss := forward(t, c, params, b)
	if !slices.Equal(out["logits"].Shape, []int{3, 3}) || !slices.Equal(out["blocks.0.state"].Shape, []int{3, 7, 12}) {
		t.Fatalf("shapes %v, %v", out["logits"].Shape, out["blocks.0.state"].Shape)
	}
	sum := 0.0
	m, err := load(c, params)
	if err != nil {
		t.Fatal(err)
	}
	for s, prompt := range b.Prompts {
		y := m.encode(prompt)[1].output[len(prompt)-1]
		logits := m.readout(y)
		for class := range logits {
			near(t, "logit", out["logits"].Data[s*3+class], logits[class], 0)
		}
		total := math.Exp(logits[0]) + math.Exp(logits[1]) + math.Exp(logits[2])
		sum -= math.Log(math.Exp(logits[b.Labels[s]]) / total)
	}
	near(t, "loss", loss, sum/3, 1e-14)
	c.Supervision = "final"
	if _, final := forward(t, c, params, b); final != loss {
		t.Errorf("supervision changes a class task: %v, %v", final, loss)
	}
}

// The head's gradient is known in closed form.
func TestGradient(t *testing.T) {
	for _, supervision := range []string{"prefix", "final"} {
		c := base()
		c.Supervision = supervision
		params, b := random(c, 13), sequences()
		before := slices.Clone(params["head.bias"].Data)
		out, _ := forward(t, c, params, b)
		want, tokens := make([]float64, c.Vocab), 0
		for _, target := range b.Targets {
			tokens += len(target)
		}
		for s, target := range b.Targets {
			for i, token := range target {
				at := out["logits"].at(s, i, 0)
				for class, p := range softmax(out["logits"].Data[at : at+c.Vocab]) {
					want[class] += p / float64(tokens)
				}
				want[token] -= 1 / float64(tokens)
			}
		}
		indices := []int{0, 4, 17, 20}
		got, err := Gradient(c, params, b, "head.bias", indices, 1e-4)
		if err != nil {
			t.Fatal(err)
		}
		for n, index := range indices {
			near(t, "gradient", got[n], want[index], 1e-8)
		}
		if !slices.Equal(before, params["head.bias"].Data) {
			t.Error("Gradient changed the parameters")
		}
	}
}

// Every parameter has an influence, but for what SPEC says is ignored.
func TestEveryParameterCounts(t *testing.T) {
	c := base()
	c.Theta = "product"
	params := random(c, 14)
	for name := range params {
		index := 1
		if name == "embedding.weight" {
			index = 3 * c.Width // token 3 is fed
		}
		got, err := Gradient(c, params, sequences(), name, []int{index}, 1e-4)
		if err != nil {
			t.Fatal(err)
		}
		// Element 1 of a metric factor is above its diagonal; the last block has no skip path.
		ignored := strings.HasSuffix(name, "metric.factor") || name == "blocks.1.skip.gate"
		if (got[0] == 0) != ignored {
			t.Errorf("derivative by %s is %v", name, got[0])
		}
	}
}

func TestErrors(t *testing.T) {
	for want, change := range map[string]func(*Config, map[string]Tensor, *Batch){
		`model "lstm"`:                 func(c *Config, _ map[string]Tensor, _ *Batch) { c.Model = "lstm" },
		`rotate "none"`:                func(c *Config, _ map[string]Tensor, _ *Batch) { c.Rotate = "none" },
		"theta state needs":            func(c *Config, _ map[string]Tensor, _ *Batch) { c.Theta, c.Rotate = "state", "input" },
		"theta product needs":          func(c *Config, _ map[string]Tensor, _ *Batch) { c.Theta, c.Rotate = "product", "input" },
		"rotate_share":                 func(c *Config, _ map[string]Tensor, _ *Batch) { c.Rotate, c.RotateShare = "mixed", math.NaN() },
		"layers 0":                     func(c *Config, _ map[string]Tensor, _ *Batch) { c.Layers = 0 },
		"does not divide into 4":       func(c *Config, _ map[string]Tensor, _ *Batch) { c.Heads = 4 },
		`"blocks.1.metric.rho" is mis`: func(_ *Config, p map[string]Tensor, _ *Batch) { delete(p, "blocks.1.metric.rho") },
		`"head.bias" has shape`:        func(_ *Config, p map[string]Tensor, _ *Batch) { p["head.bias"] = zeros(20) },
		"without prompts":              func(_ *Config, _ map[string]Tensor, b *Batch) { *b = Batch{} },
		"prompt 1 is empty":            func(_ *Config, _ map[string]Tensor, b *Batch) { b.Prompts[1] = nil },
		"target 2 is empty":            func(_ *Config, _ map[string]Tensor, b *Batch) { b.Targets[2] = nil },
		"prompt token 21":              func(_ *Config, _ map[string]Tensor, b *Batch) { b.Prompts[0][0] = 21 },
		"target token -1":              func(_ *Config, _ map[string]Tensor, b *Batch) { b.Targets[0][0] = -1 },
		"label 21":                     func(_ *Config, _ map[string]Tensor, b *Batch) { b.Targets, b.Labels = nil, []int32{0, 0, 21} },
		"both targets and labels":      func(_ *Config, _ map[string]Tensor, b *Batch) { b.Labels = []int32{0, 0, 1} },
		"3 prompts, 1 targets":         func(_ *Config, _ map[string]Tensor, b *Batch) { b.Targets = b.Targets[:1] },
	} {
		c := base()
		params, b := random(c, 15), sequences()
		change(&c, params, &b)
		if _, _, err := Forward(c, params, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	c := base()
	params := random(c, 15)
	for _, bad := range []struct {
		name  string
		index int
		step  float64
	}{{"nothing", 0, 1e-4}, {"head.bias", 21, 1e-4}, {"head.bias", 0, 0}} {
		if _, err := Gradient(c, params, sequences(), bad.name, []int{bad.index}, bad.step); err == nil {
			t.Errorf("no error for %+v", bad)
		}
	}
}
