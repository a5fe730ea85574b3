package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"mhacsp/model/backend"
)

// Float is a kernel's number type.
type Float interface{ ~float32 | ~float64 }

// Reference is the plain backend: one thread, one loop nest an equation, written to be read next to the text that it
// cites as SPEC. In float64 it is the reference of every other backend.
type Reference[T Float] struct{ memory[T] }

// NewReference returns the plain backend in T.
func NewReference[T Float]() *Reference[T] { return &Reference[T]{} }

var (
	_ backend.Backend = (*Reference[float32])(nil)
	_ backend.Backend = (*Reference[float64])(nil)
)

// Info names the reference and its width.
func (*Reference[T]) Info() backend.Info {
	bits := int(8 * unsafe.Sizeof(T(0)))
	return backend.Info{
		Name: fmt.Sprintf("cpu%d", bits), Adapter: "plain Go loops, 1 thread", Bits: bits, Threads: 1, AnyWindow: true,
	}
}

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
