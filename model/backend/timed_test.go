package backend_test

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

// TestTimed: calls are counted, timed and passed on; the recurrence's operations are those of the covered steps.
func TestTimed(t *testing.T) {
	b := backend.NewTimed(reference.New[float64]())
	const n, rows = 2, 9
	ints := func(x ...int32) backend.Index {
		i := b.Ints(len(x))
		b.UploadInts(i, x)
		return i
	}
	floats := func(size int) backend.Vec { return backend.All(b.Floats(size)) }
	a := backend.RecurrenceForward{Cell: backend.Cell{
		Seq: backend.Sequences{Start: ints(0, 4), End: ints(3, 8), Lo: 0, Hi: 2, Rows: rows}, // 3 and 4 steps
		At:  ints(0, 0, 0, -1, 0, 0, 0, 0, -1), N: n, Turn: n, M: 1, In: floats(2 * n), DeltaU: floats(n),
		Rot: floats(2 * n), WDelta: floats(2 * n * n), Normalise: true, Eps: 1e-8,
		State: floats(2 * n * rows), Alpha: floats(n * rows), Inv: floats(n * rows),
	}}
	b.RecurrenceForward(a)
	a.Seq.Lo = 1
	b.RecurrenceForward(a)
	b.MatMul(backend.MatMul{Y: floats(6), X: floats(8), W: floats(12), M: 2, K: 4, N: 3})
	want := map[string][2]float64{"RecurrenceForward": {2, (7 + 4) * 2 * n * 2 * n}, "MatMul": {1, 2 * 2 * 4 * 3}}
	list := b.Kernels()
	assert.Need(t, len(list) == len(want), "%d kernels were measured, %d ran", len(list), len(want))
	for _, k := range list {
		assert.Is(t, [2]float64{float64(k.Calls), k.Flops}, want[k.Name], "%s: calls and operations", k.Name)
		assert.True(t, k.Seconds > 0, "%s: %v s", k.Name, k.Seconds)
	}
	b.Reset()
	assert.True(t, len(b.Kernels()) == 0, "Reset forgets nothing")
}
