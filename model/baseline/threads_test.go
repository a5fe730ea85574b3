package baseline

import (
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
)

// TestThreads: a batch's gradients have the same bits on 1, 2 and 8 threads, in every family.
func TestThreads(t *testing.T) {
	turned := sequence.Preset{Name: "arformer, rotary", New: func() sequence.Config { return smallFormer(rotary, 0) }}
	for _, p := range append(Presets(), turned) {
		t.Run(p.Name, func(t *testing.T) {
			c := sequencetest.Small(t, p.New(), sequencetest.Keys{"width": 12, "heads": 2})
			sequencetest.Threads(t, c, sequencetest.RandomBatch(c.Shape(), 7, 40, 1, 17, 64, 3, 30, 2, 9, 65, 33))
		})
	}
}
