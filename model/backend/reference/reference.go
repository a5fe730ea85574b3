// Package reference runs the kernels as plain loops, one loop nest an equation, in float32 or float64. In float64 it
// is the reference that every other backend is held against. Its own gradients are checked by central differences
// (model/gradient_test.go).
//
// A kernel stands in the file of its stem. The attention is spread over more files: distance.go, tree.go and fusion.go
// hold its parts, attention.go puts them together.
package reference

import (
	"fmt"
	"math"
	"unsafe"

	"mhacsp/model/backend"
)

// Float is a kernel's number type.
type Float interface{ ~float32 | ~float64 }

// Backend is the plain backend: one thread, one loop nest an equation, written to be read next to the text that it
// cites as SPEC. In float64 it is the reference of every other backend.
type Backend[T Float] struct{ Memory[T] }

// New returns the plain backend in T.
func New[T Float]() *Backend[T] { return &Backend[T]{} }

var (
	_ backend.Backend = (*Backend[float32])(nil)
	_ backend.Backend = (*Backend[float64])(nil)
)

// Info names the reference and its width.
func (*Backend[T]) Info() backend.Info {
	bits := int(8 * unsafe.Sizeof(T(0)))
	return backend.Info{Name: fmt.Sprintf("cpu%d", bits), Adapter: "plain Go loops, 1 thread", Bits: bits, Threads: 1,
		AnyWindow: true}
}

func exp[T Float](x T) T      { return T(math.Exp(float64(x))) }
func Log1p[T Float](x T) T    { return T(math.Log1p(float64(x))) }
func sqrt[T Float](x T) T     { return T(math.Sqrt(float64(x))) }
func tanh[T Float](x T) T     { return T(math.Tanh(float64(x))) }
func Sigmoid[T Float](x T) T  { return 1 / (1 + exp(-x)) }
func Softplus[T Float](x T) T { return max(x, 0) + Log1p(exp(min(x, -x))) }

// logAddExp is log(eᵃ + eᵇ) without overflow.
func logAddExp[T Float](a, b T) T { return max(a, b) + Log1p(exp(min(a-b, b-a))) }

func sincos[T Float](x T) (sin, cos T) {
	s, c := math.Sincos(float64(x))
	return T(s), T(c)
}

func dot[T Float](a, b []T) T {
	var sum T
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

func axpy[T Float](dst []T, s T, x []T) {
	for i, v := range x {
		dst[i] += s * v
	}
}
