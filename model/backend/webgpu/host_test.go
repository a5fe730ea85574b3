//go:build cgo && !js

package webgpu

import (
	"fmt"
	"testing"

	"mhacsp/tasks/assert"
)

// BenchmarkHost is what a training step costs the host, in the form that a GPU gets: samples, layout, dispatches,
// submission and read-back. The dispatches have no workgroups, so that the device has next to nothing to do, and all
// results are 0.
func BenchmarkHost(b *testing.B) {
	for _, batch := range []int{128, 1024} {
		b.Run(fmt.Sprint(batch), func(b *testing.B) {
			device := opened(b)
			device.options.idle = true
			t := trainer(b, device, "mha-csp", batchOf(batch))
			advance := func() {
				_, _, err := t.Advance()
				assert.NoError(b, err)
			}
			for range 20 { // until no buffer grows
				advance()
			}
			b.ReportAllocs()
			for b.Loop() {
				advance()
			}
		})
	}
}
