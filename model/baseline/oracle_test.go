package baseline

import (
	"math"
	"slices"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// oracleAgrees holds a network's logits to those of equations, which compute with its tensors the logits after each
// token of a text: each logit, and all by relative L2, to 1e-6. What a sample writes follows its prompt behind start.
func oracleAgrees(t *testing.T, c sequence.Config, b *sequence.Batch, start []int32,
	equations func(tensors map[string][]float64, text []int32) [][]float64) {
	t.Helper()
	m := assert.Must(c.Open(reference.New[float64]()))(t)
	sequencetest.Shake(m, 5, 0.5)
	got := assert.Must(m.Logits(b))(t)
	values, tensors := reference.Data[float64](m.Params().Values()), map[string][]float64{}
	for _, x := range m.Params().Tensors {
		tensors[x.Name] = values[x.Offset:][:x.Len]
	}
	var want []float64
	for i, prompt := range b.Prompts {
		text, read := prompt, 1
		if b.Targets != nil {
			read = len(b.Targets[i])
			text = slices.Concat(prompt, start, b.Targets[i][:read-1])
		}
		rows := equations(tensors, text)
		want = append(want, slices.Concat(rows[len(rows)-read:]...)...)
	}
	assert.Need(t, len(got) == len(want), "%d logits, %d wanted", len(got), len(want))
	for i, w := range want {
		assert.Need(t, math.Abs(float64(got[i])-w) <= 1e-6*max(1, math.Abs(w)),
			"%+v: logit %d is %v, the equations say %v", c, i, got[i], w)
	}
	diff, norm := sequencetest.Distance(got, want), sequencetest.Norm(want)
	assert.True(t, diff <= 1e-6*norm, "%+v: logits differ by %.2g relative", c, diff/norm)
}
