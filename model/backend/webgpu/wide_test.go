//go:build cgo || js

package webgpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// planned is a backend that plans what a GPU gets, whatever the adapter, and runs none of it. All that it dispatches
// must be within what WebGPU promises.
func planned(t *testing.T, turns int) *Backend {
	t.Helper()
	device, err := Open(Options{Software: true, Memory: -1, idle: true, turns: turns})
	if err != nil {
		open(t).Close() // skips where there is no adapter
		t.Fatal(err)
	}
	device.info.Software = false
	device.observe = func(p *pipeline, workgroups [3]int, _ on) {
		for _, n := range workgroups {
			assert.True(t, n <= groupsMost, "%s has %v workgroups", p.kernel.Name, workgroups)
		}
	}
	t.Cleanup(func() {
		for key := range device.groups {
			for _, w := range key.windows {
				assert.True(t, w.len <= windowMax/4, "%s sees %d numbers of a buffer", key.pipeline.kernel.Name, w.len)
			}
		}
		device.Close()
	})
	return device
}

// TestWide: a training step is planned within WebGPU's limits where the parts of weight gradients, 64 where the matrix
// is small, would need more than a kernel sees.
func TestWide(t *testing.T) {
	for preset, width := range map[string]int{"mha-csp": 512, "mha-csp-2": 260, "lstm": 256} {
		t.Run(fmt.Sprintf("%s-%d", preset, width), func(t *testing.T) {
			device := planned(t, 0)
			tr := trainer(t, device, preset, func(r *train.Run) {
				sequencetest.Small(t, r.Config, sequencetest.Keys{"width": width})
				r.Training.Batch = 128
			})
			for range 2 { // in the first memory grows
				assert.NoError(t, advance(tr))
			}
		})
	}
}

// TestManyParts: weight gradients of every shape, a head of many classes and few columns included, are cut into parts
// that fit; those of the presets' sizes into as many as their rows allow.
func TestManyParts(t *testing.T) {
	device := planned(t, 0)
	for _, x := range []struct{ m, n, k, parts int }{
		{2048, 528, 132, 64}, {4096, 1024, 256, 16}, {4096, 2048, 2048, 1}, {4096, 1000, 400, 16},
		{4096, 20000, 4, 16},
	} {
		groups := groupOf(x.n, tileRows)
		got := partsFor(x.m, x.n*(x.k+1), groups)
		assert.True(t, got == x.parts && got*groups <= groupsMost,
			"%d rows for %d by %d: %d parts, want %d", x.m, x.n, x.k, got, x.parts)
	}
	const m, n, k = 128, 30000, 1000 // one part is all that there is room for
	x, dy, dw := backend.All(device.Floats(m*k)), backend.All(device.Floats(m*n)), backend.All(device.Floats(n*k))
	for _, n := range []int{n, n / 8, n / 10, 600} { // sums of several wait together
		device.MatMulWeight(backend.MatMulWeight{DW: dw, DY: dy, X: x, M: m, N: n, K: k})
	}
	assert.NoError(t, device.Sync())
}

// TestLongAttention: the regions of work of a long sequence's rows are bounded whatever the number of heads.
func TestLongAttention(t *testing.T) {
	device := planned(t, 0)
	const steps, n, heads = 20000, 16, 16
	numbers := func() backend.Vec { return backend.All(device.Floats(2 * (steps + 1) * n)) }
	seq := backend.Sequences{Start: device.Ints(1), End: device.Ints(1), Hi: 1, Rows: steps + 1}
	device.UploadInts(seq.End, []int32{steps})
	a := backend.Attention{Seq: seq, N: n, Heads: heads, State: numbers(), Q: numbers(),
		Rho: backend.All(device.Floats(heads)), B: backend.All(device.Floats(heads * heads))}
	device.AttentionForward(backend.AttentionForward{Attention: a, O: numbers()})
	device.AttentionBackward(backend.AttentionBackward{Attention: a, DO: numbers(), DState: numbers(), DQ: numbers(),
		DRho: backend.All(device.Floats(heads)), DB: backend.All(device.Floats(heads * heads))})
	assert.NoError(t, device.Sync())
	got := device.scratch["attention"].n
	assert.True(t, got <= 2*partMost, "%d numbers for the work of rows", got)
}

// TestCrowded: where a dispatch has more workgroups than a GPU works on at a time, each has fewer turns: time loops
// and rows of attention are cut the sooner, the more sequences there are.
func TestCrowded(t *testing.T) {
	const n, steps, turns = 8, 8, 320
	dispatches := func(sequences int) (list [3]int) {
		device := planned(t, turns)
		rows := sequences * (steps + 1)
		numbers := func(width int) backend.Vec { return backend.All(device.Floats(rows * width)) }
		index := func(n, each, from int) backend.Index {
			list := make([]int32, n)
			for i := range list {
				list[i] = int32(i*each + from)
			}
			x := device.Ints(n)
			device.UploadInts(x, list)
			return x
		}
		at, seq := index(rows, 1, 0), backend.Sequences{Start: index(sequences, steps+1, 0),
			End: index(sequences, steps+1, steps), Hi: sequences, Rows: rows}
		device.LSTMForward(backend.LSTMForward{LSTMCell: backend.LSTMCell{Seq: seq, At: at, N: n, M: rows,
			Pre: numbers(4 * n), W: numbers(4 * n), State: numbers(n), Memory: numbers(n), Gates: numbers(4 * n)}})
		device.AttentionForward(backend.AttentionForward{Attention: backend.Attention{Seq: seq, N: n, Heads: 1,
			State: numbers(2 * n), Q: numbers(2 * n), Rho: numbers(1), B: numbers(1)}, O: numbers(2 * n)})
		device.RecurrenceForward(backend.RecurrenceForward{Cell: backend.Cell{Seq: seq, At: at, N: n, Turn: n, M: rows,
			In: numbers(2 * n), DeltaU: numbers(n), Rot: numbers(2 * n), WDelta: numbers(2 * n),
			State: numbers(2 * n), Alpha: numbers(n), Inv: numbers(n)}})
		assert.NoError(t, device.Sync())
		for i, kernel := range []string{"lstm_forward", "attention_forward", loopKernel} {
			list[i] = device.dispatched[kernel]
		}
		return list
	}
	for sequences, want := range map[int][3]int{200: {1, 1, 1}, 2000: {8, 8, 2}} {
		assert.Is(t, dispatches(sequences), want, "dispatches of LSTM, attention and recurrence for %d sequences",
			sequences)
	}
}

// TestManyRows: a product of more rows than workgroups along a dimension can take is refused, with what helps.
func TestManyRows(t *testing.T) {
	device := opened(t)
	const m, k = tileRows*groupsMost + 1, 4
	y, x, w := backend.All(device.Floats(m)), backend.All(device.Floats(m*k)), backend.All(device.Floats(k))
	device.MatMul(backend.MatMul{Y: y, X: x, W: w, M: m, N: 1, K: k})
	err := device.Sync()
	assert.True(t, errors.Is(err, backend.ErrOutOfMemory) && strings.Contains(err.Error(), "use a smaller batch"),
		"error %v", err)
}
