//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// quiet is a backend to which numbers are not brought, where they do not count.
type quiet struct{ *Backend }

func (quiet) Upload(backend.Vec, []float32) {}

// TestShortLoops holds the contract where loops are cut into far more dispatches than the test's shapes need: every
// path that long sequences take. Of every fifth case of a kernel those are run that come to other pipelines, or
// to one piece of a loop, two or more, of one workgroup or more: what a case dispatches tells.
func TestShortLoops(t *testing.T) {
	b := open(t).(*Backend)
	defer b.Close()
	b.info.Software = false // such adapters refuse long loops
	var log []string
	pieces := map[string]int{} // of each pipeline
	b.observe = func(p *pipeline, workgroups [3]int, _ on) {
		log = append(log, fmt.Sprint(p.key.kernel, workgroups))
		pieces[fmt.Sprint(p.key, workgroups[0] > 1, workgroups[1] > 1)]++
	}
	plan := func(turns int, calls func(backend.Backend) error) []string {
		log = nil
		clear(pieces)
		b.options.Idle, b.options.turns = true, turns
		err := calls(quiet{b})
		b.options.Idle = false
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	known := map[string]bool{} // what was run
	backendtest.RunWhere(t, contract().Every(5), b, func(name string, calls func(backend.Backend) error) bool {
		uncut := plan(0, calls)
		cut := plan(50, calls)
		if slices.Equal(cut, uncut) {
			return false
		}
		for pipeline, n := range pieces {
			pieces[pipeline] = min(n, 3)
		}
		kernel, _, _ := strings.Cut(name, "/")
		path := fmt.Sprint(kernel, pieces)
		fresh := !known[path]
		known[path] = true
		return fresh
	})
	t.Logf("%d cases", len(known))
	if len(known) == 0 {
		t.Error("nothing is cut")
	}
}

// TestCutOnGPU: where loops are cut as a GPU's are on long sequences, lest the system takes the device away, a step of
// training has the same bits, from more dispatches. (The delta rule then adds its rates up in another order:
// TestShortLoops.)
func TestCutOnGPU(t *testing.T) {
	device := open(t).(*Backend)
	defer device.Close()
	device.info.Software = false
	for _, preset := range []string{"mha-csp", "lstm"} {
		t.Run(preset, func(t *testing.T) {
			p, err := zoo.Preset(preset)
			if err != nil {
				t.Fatal(err)
			}
			keys := sequencetest.Keys{"supervision": "prefix"}
			if preset != "mha-csp" {
				keys = sequencetest.Keys{}
			}
			c := sequencetest.Small(t, p, keys)
			made := func(turns int) (bits string, dispatches int) {
				device.options.turns = turns
				clear(device.dispatched)
				loss, grad, values := step(t, device, c, arithmetic(t, 7))
				for _, n := range device.dispatched {
					dispatches += n
				}
				return bitsOf([]float32{loss}, grad, values), dispatches
			}
			want, few := made(0)
			if got, many := made(200); got != want || many <= few {
				t.Errorf("bits %s from %d dispatches, uncut %s from %d", got, many, want, few)
			}
		})
	}
}
