package cpu

import "math"

// primitives are the inner loops of the attention, so that its structure is written once: plain loops for the
// reference, vectorised ones for the fast path. Slices of one call have one length unless noted.
type primitives[T Float] interface {
	dot(a, b []T) T
	sqDist(a, b []T) T                    // Σ (a−b)²
	axpy(dst []T, s T, x []T)             // dst += s·x
	logAddExp(dst []T, b T)               // dst = log(e^dst + e^b)
	softmaxNeg(dst, x []T)                // dst = softmax(−x)
	expDiff(dst, x, y []T)                // dst = exp(x − y)
	addScaledDiff(dst []T, s T, a, b []T) // dst += s·(a−b)
}

type plain[T Float] struct{}

func (plain[T]) dot(a, b []T) T           { return dot(a, b) }
func (plain[T]) axpy(dst []T, s T, x []T) { axpy(dst, s, x) }

func (plain[T]) sqDist(a, b []T) T {
	var sum T
	for i, x := range a {
		sum += (x - b[i]) * (x - b[i])
	}
	return sum
}

func (plain[T]) logAddExp(dst []T, b T) {
	for i, x := range dst {
		dst[i] = logAddExp(x, b)
	}
}

func (plain[T]) softmaxNeg(dst, x []T) {
	low := T(math.MaxFloat32)
	for _, v := range x {
		low = min(low, v)
	}
	var sum T
	for i, v := range x {
		dst[i] = exp(low - v)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}

func (plain[T]) expDiff(dst, x, y []T) {
	for i := range dst {
		dst[i] = exp(x[i] - y[i])
	}
}

func (plain[T]) addScaledDiff(dst []T, s T, a, b []T) {
	for i := range dst {
		dst[i] += s * (a[i] - b[i])
	}
}
