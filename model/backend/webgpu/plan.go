//go:build cgo || js

package webgpu

import (
	"slices"

	"mhacsp/model/backend"
)

// plan is host memory in which the recurrence's calls lay out what they do in which order; it is kept from call to
// call.
type plan struct {
	rows, next []int32
}

func zeroed(x []int32, n int) []int32 {
	x = slices.Grow(x[:0], n)[:n]
	clear(x)
	return x
}

// list is an index of the backend's own that holds x at its start. Lists are kept for the next call with the same
// contents, which in a training step is the backward pass; then the oldest that has room gives way.
func (b *Backend) list(x []int32) backend.Index {
	const kept = 6
	room := -1
	for i, l := range b.lists {
		own := b.indicesOf(l)
		if own.n < len(x) {
			continue
		}
		if slices.Equal(own.host[:len(x)], x) {
			return l
		}
		if room < 0 && !own.busy() { // one in use would end the submission
			room = i
		}
	}
	var l backend.Index
	switch {
	case len(b.lists) < kept:
		l = b.Ints(len(x) + len(x)/4)
	case room >= 0:
		l = b.lists[room]
		b.lists = slices.Delete(b.lists, room, room+1)
	default:
		b.lists[0].Release()
		b.lists = slices.Delete(b.lists, 0, 1)
		l = b.Ints(len(x) + len(x)/4)
	}
	b.UploadInts(l, x)
	b.lists = append(b.lists, l)
	return l
}
