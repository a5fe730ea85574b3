package backend_test

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
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
		Rot:    floats(2 * n),
		WDelta: floats(2 * n * n), Normalise: true, Eps: 1e-8,
		State: floats(2 * n * rows), Alpha: floats(n * rows), Inv: floats(n * rows),
	}}
	b.RecurrenceForward(a)
	a.Seq.Lo = 1
	b.RecurrenceForward(a)
	b.MatMul(backend.MatMul{Y: floats(6), X: floats(8), W: floats(12), M: 2, K: 4, N: 3})
	want := map[string][2]float64{"RecurrenceForward": {2, (7 + 4) * 2 * n * 2 * n}, "MatMul": {1, 2 * 2 * 4 * 3}}
	list := b.Kernels()
	if len(list) != len(want) {
		t.Fatalf("%d kernels were measured, %d ran", len(list), len(want))
	}
	for _, k := range list {
		if w := want[k.Name]; float64(k.Calls) != w[0] || k.Flops != w[1] || k.Seconds <= 0 {
			t.Errorf("%s: %d calls, %v operations, %v s; want %v calls, %v operations", k.Name, k.Calls, k.Flops,
				k.Seconds, w[0], w[1])
		}
	}
	if b.Reset(); len(b.Kernels()) != 0 {
		t.Error("Reset forgets nothing")
	}
}
