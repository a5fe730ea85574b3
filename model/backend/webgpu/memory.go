//go:build cgo || js

package webgpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
)

const (
	storageUsage  = wgpu.BufferUsageStorage | wgpu.BufferUsageCopySrc | wgpu.BufferUsageCopyDst
	readbackUsage = wgpu.BufferUsageMapRead | wgpu.BufferUsageCopyDst
)

// memory is a device buffer of 4-byte numbers. buf is nil where the device could not hold it; b.err then says so, and
// nothing that would touch it runs.
type memory struct {
	b    *Backend
	id   uint64
	n    int
	buf  *wgpu.Buffer
	used uint64 // the last epoch that reads or writes it

	version uint64 // grows whenever something may write to it
}

// stamp tells the contents of a window from what it held at another time and from those of other windows.
type stamp struct {
	id, version uint64
	off         int
}

func (b *Backend) stamp(v backend.Vec) stamp {
	if !v.Given() {
		return stamp{}
	}
	b.before(v)
	m := b.memoryOf(v)
	return stamp{m.id, m.version, v.Off}
}

func (m *memory) Len() int { return m.n }

// Release frees the buffer, if there is one, once what was recorded has been submitted.
func (m *memory) Release() {
	switch {
	case m == nil || m.buf == nil:
	case m.used == m.b.epoch:
		m.b.dying = append(m.b.dying, m)
	default:
		m.destroy()
	}
}

func (m *memory) destroy() {
	if m.buf == nil {
		return
	}
	m.b.dev.settle()
	m.b.forget(m.id)
	m.buf.Destroy()
	m.buf.Release()
	m.buf = nil
	m.b.bytes -= 4 * int64(m.n)
}

func (b *Backend) allocate(n int, usage wgpu.BufferUsage) *memory {
	b.lastID++
	m := &memory{b: b, id: b.lastID, n: n}
	bytes := 4 * int64(n)
	switch {
	case b.err != nil:
		return m
	case bytes > bufferMax:
		b.fail("memory", fmt.Errorf("%w: a buffer of %d bytes was asked for, one may have %d on adapter %q; use a "+
			"smaller batch or shorter sequences", backend.ErrOutOfMemory, bytes, bufferMax, b.info.Adapter))
		return m
	case b.options.Memory > 0 && b.bytes+bytes > b.options.Memory:
		b.fail("memory", fmt.Errorf("%w: %d bytes are in use on adapter %q, %d more were asked for, the bound is %d; "+
			"use a smaller batch or a higher bound",
			backend.ErrOutOfMemory, b.bytes, b.info.Adapter, bytes, b.options.Memory))
		return m
	}
	err := b.dev.scoped(func() (err error) {
		m.buf, err = b.dev.CreateBuffer(&wgpu.BufferDescriptor{Usage: usage, Size: max(4, uint64(bytes))})
		return err
	})
	if err != nil {
		m.buf = nil
		why := b.sorted(err)
		if !errors.Is(why, backend.ErrDeviceLost) { // one that is lost refuses buffers too
			why = fmt.Errorf("%w: adapter %q refuses a buffer of %d bytes with %d in use: %s", backend.ErrOutOfMemory,
				b.info.Adapter, bytes, b.bytes, strings.Join(strings.Fields(err.Error()), " "))
		}
		b.fail("memory", why)
		return m
	}
	b.bytes += bytes
	b.most = max(b.most, b.bytes)
	return m
}

// temporary is scratch memory of at least n elements that keeps its contents within one call only.
func (b *Backend) temporary(name string, n int) backend.Vec {
	m := b.scratch[name]
	if m == nil || m.n < n || m.buf == nil {
		m.Release()
		m = b.allocate(n+n/4, storageUsage)
		b.scratch[name] = m
	}
	return backend.Vec{Buf: m, Len: n}
}

// Allocated counts the bytes of all buffers, at present and at most.
func (b *Backend) Allocated() (now, most int64) { return b.bytes, b.most }

// Floats allocates n zeros.
func (b *Backend) Floats(n int) backend.Buffer { return b.allocate(n, storageUsage) }

func (b *Backend) memoryOf(v backend.Vec) *memory {
	m, ok := v.Buf.(*memory)
	if !ok || m.b != b {
		panic("backend: buffer of another backend")
	}
	return m
}

// Upload copies host numbers in.
func (b *Backend) Upload(dst backend.Vec, src []float32) {
	if len(src) > dst.Len {
		panic("backend: Upload of more elements than the window holds")
	}
	m := b.memoryOf(dst)
	if len(src) == 0 || b.err != nil {
		return
	}
	if m.used == b.epoch {
		b.submit()
	}
	m.version++
	b.bytesOut = b.bytesOut[:0]
	for _, x := range src {
		b.bytesOut = binary.LittleEndian.AppendUint32(b.bytesOut, math.Float32bits(x))
	}
	b.fail("upload", b.dev.write(b.queue, m.buf, 4*uint64(dst.Off), b.bytesOut))
}

// Download waits for all that was enqueued and copies numbers out.
func (b *Backend) Download(dst []float32, src backend.Vec) error {
	if len(dst) > src.Len {
		panic("backend: Download of more elements than the window holds")
	}
	m := b.memoryOf(src)
	if b.err != nil || len(dst) == 0 {
		return b.Sync()
	}
	b.readback = b.stage(b.readback, len(dst))
	b.copyBuffer(b.readback, 0, m, src.Off, len(dst))
	b.submit()
	return b.mapped(b.readback, dst)
}

// copyBuffer records a copy of n elements between two buffers.
func (b *Backend) copyBuffer(dst *memory, to int, src *memory, from, n int) {
	b.before(backend.Vec{Buf: dst, Off: to, Len: n})
	b.before(backend.Vec{Buf: src, Off: from, Len: n})
	if b.err != nil {
		return
	}
	dst.used, src.used = b.epoch, b.epoch
	dst.version++
	b.dispatched[copies]++
	b.put(command{dst: dst, src: src, to: to, from: from, n: n})
}

// Copy copies src over the start of dst.
func (b *Backend) Copy(dst, src backend.Vec) {
	n := min(dst.Len, src.Len)
	d, s := b.memoryOf(dst), b.memoryOf(src)
	if n == 0 || b.err != nil {
		return
	}
	if d != s {
		b.copyBuffer(d, dst.Off, s, src.Off, n)
		return
	}
	// WebGPU does not copy within a buffer.
	t := b.temporary("copy", n)
	b.copyBuffer(b.memoryOf(t), 0, s, src.Off, n)
	b.copyBuffer(d, dst.Off, b.memoryOf(t), 0, n)
}

// Zero clears a window.
func (b *Backend) Zero(v backend.Vec) {
	if v.Len == 0 || b.err != nil || b.clear(v) {
		return
	}
	first := v.Off % backend.Align
	window := backend.Vec{Buf: v.Buf, Off: v.Off - first, Len: v.Len + first}
	n, wide := quads(v.Len, first)
	if wide {
		first /= 4
	}
	b.elements("zero", wide, n, args{{"first", first}, {"n", n}}, on{{"x", window}})
}
