//go:build cgo || js

package webgpu

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestGateShared: invocations share the rows over which a gate's gradient is summed, for one that goes over all of
// them waits for each; and a long loop over them is cut.
func TestGateShared(t *testing.T) {
	const rows, n = 300, 12
	gradient := func(b *Backend) (calls, sharers int) {
		defer b.Close()
		b.observe = func(p *pipeline, _ [3]int, _ on) {
			if p.key.kernel == "output_gate" {
				calls++
				sharers = p.kernel.Workgroup[0] / gatherColumns
			}
		}
		floats := func(n int) backend.Vec { return backend.All(b.Floats(n)) }
		row := b.Ints(rows)
		b.UploadInts(row, make([]int32, rows))
		b.OutputBackward(backend.OutputBackward{DZ: floats(2 * rows * n), DH: floats(2 * rows * n), DGate: floats(n),
			DY: floats(2 * rows * n), Y: floats(2 * rows * n), Inv: floats(rows * n), ZRow: row,
			H: floats(2 * rows * n), HRow: row, Gate: floats(n), P: rows, N: n})
		assert.NoError(t, b.Sync())
		return calls, sharers
	}
	calls, sharers := gradient(open(t))
	assert.True(t, calls == 1 && sharers >= 2, "%d calls, and %d invocations share the rows of a unit", calls, sharers)
	b := open(t)
	b.options.turns = 100
	calls, _ = gradient(b)
	assert.Is(t, calls, 3, "calls for %d rows by 100", rows)
}
