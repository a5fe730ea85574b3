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

// tensors are a network's parameters by name, for equations that share nothing else with it.
type tensors map[string][]float64

// times is W x + b of the tensors name.weight and name.bias, W x where there is no such b.
func (p tensors) times(name string, x []float64) []float64 {
	w := p[name+".weight"]
	y := make([]float64, len(w)/len(x))
	copy(y, p[name+".bias"])
	for i := range y {
		for j, v := range x {
			y[i] += w[i*len(x)+j] * v
		}
	}
	return y
}

// embed gives each token's row of the embedding of 21 tokens.
func (p tensors) embed(text []int32) (rows [][]float64) {
	width := len(p["embedding.weight"]) / 21
	for _, id := range text {
		rows = append(rows, slices.Clone(p["embedding.weight"][int(id)*width:][:width]))
	}
	return rows
}

func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// oracleAgrees holds a network's logits to those of equations, which compute with its tensors the logits after each
// token of a text: each logit, and all by relative L2, to 1e-6. What a sample writes follows its prompt behind start.
func oracleAgrees(t *testing.T, c sequence.Config, b *sequence.Batch, start []int32,
	equations func(p tensors, text []int32) [][]float64) sequence.Network {
	t.Helper()
	m := assert.Must(c.Open(reference.New[float64]()))(t)
	sequencetest.Shake(m, 5, 0.5)
	got := assert.Must(m.Logits(b))(t)
	values, p := reference.Data[float64](m.Params().Values()), tensors{}
	for _, x := range m.Params().Tensors {
		p[x.Name] = values[x.Offset:][:x.Len]
	}
	var want []float64
	for i, prompt := range b.Prompts {
		text, read := prompt, 1
		if b.Targets != nil {
			read = len(b.Targets[i])
			text = slices.Concat(prompt, start, b.Targets[i][:read-1])
		}
		rows := equations(p, text)
		want = append(want, slices.Concat(rows[len(rows)-read:]...)...)
	}
	assert.Need(t, len(got) == len(want), "%d logits, %d wanted", len(got), len(want))
	for i, w := range want {
		assert.Need(t, math.Abs(float64(got[i])-w) <= 1e-6*max(1, math.Abs(w)),
			"%+v: logit %d is %v, the equations say %v", c, i, got[i], w)
	}
	diff, norm := sequencetest.Distance(got, want), sequencetest.Norm(want)
	assert.True(t, diff <= 1e-6*norm, "%+v: logits differ by %.2g relative", c, diff/norm)
	return m
}
