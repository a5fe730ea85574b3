package baseline

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/token"
)

func smallGDN(layers, width, heads int, beta float64, classes int) *GDN {
	return &GDN{common{Model: "gdn", Layers: layers, Width: width, Vocab: 21, Classes: classes}, heads, beta}
}

// TestGDN holds what is no preset to the contract of every family.
func TestGDN(t *testing.T) {
	for _, c := range []*GDN{
		smallGDN(1, 5, 1, 2, 0), smallGDN(3, 4, 2, 1.5, 3), smallGDN(2, 6, 3, 2, 0), smallGDN(1, 3, 3, 1, 2),
	} {
		t.Run(fmt.Sprintf("layers=%d-width=%d-heads=%d-beta=%g-classes=%d", c.Layers, c.Width, c.Heads, c.BetaRange,
			c.Classes), func(t *testing.T) {
			sequencetest.Run(t, c)
		})
	}
}

// TestGDNOracle: the network's logits are those of SPEC §13, written down once more, one token after another.
func TestGDNOracle(t *testing.T) {
	for _, c := range []*GDN{
		smallGDN(2, 6, 2, 1, 0), smallGDN(2, 6, 2, 2, 0), smallGDN(1, 8, 1, 2, 3), smallGDN(3, 6, 3, 2, 0),
	} {
		b := sequencetest.RandomBatch(c.Shape(), 3, 1, 6, 40, 17)
		oracleAgrees(t, c, b, []int32{token.SOS}, func(p tensors, text []int32) [][]float64 {
			return naiveGDN(c, p, text)
		})
	}
}

// naiveGDN are the logits after each token. All is written out; nothing is shared with the network.
func naiveGDN(c *GDN, p tensors, tokens []int32) (logits [][]float64) {
	n, heads := c.Width, c.Heads
	dk, dv := n/heads, 2*n/heads
	norm := func(gain, x []float64) []float64 {
		var mean float64
		for _, v := range x {
			mean += v * v / float64(len(x))
		}
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = gain[i] * v / math.Sqrt(mean+1e-5)
		}
		return y
	}
	length := func(x []float64) float64 {
		var sum float64
		for _, v := range x {
			sum += v * v
		}
		return math.Sqrt(sum + 1e-6)
	}
	stream := p.embed(tokens)
	for l := range c.Layers {
		at := func(name string) []float64 { return p[fmt.Sprintf("blocks.%d.%s", l, name)] }
		times := func(name string, x []float64) []float64 { return p.times(fmt.Sprintf("blocks.%d.%s", l, name), x) }
		inputs := map[string][][]float64{} // of the convolutions, step by step
		states := make([][][]float64, heads)
		for h := range states {
			for range dv {
				states[h] = append(states[h], make([]float64, dk))
			}
		}
		for t := range stream {
			x := norm(at("norm1.weight"), stream[t])
			mixed := map[string][]float64{}
			for _, s := range []string{"query", "key", "value"} {
				inputs[s] = append(inputs[s], times(s, x))
				z := make([]float64, len(inputs[s][t]))
				for i := range z {
					for j := range 4 {
						if t-3+j >= 0 {
							z[i] += at(s + ".convolution")[4*i+j] * inputs[s][t-3+j][i]
						}
					}
					z[i] *= sigma(z[i])
				}
				mixed[s] = z
			}
			var out []float64
			for h := range heads {
				q, k, v := mixed["query"][h*dk:][:dk], mixed["key"][h*dk:][:dk], mixed["value"][h*dv:][:dv]
				beta := c.BetaRange * sigma(times("beta", x)[h])
				alpha := math.Exp(-math.Exp(at("decay.log")[h]) * math.Log1p(math.Exp(times("decay", x)[h])))
				next, o := make([][]float64, dv), make([]float64, dv)
				for d := range dv {
					next[d] = make([]float64, dk)
					for j := range dk {
						// S (I − β k kᵀ), element by element.
						for i := range dk {
							one := -beta * k[i] * k[j] / (length(k) * length(k))
							if i == j {
								one++
							}
							next[d][j] += alpha * states[h][d][i] * one
						}
						next[d][j] += beta * v[d] * k[j] / length(k)
						o[d] += next[d][j] * q[j] / (length(q) * math.Sqrt(float64(dk)))
					}
				}
				states[h] = next
				out = append(out, norm(at("output_norm.weight"), o)...)
			}
			for i, g := range times("gate", x) {
				out[i] *= g * sigma(g)
			}
			for i, v := range times("output", out) {
				stream[t][i] += v
			}
			x = norm(at("norm2.weight"), stream[t])
			hidden := times("up", x)
			for i, g := range times("gate_up", x) {
				hidden[i] *= g * sigma(g)
			}
			for i, v := range times("down", hidden) {
				stream[t][i] += v
			}
		}
	}
	for _, x := range stream {
		logits = append(logits, p.times("head", norm(p["norm.weight"], x)))
	}
	return logits
}

// TestGDNStart: decays begin where the authors' do.
func TestGDNStart(t *testing.T) {
	c := smallGDN(3, 64, 64, 1, 0)
	p := assert.Must(c.Parameters())(t)
	flat := p.Initial(1)
	for _, x := range p.Tensors {
		var low, high float64
		of := func(v float64) float64 { return v }
		switch {
		case strings.HasSuffix(x.Name, "decay.log"):
			low, high, of = 1, 16, math.Exp
		case strings.HasSuffix(x.Name, "decay.bias"):
			low, high, of = 0.001, 0.1, func(v float64) float64 { return math.Log1p(math.Exp(v)) }
		case strings.HasSuffix(x.Name, "convolution"):
			low, high = -0.5, 0.5
		default:
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, v := range flat[x.Offset:][:x.Len] {
			least, most = min(least, of(float64(v))), max(most, of(float64(v)))
		}
		slack := 1e-6 * (high - low)
		assert.True(t, least >= low-slack && most <= high+slack && most-least >= 0.7*(high-low),
			"%s starts from %v to %v; %v to %v is wanted", x.Name, least, most, low, high)
	}
}

func TestGDNValidate(t *testing.T) {
	for _, x := range []struct {
		edit  func(c *GDN)
		key   string
		value any
	}{
		{func(c *GDN) { c.Heads = 3 }, "width", 64}, {func(c *GDN) { c.Heads = 0 }, "heads", 0},
		{func(c *GDN) { c.Width = 4096 }, "heads", 4}, {func(c *GDN) { c.BetaRange = 2.5 }, "beta_range", 2.5},
		{func(c *GDN) { c.BetaRange = 0 }, "beta_range", 0},
		{func(c *GDN) { c.BetaRange = math.NaN() }, "beta_range", "NaN"},
		{func(c *GDN) { c.Model = "gru" }, "model", "gru"},
	} {
		c := gdnPresets()[0].New().(*GDN)
		x.edit(c)
		sequencetest.Unfit(t, fmt.Sprintf("%+v", *c), c.Validate(), x.key, x.value)
	}
	c := gdnPresets()[0].New().(*GDN)
	c.Width, c.Heads = 4096, 64
	assert.NoError(t, c.Validate())
}
