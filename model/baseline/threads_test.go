package baseline

import (
	"runtime"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks/assert"
)

// TestThreads: a batch's gradients have the same bits on 1, 2 and 8 threads, in every family.
func TestThreads(t *testing.T) {
	turned := sequence.Preset{Name: "arformer, rotary", New: func() sequence.Config { return smallFormer(rotary, 0) }}
	for _, p := range append(Presets(), turned) {
		t.Run(p.Name, func(t *testing.T) {
			gradients := func(threads int) []float32 {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
				device := cpu.New()
				defer device.Close()
				c := sequencetest.Small(t, p.New(), sequencetest.Keys{"width": 12, "heads": 2})
				m := assert.Must(c.Open(device))(t)
				m.Initialise(3)
				device.Zero(m.Params().Grads())
				m.Gradients(sequencetest.RandomBatch(c.Shape(), 7, 40, 1, 17, 64, 3, 30, 2, 9, 65, 33))
				return assert.Must(m.Params().Download(m.Params().Grads()))(t)
			}
			one := gradients(1)
			for _, threads := range []int{2, 8} {
				assert.Is(t, one, gradients(threads), "%d threads give other gradients than one", threads)
			}
		})
	}
}
