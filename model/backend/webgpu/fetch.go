//go:build cgo || js

package webgpu

import (
	"encoding/binary"
	"math"

	"mhacsp/model/backend"
)

// fetch is a backend.Fetch through a mapped buffer of its own.
type fetch struct {
	b       *Backend
	staging *memory
	n       int
}

// NewFetch brings numbers to the host while the device computes on.
func (b *Backend) NewFetch() backend.Fetch { return &fetch{b: b} }

// Start enqueues a copy and submits all that was recorded.
func (f *fetch) Start(src backend.Vec) {
	b, m := f.b, f.b.memoryOf(src)
	f.n = src.Len
	f.staging = b.stage(f.staging, src.Len)
	if src.Len > 0 {
		b.copyBuffer(f.staging, 0, m, src.Off, src.Len)
	}
	b.submit()
}

// Wait maps the copy; what was submitted behind it goes on.
func (f *fetch) Wait(dst []float32) error {
	if len(dst) > f.n {
		panic("backend: Fetch.Wait for more elements than Start was given")
	}
	return f.b.mapped(f.staging, dst)
}

// Release frees the host's buffer.
func (f *fetch) Release() {
	f.staging.Release()
	f.staging = nil
}

// stage returns a buffer that the host can map, of n elements at least: m if that is enough.
func (b *Backend) stage(m *memory, n int) *memory {
	if m != nil && m.n >= n && m.buf != nil {
		return m
	}
	m.Release()
	return b.allocate(max(n+n/4, 1024), readbackUsage)
}

// mapped copies the first numbers of a staging buffer to dst once they are there.
func (b *Backend) mapped(staging *memory, dst []float32) error {
	if b.check() != nil || len(dst) == 0 {
		return b.err
	}
	b.fail("read-back", b.dev.mapped(staging.buf, 4*len(dst), func(data []byte) {
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	}))
	return b.check()
}
