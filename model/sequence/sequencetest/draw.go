package sequencetest

import (
	"math/rand/v2"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
)

// RandomBatch draws prompts and targets (or labels) of the given prompt lengths.
func RandomBatch(s sequence.Shape, seed uint64, lengths ...int) *sequence.Batch {
	r := rand.New(rand.NewPCG(seed, 7))
	tokens := func(n int) []int32 {
		x := make([]int32, n)
		for i := range x {
			x[i] = int32(r.IntN(s.Vocab))
		}
		return x
	}
	b := &sequence.Batch{}
	for i, n := range lengths {
		b.Prompts = append(b.Prompts, tokens(n))
		if s.Classes > 0 {
			b.Labels = append(b.Labels, int32(r.IntN(s.Classes)))
		} else {
			b.Targets = append(b.Targets, tokens(1+i%4))
		}
	}
	return b
}

// Shake moves every parameter away from its start value, so that no gradient is zero by symmetry.
func Shake(m sequence.Network, seed uint64, std float64) {
	r := rand.New(rand.NewPCG(seed, 9))
	flat := m.Params().Initial(seed)
	for _, t := range m.Params().Tensors {
		for i := range flat[t.Offset : t.Offset+t.Len] {
			flat[t.Offset+i] += float32(std * r.NormFloat64())
		}
	}
	m.Params().Upload(flat)
}

// SetBias adds x to the logit of one token.
func SetBias(t *testing.T, m sequence.Network, id int, x float32) {
	t.Helper()
	flat := assert.Must(m.Params().Download(m.Params().Values()))(t)
	bias, _ := m.Params().Find(flat, "head.bias")
	bias[id] = x
	m.Params().Upload(flat)
}
