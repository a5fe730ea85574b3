package model_test

import (
	"testing"

	"mhacsp/model"
	"mhacsp/model/internal/oracle"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

func oracleConfig(c model.Config) oracle.Config {
	return oracle.Config{
		Model: c.Model, Layers: c.Layers, Heads: c.Heads, Width: c.Width, Rotate: c.Rotate, RotateShare: c.RotateShare,
		Theta: c.Theta, Fusion: c.Fusion, Skip: c.Skip,
		Supervision: c.Supervision, Ablation: c.Ablation, Vocab: c.Vocab,
		Classes: c.Classes, Memory: c.Memory, MemoryPeriod: c.MemoryPeriod,
	}
}

func oracleParams(t testing.TB, m *model.Model) map[string]oracle.Tensor {
	flat := assert.Must(m.Params().Download(m.Params().Values()))(t)
	out := map[string]oracle.Tensor{}
	for _, x := range m.Params().Tensors {
		data := make([]float64, x.Len)
		for i := range data {
			data[i] = float64(flat[x.Offset+i])
		}
		out[x.Name] = oracle.Tensor{Shape: x.Shape, Data: data}
	}
	return out
}

// TestOracle holds every tensor of the forward dump against an oracle written from SPEC alone, at every switch.
// The dump is rounded to float32, hence 1e-6 and not less.
func TestOracle(t *testing.T) {
	list := switches(t)
	for _, ablation := range []string{"no-norm", "no-omega", "random-omega", "no-pi"} {
		list = append(list, remembering(t, func(c *model.Config) { c.Ablation = ablation }))
	}
	for _, c := range list {
		t.Run(label(c), func(t *testing.T) {
			m := newModel[float64](t, c)
			sequencetest.Shake(m, 11, 0.3)
			b := sequencetest.RandomBatch(c.Shape(), 2, 1, 2, 7, 4)
			want, loss := oracle.Forward(oracleConfig(c), oracleParams(t, m), oracle.Batch{
				Prompts: b.Prompts, Targets: b.Targets, Labels: b.Labels,
			})
			want["loss"] = oracle.Tensor{Shape: []int{1}, Data: []float64{loss}}
			got := assert.Must(m.Dump(b))(t)
			states := assert.Must(m.States(b))(t)
			assert.True(t, len(got) == len(want) && len(states) >= 2*c.Layers,
				"%d tensors, %d of states; the oracle has %d", len(got), len(states), len(want))
			for _, x := range append(got, states...) {
				compare(t, x, want[x.Name], 1e-6)
			}
		})
	}
}

// compare is relative L2 over the whole tensor.
func compare(t *testing.T, got sequence.Tensor, want oracle.Tensor, bound float64) {
	t.Helper()
	assert.Need(t, len(got.Data) == len(want.Data) && len(got.Shape) == len(want.Shape),
		"%s: shape %v, want %v", got.Name, got.Shape, want.Shape)
	diff, norm := sequencetest.Distance(got.Data, want.Data), sequencetest.Norm(want.Data)
	assert.True(t, diff <= bound*norm+1e-12, "%s: differs by %.2g relative", got.Name, diff/norm)
}
