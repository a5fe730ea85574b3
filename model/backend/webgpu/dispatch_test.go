//go:build cgo || js

package webgpu

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// TestDispatches counts the dispatches and copies of a whole training step: few, since each costs a GPU microseconds
// in which it does nothing.
func TestDispatches(t *testing.T) {
	device := planned(t, 0)
	for _, x := range []struct {
		preset           string
		dispatches, most int // what is wanted of dispatches, and of copies
	}{{"mha-csp", 38, 1}, {"mha-csp-s", 39, 1}, {"csp", 28, 1},
		// A time loop is one dispatch for each layer and direction. The GRU's width is no multiple of four: its
		// products get padded copies.
		{"lstm", 28, 1}, {"gru", 84, 1}, {"gdn", 123, 1},
		// Not tuned: the drive's weights lie in two buffers and are put together, and its rows are split by copies.
		{"mha-csp-m", 88, 4},
	} {
		t.Run(x.preset, func(t *testing.T) {
			tr := trainer(t, device, x.preset, batchOf(32))
			var before map[string]int
			for range 2 { // in the first memory grows
				before = maps.Clone(device.dispatched)
				assert.NoError(t, advance(tr))
			}
			total := 0
			var list []string
			for kernel, n := range device.dispatched {
				if n -= before[kernel]; n > 0 && kernel != copies {
					total += n
					list = append(list, fmt.Sprintf("%s %d", kernel, n))
				}
			}
			slices.Sort(list)
			copied := device.dispatched[copies] - before[copies]
			t.Logf("%d dispatches: %v; %d copies", total, list, copied)
			assert.True(t, total <= x.dispatches && copied <= x.most,
				"%d dispatches and %d copies a training step, at most %d and %d are wanted",
				total, copied, x.dispatches, x.most)
		})
	}
}
