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
)

// quiet is a backend to which numbers are not brought, where they do not count.
type quiet struct{ *Backend }

func (quiet) Upload(backend.Vec, []float32) {}

// TestShortLoops holds the contract where loops are cut into far more dispatches than the test's shapes need: every
// path that long sequences take on a software adapter. With each bound of an invocation's turns those cases are run
// that it makes take another path, and which the adapter does not refuse: what a case dispatches tells.
func TestShortLoops(t *testing.T) {
	b := open(t).(*Backend)
	defer b.Close()
	if !b.info.Software {
		t.Skip("only software adapters bound the turns of a loop")
	}
	var log []string
	shared := false
	b.observe = func(p *pipeline, workgroups [3]int, _ on) {
		log = append(log, fmt.Sprint(p.key.kernel, workgroups))
		shared = shared || !b.options.Idle && p.key.kernel == "attention_backward" && workgroups[2] > 1
	}
	plan := func(turns int, calls func(backend.Backend) error) (list []string) {
		log = nil
		b.options.Idle, b.options.turns = true, turns
		err := calls(quiet{b})
		b.options.Idle = false
		if b.err != nil {
			b.err = nil // the bound's: a loop that cannot be cut
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return log
	}
	uncut, known := map[string][]string{}, map[string]bool{} // of each case, and what was run of it or need not be
	for _, turns := range []int{50, 1000, 7000} {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			cases := 0
			backendtest.RunWhere(t, contract(), b, func(name string, calls func(backend.Backend) error) bool {
				if known[name] {
					return false
				}
				if uncut[name] == nil {
					uncut[name] = plan(0, calls)
				}
				cut := plan(turns, calls)
				if slices.Equal(cut, uncut[name]) {
					known[name] = true // with more turns neither
					return false
				}
				if cut == nil {
					return false
				}
				slices.Sort(cut)
				path := fmt.Sprint(name, slices.Compact(cut)) // however many pieces of a loop there are
				if known[path] {
					return false
				}
				known[path] = true
				cases++
				return true
			})
			t.Logf("%d cases", cases)
			if cases == 0 {
				t.Error("nothing is cut")
			}
		})
	}
	if !shared {
		t.Error("no workgroups share a row of the attention")
	}
}

// TestCutOnGPU: where loops are cut as a GPU's are on long sequences, lest the system takes the device away, a step of
// training has the same bits, from more dispatches. (The delta rule then adds its rates up in another order:
// TestShortLoops.)
func TestCutOnGPU(t *testing.T) {
	device := hard(t)
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
