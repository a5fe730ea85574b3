//go:build cgo || js

package webgpu

import (
	"slices"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestAttended: the backward pass takes what the forward pass has left of its rows only where nothing that they are
// made of has changed since: otherwise it gives the same bits as without that forward pass.
func TestAttended(t *testing.T) {
	const rows, n, heads, size = 9, 4, 2, 128
	type call struct {
		seq backend.Sequences
		x   backend.Vec // State, Q, Rho, B, DO, O, DState, DQ, DRho, DB: that many numbers each
	}
	piece := func(c call, i int) backend.Vec {
		return backend.Vec{Buf: c.x.Buf, Off: i * size, Len: size}
	}
	attention := func(c call, tree backend.Tree) backend.Attention {
		return backend.Attention{Seq: c.seq, N: n, Heads: heads, Last: true, Tree: tree,
			State: piece(c, 0), Q: piece(c, 1), Rho: piece(c, 2), B: piece(c, 3)}
	}
	b := opened(t)
	// run makes a forward pass, or none, then changes what it read, and makes the backward pass.
	run := func(forward bool, change func(*Backend, call), tree backend.Tree) []float32 {
		x := make([]float32, 10*size)
		for i := range x[:5*size] {
			x[i] = float32(i%17)/17 - 0.4
		}
		buf := b.Floats(len(x))
		c := call{backend.Sequences{Start: b.Ints(2), End: b.Ints(2), Hi: 2, Rows: rows},
			backend.Vec{Buf: buf, Len: len(x)}}
		b.Upload(c.x, x)
		b.UploadInts(c.seq.Start, []int32{0, 4})
		b.UploadInts(c.seq.End, []int32{3, 8})
		if forward {
			usual := attention(c, backend.TreeLogSumExp)
			b.AttentionForward(backend.AttentionForward{Attention: usual, O: piece(c, 5)})
		}
		change(b, c)
		b.AttentionBackward(backend.AttentionBackward{Attention: attention(c, tree), DO: piece(c, 4),
			DState: piece(c, 6), DQ: piece(c, 7), DRho: piece(c, 8), DB: piece(c, 9)})
		got := make([]float32, 4*size)
		assert.NoError(t, b.Download(got, backend.Vec{Buf: buf, Off: 6 * size, Len: len(got)}))
		return got
	}
	for name, change := range map[string]func(*Backend, call){
		"nothing": func(*Backend, call) {},
		"Q":       func(b *Backend, c call) { b.Upload(piece(c, 1).Slice(5, 1), []float32{3}) },
		"Rho":     func(b *Backend, c call) { b.Upload(piece(c, 2).Slice(0, 1), []float32{3}) },
		"B":       func(b *Backend, c call) { b.Upload(piece(c, 3).Slice(1, 1), []float32{-2}) },
		"lengths": func(b *Backend, c call) { b.UploadInts(c.seq.End, []int32{2, 7}) },
	} {
		with, without := run(true, change, backend.TreeLogSumExp), run(false, change, backend.TreeLogSumExp)
		assert.True(t, slices.Equal(with, without),
			"%s changed: the backward pass differs from that without a forward pass", name)
	}
	nothing := func(*Backend, call) {}
	assert.True(t, slices.Equal(run(true, nothing, backend.TreeSum), run(false, nothing, backend.TreeSum)),
		"another tree: the backward pass differs from that without a forward pass")
}
