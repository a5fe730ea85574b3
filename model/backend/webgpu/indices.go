//go:build cgo || js

package webgpu

import (
	"encoding/binary"
	"slices"

	"mhacsp/model/backend"
)

// heap is the index memory: one device buffer with blocks handed out first-fit. What is uploaded waits on the host for
// the next submission, so that all of a step's indices are one write.
type heap struct {
	memory     *memory
	blocks     []*indices // by offset
	host       []byte     // what the buffer is to hold
	first, end int        // the part of it that is newer than the buffer, in elements
}

// indices is a block of the heap.
type indices struct {
	b      *Backend
	off, n int
	used   uint64
	gone   bool
	host   []int32 // what the block holds: indices are written by uploads alone

	version uint64 // grows with each of them
}

// firstHeap is how many elements the heap begins with.
const firstHeap = 1 << 16

// write brings the device's buffer up to date.
func (h *heap) write(b *Backend) {
	if h.first < h.end {
		b.fail("upload", b.dev.write(b.queue, h.memory.buf, 4*uint64(h.first), h.host[4*h.first:4*h.end]))
		h.first, h.end = 0, 0
	}
}

func (h *heap) renew(first, end int) {
	if h.first < h.end {
		first, end = min(first, h.first), max(end, h.end)
	}
	h.first, h.end = first, end
}

func (x *indices) Len() int { return x.n }

// busy reports whether a recorded call may read the block.
func (x *indices) busy() bool { return x.used == x.b.epoch || x.b.carried == x.b.epoch }

// Release returns the block; calls that were recorded before still read it, so it is reused after the submission.
func (x *indices) Release() {
	if x.gone {
		return
	}
	x.gone = true
	if x.busy() {
		x.b.submit()
	}
	h := &x.b.ints
	at := slices.Index(h.blocks, x)
	h.blocks = slices.Delete(h.blocks, at, at+1)
}

// Ints allocates n zeros.
func (b *Backend) Ints(n int) backend.Index {
	x := &indices{b: b, n: n, host: make([]int32, n)}
	h, at := &b.ints, 0
	for at < len(h.blocks) && x.off+n > h.blocks[at].off {
		x.off = h.blocks[at].off + h.blocks[at].n
		at++
	}
	h.blocks = slices.Insert(h.blocks, at, x)
	if need := x.off + n; need > h.memory.n {
		b.submit()
		old := h.memory
		h.memory = b.allocate(max(2*old.n, need), storageUsage)
		h.host = append(h.host, make([]byte, 4*(h.memory.n-old.n))...)
		h.renew(0, old.n)
		old.Release()
	}
	b.writeInts(x, x.host)
	return x
}

func (b *Backend) writeInts(x *indices, src []int32) {
	if len(src) == 0 || b.err != nil {
		return
	}
	if x.busy() {
		b.submit()
	}
	h := &b.ints
	for i, v := range src {
		binary.LittleEndian.PutUint32(h.host[4*(x.off+i):], uint32(v))
	}
	h.renew(x.off, x.off+len(src))
}

// UploadInts copies host numbers in.
func (b *Backend) UploadInts(dst backend.Index, src []int32) {
	if len(src) > dst.Len() {
		panic("backend: UploadInts of more elements than the buffer holds")
	}
	x := b.indicesOf(dst)
	copy(x.host, src)
	x.version++
	b.writeInts(x, src)
}

func (b *Backend) indicesOf(x backend.Index) *indices {
	i, ok := x.(*indices)
	if !ok || i.b != b {
		panic("backend: index of another backend")
	}
	return i
}

// place is where an index lies in the heap, for a call that is about to be recorded; 0 for an index not given.
func (b *Backend) place(x backend.Index) int {
	if x == nil {
		return 0
	}
	i := b.indicesOf(x)
	i.used = b.epoch
	return i.off
}

// longest is the greatest number of steps among the covered sequences.
func (b *Backend) longest(seq backend.Sequences) (most int) {
	start, end := b.indicesOf(seq.Start).host, b.indicesOf(seq.End).host
	for s := seq.Lo; s < seq.Hi; s++ {
		most = max(most, int(end[s]-start[s]))
	}
	return most
}
