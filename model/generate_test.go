package model_test

import (
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// TestGenerateLeavesTraining: an answer between two steps changes neither the loss read afterwards nor the hits.
func TestGenerateLeavesTraining(t *testing.T) {
	for _, c := range switches(t) {
		m := fastModel(t, c)
		m.Initialise(2)
		b := sequencetest.RandomBatch(c.Shape(), 3, 5, 2)
		loss, _ := gradients(t, m, b)
		results := func() []float32 {
			x := make([]float32, m.Results().Len)
			assert.NoError(t, m.Backend().Download(x, m.Results()))
			return x
		}
		before := results()
		prompts := sequencetest.RandomBatch(c.Shape(), 8, 20, 1, 3).Prompts
		if c.Classes > 0 {
			_, _, err := m.Classify(prompts)
			assert.NoError(t, err)
		} else {
			assert.Must(m.Generate(prompts, 4, true))(t)
		}
		assert.Is(t, assert.Must(m.Loss())(t), loss, "%s: after generation the last loss", label(c))
		assert.True(t, sequencetest.SameBits(before, results()), "%s: generation changed the last hits", label(c))
	}
}
