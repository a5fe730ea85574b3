//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend/backendtest"
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
