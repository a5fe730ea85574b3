//go:build cgo && !js

package webgpu

import (
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/model/optim"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// TestSteadyState: once every batch of a few has been seen, and a tuner has chosen the forms, a training step makes
// no buffer, bind group or pipeline on the device, and on the Go side only what the binding makes at each of its
// calls. Nor does one with a batch that is new, and no larger than those.
func TestSteadyState(t *testing.T) {
	var batches, others []*sequence.Batch
	for i := range 4 {
		batches = append(batches, arithmetic(t, 100*i, 6+3*i))
	}
	for i := range 6 {
		others = append(others, arithmetic(t, 1000+100*i, 6+i))
	}
	device := opened(t)
	device.options.idle = true // the host's work is what counts
	for _, preset := range []string{"mha-csp", "mha-csp-2", "mha-csp-m"} {
		for _, x := range []Forms{{}, {registers, registers}} {
			if x[0] != "" && preset != "mha-csp" {
				continue
			}
			t.Run(preset+"-"+x[0], func(t *testing.T) {
				assert.NoError(t, device.SetForms(x))
				c := assert.Must(zoo.Preset(preset))(t)
				small := sequencetest.Small(t, c, sequencetest.Keys{"width": 32, "embedding_std": 0.3})
				m := assert.Must(small.Open(device))(t)
				m.Initialise(3)
				adam := optim.NewAdam(optim.Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Clip: 1}, device, m.Params())
				fetch, loss := device.NewFetch(), make([]float32, 1)
				n, chosen := 0, x[0] != "" || preset != "mha-csp"
				tuner := NewTuner(device, 6, nil, func(_ tune.Record, used bool) { chosen = used })
				tuner.judge = func(float64) float64 { return 1e-3 * float64(1+n%2) } // any
				if chosen {
					tuner.Close() // and hears of the steps all the same
				}
				step := func() {
					tuner.Begin()
					device.Zero(m.Params().Grads())
					m.Gradients(batches[n%len(batches)])
					n++
					adam.Step(1e-3, m.Results().Slice(sequence.ResultLoss, 1), backend.Vec{})
					fetch.Start(m.Results().Slice(sequence.ResultLoss, 1))
					assert.NoError(t, fetch.Wait(loss))
					tuner.End(backend.StepTime{Tokens: 1, Longest: 1})
				}
				for !chosen {
					step()
				}
				for range 2 * len(batches) {
					step()
				}
				made := func() [3]int { return [3]int{int(device.lastID), device.groupsMade, len(device.pipelines)} }
				before := made()
				got := testing.AllocsPerRun(len(batches), step)
				most := 60.0 // the binding's, for two passes, four writes, a copy, a submission and a read-back
				if preset == "mha-csp-m" {
					most = 160 // four copies, each of which ends a pass
				}
				t.Logf("%.0f allocations in Go a step", got)
				assert.True(t, got <= most, "%.0f allocations in Go a step, at most %.0f are wanted", got, most)
				assert.Is(t, made(), before, "buffers, bind groups and pipelines made")
				apart := apartFromParts(device)
				known := batches
				batches = others
				for range others {
					step()
				}
				batches = known
				after, now := made(), apartFromParts(device)
				assert.True(t, after[0] == before[0] && now == apart && after[2] == before[2],
					"buffers, pipelines and kept bind groups: %d, %d, %d; after new batches %d, %d, %d",
					before[0], before[2], apart, after[0], after[2], now)
			})
		}
	}
}

// apartFromParts counts the bind groups but those that name the parts of weight gradients, of which there is one for
// each power of two of parts.
func apartFromParts(b *Backend) (n int) {
	parts := b.scratch["parts"]
	for key := range b.groups {
		if parts == nil || !slices.ContainsFunc(key.windows[:], func(w window) bool { return w.buffer == parts.id }) {
			n++
		}
	}
	return n
}
