//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// quiet is a backend to which numbers are not brought, where they do not count.
type quiet struct{ *Backend }

func (quiet) Upload(backend.Vec, []float32) {}

// TestShortLoops holds the contract where loops are cut into far more dispatches than the test's shapes need: every
// path that long sequences take. Of every fifth case those are run that are cut: what a case dispatches tells.
func TestShortLoops(t *testing.T) {
	b := opened(t)
	b.info.Software = false // such adapters refuse long loops
	var log []string
	b.observe = func(p *pipeline, workgroups [3]int, _ on) {
		log = append(log, fmt.Sprint(p.key.kernel, workgroups))
	}
	plan := func(turns int, calls func(backend.Backend) error) []string {
		log = nil
		b.options.idle, b.options.turns = true, turns
		err := calls(quiet{b})
		b.options.idle = false
		assert.NoError(t, err)
		return log
	}
	count := 0
	backendtest.RunWhere(t, contract().Every(5), b, func(calls func(backend.Backend) error) bool {
		if slices.Equal(plan(0, calls), plan(50, calls)) {
			return false
		}
		count++
		return true
	})
	t.Logf("%d cases", count)
	assert.True(t, count != 0, "nothing is cut")
}

// TestCutOnGPU: where loops are cut as a GPU's are on long sequences, lest the system takes the device away, a step of
// training has the same bits, from more dispatches. (The delta rule then adds its rates up in another order:
// TestShortLoops.)
func TestCutOnGPU(t *testing.T) {
	device := opened(t)
	device.info.Software = false
	for _, preset := range []string{"mha-csp", "lstm"} {
		t.Run(preset, func(t *testing.T) {
			keys := sequencetest.Keys{"supervision": "prefix"}
			if preset != "mha-csp" {
				keys = sequencetest.Keys{}
			}
			c := sequencetest.Small(t, assert.Must(zoo.Preset(preset))(t), keys)
			made := func(turns int) (bits string, dispatches int) {
				device.options.turns = turns
				clear(device.dispatched)
				loss, grad, values := step(t, device, c, arithmetic(t, 0, 7))
				for _, n := range device.dispatched {
					dispatches += n
				}
				return bitsOf([]float32{loss}, grad, values), dispatches
			}
			want, few := made(0)
			got, many := made(200)
			assert.True(t, got == want && many > few,
				"bits %s from %d dispatches, uncut %s from %d", got, many, want, few)
		})
	}
}
