package baseline

import (
	"fmt"
	"math"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/token"
)

// eachGated runs a test of LSTMs and GRUs, most of them no presets.
func eachGated(t *testing.T, test func(t *testing.T, c sequence.Config)) {
	for _, x := range []struct{ layers, width, classes int }{{1, 5, 0}, {2, 6, 3}, {3, 4, 0}, {1, 1, 2}} {
		for _, model := range []string{"lstm", "gru"} {
			t.Run(fmt.Sprintf("%s-layers=%d-classes=%d", model, x.layers, x.classes), func(t *testing.T) {
				test(t, &Gated{common{model, x.layers, x.width, 21, x.classes}})
			})
		}
	}
}

// TestGated holds what is no preset to the contract of every family.
func TestGated(t *testing.T) {
	eachGated(t, func(t *testing.T, c sequence.Config) { sequencetest.Run(t, c) })
}

// narrow is a device whose kernels' windows start at multiples of Align alone, like a GPU's.
type narrow struct{ *reference.Backend[float64] }

func (n narrow) Info() backend.Info {
	i := n.Backend.Info()
	i.AnyWindow = false
	return i
}

// TestGatedInPlace: a layer that reads the states below it where they are has the gradients of one that reads a copy.
func TestGatedInPlace(t *testing.T) {
	eachGated(t, func(t *testing.T, c sequence.Config) {
		exact := reference.New[float64]()
		var grads [2][]float64
		for i, device := range []backend.Backend{exact, narrow{exact}} {
			m := assert.Must(c.Open(device))(t)
			sequencetest.Shake(m, 5, 0.7)
			device.Zero(m.Params().Grads())
			m.Gradients(sequencetest.RandomBatch(c.Shape(), 3, 1, 6, 40, 17))
			grads[i] = reference.Data[float64](m.Params().Grads())
		}
		d := sequencetest.Worst(grads[0], grads[1])
		assert.True(t, d <= 1e-12, "gradients differ by %.2g", d)
	})
}

// TestGatedOracle: the network's logits are those of SPEC §13, written down once more, one token after another.
func TestGatedOracle(t *testing.T) {
	eachGated(t, func(t *testing.T, c sequence.Config) {
		b := sequencetest.RandomBatch(c.Shape(), 3, 1, 6, 40, 17)
		oracleAgrees(t, c, b, []int32{token.SOS}, func(p tensors, text []int32) [][]float64 {
			return naiveGated(c, p, text)
		})
	})
}

// naiveGated is the logits after each token, by SPEC §13 in float64, from its text alone.
func naiveGated(c sequence.Config, p tensors, tokens []int32) (logits [][]float64) {
	stream, layers := p.embed(tokens), c.Traits().Blocks
	width := len(stream[0])
	h, memory := make([][]float64, layers), make([][]float64, layers)
	for l := range h {
		h[l], memory[l] = make([]float64, width), make([]float64, width)
	}
	for _, x := range stream {
		for l := range layers {
			name := fmt.Sprintf("layers.%d.", l)
			wx, uh, bias := p.times(name+"input", x), p.times(name+"state", h[l]), p[name+"bias"]
			w := func(gate, i int) float64 { return wx[gate*width+i] + bias[gate*width+i] } // W x + b
			u := func(gate, i int) float64 { return uh[gate*width+i] }                      // U h
			next := make([]float64, width)
			for i := range width {
				if c.Name() == "gru" {
					r, z := sigma(w(0, i)+u(0, i)), sigma(w(1, i)+u(1, i))
					n := math.Tanh(w(2, i) + r*u(2, i))
					next[i] = (1-z)*n + z*h[l][i]
					continue
				}
				in, forget, out := sigma(w(0, i)+u(0, i)), sigma(w(1, i)+u(1, i)), sigma(w(3, i)+u(3, i))
				memory[l][i] = forget*memory[l][i] + in*math.Tanh(w(2, i)+u(2, i))
				next[i] = out * math.Tanh(memory[l][i])
			}
			h[l], x = next, next
		}
		logits = append(logits, p.times("head", x))
	}
	return logits
}

// TestGatedStart: weights lie within ±1/√W and use that room; the bias of what keeps the state is 1, all others 0.
func TestGatedStart(t *testing.T) {
	for i, preset := range gatedPresets() {
		gates := 3 + i
		p := assert.Must(preset.New().Parameters())(t)
		flat := p.Initial(3)
		for _, tensor := range p.Tensors {
			values := flat[tensor.Offset:][:tensor.Len]
			limit := 1 / math.Sqrt(float64(tensor.Shape[len(tensor.Shape)-1]))
			most := 0.0
			for i, v := range values {
				most = max(most, math.Abs(float64(v)))
				want := float32(0)
				if len(values) > 21 && i*gates/len(values) == 1 {
					want = 1
				}
				assert.Need(t, len(tensor.Shape) != 1 || v == want,
					"%s: %s[%d] starts at %g, want %g", preset.Name, tensor.Name, i, v, want)
			}
			assert.True(t, len(tensor.Shape) != 2 || tensor.Name == "embedding.weight" || most <= limit &&
				most >= 0.9*limit, "%s: %s reaches %g, its limit is %g", preset.Name, tensor.Name, most, limit)
		}
	}
}

func TestGatedValidate(t *testing.T) {
	for _, x := range []struct {
		key   string
		value int
	}{{"width", 0}, {"width", maxWidth + 1}, {"layers", 0}, {"layers", maxLayers + 1}} {
		for _, p := range gatedPresets() {
			c := sequencetest.Small(t, p.New(), sequencetest.Keys{x.key: x.value})
			_, err := c.Open(reference.New[float64]())
			sequencetest.Unfit(t, p.Name, err, x.key, x.value)
		}
	}
}
