// Package layer holds layers, each with a hand-written forward and backward pass over a backend: Linear for every
// family, those over CSP for MHA-CSP, those over Baseline for the families other than it (SPEC §13). A layer knows the
// names of its parameters and owns the buffers that its backward pass reads again; buffers grow to the largest batch
// seen and are reused.
package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Eps keeps the normalisation to the unit circle defined at 0 (SPEC §2).
const Eps = 1e-8

// Floats is a device buffer that grows on demand.
type Floats struct{ buf backend.Buffer }

// Get returns a window of n elements, whatever they hold.
func (f *Floats) Get(b backend.Memory, n int) backend.Vec {
	if f.buf == nil || f.buf.Len() < n {
		if f.buf != nil {
			f.buf.Release()
		}
		f.buf = b.Floats(n + n/4)
	}
	return backend.Vec{Buf: f.buf, Len: n}
}

// aligned rounds a number of elements up to a window's start that every device can bind (backend.Vec).
func aligned(n int) int { return (n + backend.Align - 1) / backend.Align * backend.Align }

// Ints is a device index buffer that grows on demand.
type Ints struct{ buf backend.Index }

// Put uploads x and returns the buffer.
func (f *Ints) Put(b backend.Memory, x []int32) backend.Index {
	if f.buf == nil || f.buf.Len() < len(x) {
		if f.buf != nil {
			f.buf.Release()
		}
		f.buf = b.Ints(len(x) + len(x)/4)
	}
	b.UploadInts(f.buf, x)
	return f.buf
}

// Context is what every layer works with: a device that can do what every family needs, and the parameters.
type Context struct {
	B backend.Base
	P *param.Set
}

// CSP is what the layers of complex state propagation work with: K has their kernels, on the same device as B.
type CSP struct {
	Context
	K backend.CSP
}

// Baseline is what the layers of the other families work with: K has their kernels, on the same device as B.
type Baseline struct {
	Context
	K backend.Baseline
}

// linearWeight adds the gradients of w and bias.
func (c Context) linearWeight(dy, x backend.Vec, w, bias param.ID, m int) {
	shape := c.P.Tensors[w].Shape
	c.B.MatMulWeight(backend.MatMulWeight{
		DW: c.P.Grad(w), DBias: c.P.Grad(bias), DY: dy, X: x, M: m, N: shape[0], K: shape[1],
	})
}
