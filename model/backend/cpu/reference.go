// Package cpu runs the kernels on the processor. Reference is the plain twin of every kernel, generic over
// float32 and float64 and written for reading; Fast overrides what takes time with blocked, vectorised and
// multi-threaded float32 code. Each kernel has one file named as its shader and its contract test.
package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"mhacsp/model/backend"
)

// Float is a kernel's number type.
type Float interface{ ~float32 | ~float64 }

// Reference is the straightforward backend: one thread, one loop nest per equation.
type Reference[T Float] struct{ shared[T] }

// shared are the calls that Fast has of the reference: they take no time, or only make pictures. It is a type of its own so
// that a program with Fast alone is linked without the rest.
type shared[T Float] struct{}

// NewReference returns the plain backend in T; float64 is the yardstick of every other backend.
func NewReference[T Float]() *Reference[T] { return &Reference[T]{} }

var (
	_ backend.Backend = (*Reference[float32])(nil)
	_ backend.Backend = (*Reference[float64])(nil)
)

type floats[T Float] struct{ data []T }

func (b *floats[T]) Len() int { return len(b.data) }
func (b *floats[T]) Release() { b.data = nil }

type ints struct{ data []int32 }

func (b *ints) Len() int { return len(b.data) }
func (b *ints) Release() { b.data = nil }

// Data gives direct access to a window of a CPU backend's buffer, for tests in T.
func Data[T Float](v backend.Vec) []T {
	if v.Buf == nil {
		return nil
	}
	b, ok := v.Buf.(*floats[T])
	if !ok {
		panic("backend: buffer of another backend")
	}
	return b.data[v.Off : v.Off+v.Len : v.Off+v.Len]
}

func intData(x backend.Index) []int32 {
	if x == nil {
		return nil
	}
	return x.(*ints).data
}

// Info names the reference and its width.
func (*Reference[T]) Info() backend.Info {
	bits := int(8 * unsafe.Sizeof(T(0)))
	return backend.Info{Name: fmt.Sprintf("cpu%d", bits), Adapter: "plain Go reference", Bits: bits, Threads: 1}
}

// Floats allocates n zeros.
func (*shared[T]) Floats(n int) backend.Buffer { return &floats[T]{make([]T, n)} }

// Ints allocates n zeros.
func (*shared[T]) Ints(n int) backend.Index { return &ints{make([]int32, n)} }

// Upload copies host numbers in.
func (*Reference[T]) Upload(dst backend.Vec, src []float32) {
	d := Data[T](dst)
	if len(src) > len(d) {
		panic("backend: Upload of more elements than the window holds")
	}
	for i, x := range src {
		d[i] = T(x)
	}
}

// UploadInts copies host numbers in.
func (*shared[T]) UploadInts(dst backend.Index, src []int32) {
	if copy(intData(dst), src) < len(src) {
		panic("backend: UploadInts of more elements than the buffer holds")
	}
}

// Download copies numbers out, rounded to float32.
func (*Reference[T]) Download(dst []float32, src backend.Vec) error {
	s := Data[T](src)
	if len(dst) > len(s) {
		panic("backend: Download of more elements than the window holds")
	}
	for i := range dst {
		dst[i] = float32(s[i])
	}
	return nil
}

// NewFetch copies at once.
func (r *Reference[T]) NewFetch() backend.Fetch { return backend.ImmediateFetch(r) }

// Zero clears a window.
func (*Reference[T]) Zero(v backend.Vec) { clear(Data[T](v)) }

// Copy copies src over the start of dst.
func (*shared[T]) Copy(dst, src backend.Vec) { copy(Data[T](dst), Data[T](src)) }

// Sync has nothing to wait for.
func (*shared[T]) Sync() error { return nil }

// Close has nothing to free.
func (*Reference[T]) Close() {}

func exp[T Float](x T) T      { return T(math.Exp(float64(x))) }
func log1p[T Float](x T) T    { return T(math.Log1p(float64(x))) }
func sqrt[T Float](x T) T     { return T(math.Sqrt(float64(x))) }
func tanh[T Float](x T) T     { return T(math.Tanh(float64(x))) }
func sigmoid[T Float](x T) T  { return 1 / (1 + exp(-x)) }
func softplus[T Float](x T) T { return max(x, 0) + log1p(exp(-abs(x))) }

func abs[T Float](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

func sincos[T Float](x T) (sin, cos T) {
	s, c := math.Sincos(float64(x))
	return T(s), T(c)
}

// logAddExp is log(eᵃ + eᵇ) without overflow.
func logAddExp[T Float](a, b T) T {
	m, d := a, b-a
	if b > a {
		m, d = b, a-b
	}
	return m + log1p(exp(d))
}
