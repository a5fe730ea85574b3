package model_test

import (
	"slices"
	"testing"

	"mhacsp/model"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// TestStateClip: a bound that nothing reaches changes no bit of the gradients; one that is reached makes those of the
// loop's parameters smaller; and a batch that holds each sample twice has the same gradients with the same state_clip,
// which counts for a sample and not for a batch (SPEC §8).
func TestStateClip(t *testing.T) {
	c := preset(t, "mha-csp-m", func(c *model.Config) { c.Width, c.Memory, c.MemoryPeriod, c.Heads = 24, 8, 40, 2 })
	once := sequencetest.RandomBatch(c.Shape(), 5, 30, 7, 1, 22)
	twice := &sequence.Batch{
		Prompts: slices.Concat(once.Prompts, once.Prompts), Targets: slices.Concat(once.Targets, once.Targets),
		AnswerAt: slices.Concat(once.AnswerAt, once.AnswerAt), AnswerWeight: once.AnswerWeight,
	}
	for name, m := range models(t, c, 3, 0.3) {
		with := func(b *sequence.Batch, clip float32) []float32 {
			b.StateClip = clip
			_, flat := gradients(t, m, b)
			return flat
		}
		free, small := with(once, 0), with(once, 1e-3)
		assert.Is(t, with(once, 1e6), free, "%s: a bound that nothing reaches changes the gradients", name)
		const of = "blocks.0.delta_h.weight"
		a, _ := m.Params().Find(free, of)
		b, _ := m.Params().Find(small, of)
		assert.True(t, norm(b) < norm(a)/2,
			"%s: the gradient of %s has norm %g with a bound, %g without", name, of, norm(b), norm(a))
		off := distance(with(twice, 1e-3), small)
		assert.True(t, off <= 1e-5*norm(small),
			"%s: with each sample twice the gradients are %g apart, of %g", name, off, norm(small))
	}
}
