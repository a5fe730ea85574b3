//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// TestShortLoops holds the contract where loops are cut into far more dispatches than the test's shapes need: every
// path that long sequences take on a software adapter.
func TestShortLoops(t *testing.T) {
	b := open(t)
	software := b.Info().Software
	b.Close()
	if !software {
		t.Skip("only software adapters bound the turns of a loop")
	}
	for _, x := range []struct {
		turns   int
		kernels []string
	}{
		{6000, []string{
			"AttentionForward", "AttentionBackward", "AttentionMatrices", "RecurrenceForward", "RecurrenceBackward",
		}},
		{50, []string{
			"SlotsForward", "SlotsBackward", "TurnBackward", "RecallBackward", "RowSum", "ConvForward", "ConvBackward",
			"DeltaForward", "DeltaBackward",
		}},
		{7000, []string{"LSTMForward", "LSTMBackward", "GRUForward", "GRUBackward"}},
	} {
		b, err := Open(Options{Software: true, turns: x.turns})
		if err != nil {
			t.Fatal(err)
		}
		backendtest.RunOnly(t, b, x.kernels...)
	}
}

// TestCutOnGPU: where loops are cut as a GPU's are on long sequences, lest the system takes the device away, a step of
// training has the same bits, from more dispatches. (The delta rule then adds its rates up in another order:
// TestShortLoops.)
func TestCutOnGPU(t *testing.T) {
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
				device := hard(t)
				defer device.Close()
				device.info.Software, device.options.turns = false, turns
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
