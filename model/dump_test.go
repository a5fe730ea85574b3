package model_test

import (
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// counting is a backend that counts the buffers made on it.
type counting struct {
	backend.Backend
	made int
}

func (c *counting) Floats(n int) backend.Buffer {
	c.made++
	return c.Backend.Floats(n)
}

// TestDumpKeeps: pictures of one size take the buffers of the one before. A GPU's are freed by nobody else.
func TestDumpKeeps(t *testing.T) {
	for _, name := range []string{"mha-csp", "mha-csp-2", "mha-csp-m", "csp"} {
		c := preset(t, name, func(*model.Config) {})
		b := &counting{Backend: reference.New[float32]()}
		m := assert.Must(model.New(c, b))(t)
		batch := sequencetest.RandomBatch(c.Shape(), 3, 4, 7, 2)
		for range 2 {
			assert.Must(m.Dump(batch))(t)
		}
		before := b.made
		assert.Must(m.Dump(batch))(t)
		assert.Is(t, b.made, before, "%s: one more dump made %d buffers", name, b.made-before)
	}
}
