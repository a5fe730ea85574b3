package cpu

import (
	"math"

	"mhacsp/model/backend/cpu/vec"
)

// primitives are the inner loops of the attention, so that its structure is written once: plain loops for the
// reference, vectorised ones for the fast path. Slices of one call have one length unless noted; for what the
// loops over a span compute see vec.Span.
type primitives[T Float] interface {
	dot(a, b []T) T
	axpy(dst []T, s T, x []T) // dst += s·x
	logAddExp(dst []T, b T)   // dst = log(e^dst + e^b)
	logAddExp2(dst, b []T)    // the same, b an array
	scale(x []T, s T)         // x = s·x
	sum(x []T) T
	softmaxNeg(dst, x []T)       // dst = softmax(−x)
	softmaxNegBackward(g, p []T) // g = −p ⊙ (g − p·g): the gradient of x for that of p = softmax(−x)
	expDiff(dst, x, y []T)       // dst = exp(x − y)
	exp(x []T)                   // x = exp(x)

	mix(h vec.Heads, dst, w, x []T, n int)  // dst_k = Σ_l w_kl x_l
	gram(h vec.Heads, dst, a, b []T, n int) // dst_kl = a_k · b_l

	spanSqDist(s vec.Span, out, a, b []T)
	spanSqDistNext(s vec.Span, out, x []T)
	spanDiffNext(s vec.Span, dx, g, x []T)
	spanDot(s vec.Span, out, a, b []T)
	spanSum(s vec.Span, dst, w, x []T)
	spanOuter(s vec.Span, dst, w, a []T)
	spanDiff(s vec.Span, da, db, g, a, b []T)
	spanAxpy(s vec.Span, dst, w, x []T)

	frame() frame[T]
}

// frame is a sequence's vectors, for products of several rows with all of them: see vec.Frame.
type frame[T Float] interface {
	Set(s vec.Span, heads int, x []T, n int)
	SqDist(k int, out []T, ld, i, m int)
	Dot(k int, out []T, ld int, a []T, m, n int)
	Sum(k int, dst, w []T, ld, m, n int)
	Outer(k int, dst, w []T, ld int, a []T, m, n int)
}

// plain are the reference's loops.
type plain[T Float] struct{}

func (plain[T]) dot(a, b []T) T           { return dot(a, b) }
func (plain[T]) axpy(dst []T, s T, x []T) { axpy(dst, s, x) }

func (plain[T]) logAddExp(dst []T, b T) {
	for i, x := range dst {
		dst[i] = logAddExp(x, b)
	}
}

func (plain[T]) logAddExp2(dst, b []T) {
	for i, x := range dst {
		dst[i] = logAddExp(x, b[i])
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

func (plain[T]) exp(x []T) {
	for i, v := range x {
		x[i] = exp(v)
	}
}

func (plain[T]) mix(h vec.Heads, dst, w, x []T, n int) {
	for k := range h.Count {
		row := dst[k*h.Stride:][:n]
		clear(row)
		for l := range h.Count {
			axpy(row, w[k*h.Count+l], x[l*h.Stride:][:n])
		}
	}
}

func (plain[T]) gram(h vec.Heads, dst, a, b []T, n int) {
	for k := range h.Count {
		for l := range h.Count {
			dst[k*h.Count+l] = dot(a[k*h.Stride:][:n], b[l*h.Stride:])
		}
	}
}

// elements calls f with every element of a vector of row j: its place in the row's array and in a single vector.
func elements(s vec.Span, j int, f func(row, one int)) {
	for i := range s.D {
		f(j*s.Stride+i, i)
		f(j*s.Stride+s.Plane+i, s.Plane+i)
	}
}

func (plain[T]) spanSqDist(s vec.Span, out, a, b []T) {
	for j := range out {
		out[j] = 0
		elements(s, j, func(row, one int) { out[j] += (a[one] - b[row]) * (a[one] - b[row]) })
	}
}

func (p plain[T]) spanSqDistNext(s vec.Span, out, x []T) {
	for t := range out {
		p.spanSqDist(s, out[t:t+1], x[(t+1)*s.Stride:], x[t*s.Stride:])
	}
}

func (p plain[T]) spanDiffNext(s vec.Span, dx, g, x []T) {
	for t := range g {
		now, then := t*s.Stride, (t+1)*s.Stride
		p.spanDiff(s, dx[then:], dx[now:], g[t:t+1], x[then:], x[now:])
	}
}

func (plain[T]) spanDot(s vec.Span, out, a, b []T) {
	for j := range out {
		out[j] = 0
		elements(s, j, func(row, one int) { out[j] += a[one] * b[row] })
	}
}

func (plain[T]) spanSum(s vec.Span, dst, w, x []T) {
	for j, f := range w {
		elements(s, j, func(row, one int) { dst[one] += f * x[row] })
	}
}

func (plain[T]) spanOuter(s vec.Span, dst, w, a []T) {
	for j, f := range w {
		elements(s, j, func(row, one int) { dst[row] += f * a[one] })
	}
}

func (plain[T]) spanDiff(s vec.Span, da, db, g, a, b []T) {
	for j, f := range g {
		elements(s, j, func(row, one int) {
			d := f * (a[one] - b[row])
			da[one] += d
			db[row] -= d
		})
	}
}

func (plain[T]) spanAxpy(s vec.Span, dst, w, x []T) {
	for j, f := range w {
		elements(s, j, func(row, _ int) { dst[row] += f * x[row] })
	}
}

func (plain[T]) scale(x []T, s T) {
	for i := range x {
		x[i] *= s
	}
}

func (plain[T]) sum(x []T) (sum T) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func (plain[T]) softmaxNegBackward(g, p []T) {
	mean := dot(p, g)
	for j := range g {
		g[j] = -p[j] * (g[j] - mean)
	}
}

func (plain[T]) frame() frame[T] { return new(plainFrame[T]) }

// plainFrame computes row by row.
type plainFrame[T Float] struct {
	plain[T]
	span vec.Span
	x    []T
}

func (f *plainFrame[T]) Set(s vec.Span, _ int, x []T, _ int) { f.span, f.x = s, x }

// head is head k of row i.
func (f *plainFrame[T]) head(x []T, k, i int) []T { return x[i*f.span.Stride+k*f.span.D:] }

func (f *plainFrame[T]) SqDist(k int, out []T, ld, i, m int) {
	for r := range m {
		f.spanSqDist(f.span, out[r*ld:][:i+m], f.head(f.x, k, i+r), f.head(f.x, k, 0))
	}
}

func (f *plainFrame[T]) Dot(k int, out []T, ld int, a []T, m, n int) {
	for r := range m {
		f.spanDot(f.span, out[r*ld:][:n], f.head(a, k, r), f.head(f.x, k, 0))
	}
}

func (f *plainFrame[T]) Sum(k int, dst, w []T, ld, m, n int) {
	for r := range m {
		f.spanSum(f.span, f.head(dst, k, r), w[r*ld:][:n], f.head(f.x, k, 0))
	}
}

func (f *plainFrame[T]) Outer(k int, dst, w []T, ld int, a []T, m, n int) {
	for r := range m {
		f.spanOuter(f.span, f.head(dst, k, 0), w[r*ld:][:n], f.head(a, k, r))
	}
}

// vectorised are the fast path's loops.
type vectorised struct{}

func (vectorised) dot(a, b []float32) float32                 { return vec.Dot(a, b[:len(a)]) }
func (vectorised) axpy(dst []float32, s float32, x []float32) { vec.Axpy(dst[:len(x)], s, x) }
func (vectorised) logAddExp(dst []float32, b float32)         { vec.LogAddExp(dst, dst, b) }

func (vectorised) logAddExp2(dst, b []float32) { vec.LogAddExp2(dst, dst, b) }

func (vectorised) softmaxNeg(dst, x []float32) { vec.SoftmaxNeg(dst, x) }

func (vectorised) expDiff(dst, x, y []float32) {
	vec.Sub(dst, x, y)
	vec.Exp(dst, dst)
}

func (vectorised) exp(x []float32) { vec.Exp(x, x) }

func (vectorised) mix(h vec.Heads, dst, w, x []float32, n int)  { h.Mix(dst, w, x, n) }
func (vectorised) gram(h vec.Heads, dst, a, b []float32, n int) { h.Gram(dst, a, b, n) }

func (vectorised) spanSqDist(s vec.Span, out, a, b []float32)     { s.SqDist(out, a, b) }
func (vectorised) spanSqDistNext(s vec.Span, out, x []float32)    { s.SqDistNext(out, x) }
func (vectorised) spanDiffNext(s vec.Span, dx, g, x []float32)    { s.DiffNext(dx, g, x) }
func (vectorised) spanDot(s vec.Span, out, a, b []float32)        { s.Dot(out, a, b) }
func (vectorised) spanSum(s vec.Span, dst, w, x []float32)        { s.Sum(dst, w, x) }
func (vectorised) spanOuter(s vec.Span, dst, w, a []float32)      { s.Outer(dst, w, a) }
func (vectorised) spanDiff(s vec.Span, da, db, g, a, b []float32) { s.Diff(da, db, g, a, b) }
func (vectorised) spanAxpy(s vec.Span, dst, w, x []float32)       { s.Axpy(dst, w, x) }

func (vectorised) scale(x []float32, s float32)      { vec.Scale(x, s) }
func (vectorised) sum(x []float32) float32           { return vec.Sum(x) }
func (vectorised) softmaxNegBackward(g, p []float32) { vec.SoftmaxNegBackward(g, p) }
func (vectorised) frame() frame[float32]             { return new(vec.Frame) }
