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
		if c.Classes > 0 {
			_, _, err := m.Classify(sequencetest.RandomBatch(c.Shape(), 8, 20, 1, 3).Prompts)
			assert.NoError(t, err)
		} else {
			assert.Must(m.Generate(sequencetest.RandomBatch(c.Shape(), 8, 20, 1, 3).Prompts, 4, true))(t)
		}
		if again, err := m.Loss(); err != nil || again != loss || !sequencetest.SameBits(before, results()) {
			t.Errorf("%s: generation changed the last loss (%v, %v, %v) or hits", label(c), loss, again, err)
		}
	}
}
