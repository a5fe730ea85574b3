//go:build cgo || js

package webgpu

import (
	"slices"

	"mhacsp/model/backend"
)

// Gradients of tables are sums over the rows that read one entry. What lists such rows, and the kernels that import
// shared/slices.wgsl and shared/gather.wgsl, are here.

// gatherColumns is the columns, or quads of them, that a workgroup of shared/slices.wgsl owns.
const gatherColumns = 8

// listing is where lists lie in the index memory, one after another from items on: where each begins is at first.
type listing struct{ first, items, lists, longest int }

// gathered runs a kernel that imports shared/gather.wgsl; row is its p.row.
func (b *Backend) gathered(kernel string, wide bool, columns int, l listing, row int, bind on) {
	key, rows := pipelineKey{kernel: kernel, quads: wide}, min(widest, l.lists)
	most := b.stepsPerCall(l.longest, groupOf(l.lists, rows), 1) // few lists are long, and a GPU's slices share one
	for skip := 0; skip < l.longest; skip += most {
		b.formed(key, groupOf(columns, gatherColumns), rows, 1, args{
			{"first", l.first}, {"items", l.items}, {"row", row}, {"lists", l.lists}, {"columns", columns},
			{"skip", skip}, {"most", most},
		}, bind)
	}
}

// byRow lists the covered steps by the row that they read, and then in order: at tells which of m rows it is.
func (b *Backend) byRow(seq backend.Sequences, at backend.Index, m int) listing {
	start, end := b.indicesOf(seq.Start).host, b.indicesOf(seq.End).host
	return b.listed(start[seq.Lo:seq.Hi], end[seq.Lo:seq.Hi], b.indicesOf(at).host, m)
}

// byToken lists 0 … p−1 by their token, of v, but for those of token −1.
func (b *Backend) byToken(token backend.Index, p, v int) listing {
	return b.listed([]int32{0}, []int32{int32(p)}, b.indicesOf(token).host, v)
}

// listed places lists 0 … m−1 in the index memory: i with start[s] ≤ i < end[s] goes to list of[i], in order, or
// to none where that is −1.
func (b *Backend) listed(start, end, of []int32, m int) listing {
	p := &b.plan
	first := slices.Grow(p.rows[:0], m+1)[:m+1] // of each list; before that how many items the list before it has
	clear(first)
	longest := int32(0)
	for s := range start {
		for _, l := range of[start[s]:end[s]] {
			if l >= 0 {
				first[l+1]++
				longest = max(longest, first[l+1])
			}
		}
	}
	for l := range m {
		first[l+1] += first[l]
	}
	p.next = append(p.next[:0], first[:m]...)
	p.rows = slices.Grow(first, int(first[m]))[:m+1+int(first[m])]
	items := p.rows[m+1:]
	for s := range start {
		for i := start[s]; i < end[s]; i++ {
			if l := of[i]; l >= 0 {
				items[p.next[l]] = i
				p.next[l]++
			}
		}
	}
	place := b.place(b.list(p.rows))
	return listing{place, place + m + 1, m, int(longest)}
}

// plan is host memory, kept from call to call, in which calls lay out what they do in which order.
type plan struct {
	rows, next []int32
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
