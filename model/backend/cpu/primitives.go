package cpu

import (
	"slices"

	"mhacsp/model/backend/cpu/vec"
)

// primitives are the inner loops of the attention, so that its structure is written once: plain loops for the
// reference, vectorised ones for the fast path. Slices of one call have one length unless noted; for what the
// loops over a span compute see vec.Span.
type primitives[T Float] interface {
	axpy(dst []T, s T, x []T) // dst += s·x
	logAddExp2(dst, b []T)    // dst = log(e^dst + e^b)

	// One row of all heads: see the methods of vec.Heads.
	fuse(h vec.Heads, a, c, b []T)
	fuseBackward(h vec.Heads, db, dc, a, da, c, b []T)
	grow(h vec.Heads, tree, dist, e, f []T, n int)
	mixSoftmax(h vec.Heads, dst, w, x []T, n, m int)
	softmaxGram(h vec.Heads, gram, g, p, x []T, n int)
	unmix(h vec.Heads, u vec.Unmixed[T], w []T, n, m int)
	ratios(h vec.Heads, share, tree []T, n int)

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

func (plain[T]) axpy(dst []T, s T, x []T) { axpy(dst, s, x) }

func (plain[T]) logAddExp2(dst, b []T) {
	for i, x := range dst {
		dst[i] = logAddExp(x, b[i])
	}
}

func (plain[T]) fuse(h vec.Heads, a, c, b []T) {
	for k := range h.Count {
		row := a[k*h.Count:][:h.Count]
		for l := range row {
			row[l] = c[k] * b[k*h.Count+l] * c[l]
		}
		top := slices.Max(row)
		var sum T
		for l, s := range row {
			row[l] = exp(s - top)
			sum += row[l]
		}
		for l := range row {
			row[l] /= sum
		}
	}
}

func (plain[T]) fuseBackward(h vec.Heads, db, dc, a, da, c, b []T) {
	clear(dc)
	for k := range h.Count {
		at := k * h.Count
		mean := dot(a[at:][:h.Count], da[at:])
		for l := range h.Count {
			ds := a[at+l] * (da[at+l] - mean)
			db[at+l] += ds * c[k] * c[l]
			dc[k] += ds * b[at+l] * c[l]
			dc[l] += ds * b[at+l] * c[k]
		}
	}
}

func (plain[T]) grow(h vec.Heads, tree, dist, e, f []T, n int) {
	for k := range h.Count {
		c, d := tree[k*h.Line:][:n], dist[k*h.Stride:]
		c[n-1] = 0
		for j := range c {
			if j < n-1 {
				c[j] = logAddExp(c[j], e[k])
			}
			d[j] += f[k] * c[j]
		}
	}
}

func (plain[T]) mixSoftmax(h vec.Heads, dst, w, x []T, n, m int) {
	for k := range h.Count {
		row := dst[k*h.Stride:][:m]
		clear(row)
		for l := range h.Count {
			axpy(row[:n], w[k*h.Count+l], x[l*h.Stride:][:n])
		}
		low := slices.Min(row[:n])
		var sum T
		for j, y := range row[:n] {
			row[j] = exp(low - y)
			sum += row[j]
		}
		for j := range row[:n] {
			row[j] /= sum
		}
	}
}

func (plain[T]) softmaxGram(h vec.Heads, gram, g, p, x []T, n int) {
	for k := range h.Count {
		gk, pk := g[k*h.Stride:][:n], p[k*h.Stride:][:n]
		mean := dot(gk, pk)
		for j := range gk {
			gk[j] = -pk[j] * (gk[j] - mean)
		}
		for l := range h.Count {
			gram[k*h.Count+l] = dot(gk, x[l*h.Stride:])
		}
	}
}

func (plain[T]) unmix(h vec.Heads, u vec.Unmixed[T], w []T, n, m int) {
	for l := range h.Count {
		clear(u.G[l*h.Stride:][:m])
		g, dtree, pull := u.G[l*h.Stride:][:n], u.DTree[l*h.Line:], u.Pull[l*h.Line:]
		for k := range h.Count {
			axpy(g, w[k*h.Count+l], u.Mixed[k*h.Stride:][:n])
		}
		u.Dots[l] = dot(g, u.Tree[l*h.Line:])
		for j, d := range g {
			dtree[j], g[j] = u.F[l]*d, 0
			if j < n-1 {
				g[j] = -2 * d
				pull[j] += 2 * d
				pull[n-1] += 2 * d
			}
		}
	}
}

func (plain[T]) ratios(h vec.Heads, share, tree []T, n int) {
	for k := range h.Count {
		for j := range n - 1 {
			share[k*h.Line+j] = exp(tree[k*h.Line+j+1] - tree[k*h.Line+j])
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

func (vectorised) axpy(dst []float32, s float32, x []float32) { vec.Axpy(dst[:len(x)], s, x) }
func (vectorised) logAddExp2(dst, b []float32)                { vec.LogAddExp2(dst, dst, b) }

func (vectorised) grow(h vec.Heads, tree, dist, e, f []float32, n int) { h.Grow(tree, dist, e, f, n) }
func (vectorised) mixSoftmax(h vec.Heads, dst, w, x []float32, n, m int) {
	h.MixSoftmax(dst, w, x, n, m)
}
func (vectorised) ratios(h vec.Heads, share, tree []float32, n int) { h.Ratios(share, tree, n) }

func (vectorised) fuse(h vec.Heads, a, c, b []float32) { h.Fuse(a, c, b) }

func (vectorised) fuseBackward(h vec.Heads, db, dc, a, da, c, b []float32) {
	h.FuseBackward(db, dc, a, da, c, b)
}

func (vectorised) softmaxGram(h vec.Heads, gram, g, p, x []float32, n int) {
	h.SoftmaxGram(gram, g, p, x, n)
}

func (vectorised) unmix(h vec.Heads, u vec.Unmixed[float32], w []float32, n, m int) {
	h.Unmix(u, w, n, m)
}

func (vectorised) spanSqDist(s vec.Span, out, a, b []float32)     { s.SqDist(out, a, b) }
func (vectorised) spanSqDistNext(s vec.Span, out, x []float32)    { s.SqDistNext(out, x) }
func (vectorised) spanDiffNext(s vec.Span, dx, g, x []float32)    { s.DiffNext(dx, g, x) }
func (vectorised) spanDot(s vec.Span, out, a, b []float32)        { s.Dot(out, a, b) }
func (vectorised) spanSum(s vec.Span, dst, w, x []float32)        { s.Sum(dst, w, x) }
func (vectorised) spanOuter(s vec.Span, dst, w, a []float32)      { s.Outer(dst, w, a) }
func (vectorised) spanDiff(s vec.Span, da, db, g, a, b []float32) { s.Diff(da, db, g, a, b) }
func (vectorised) spanAxpy(s vec.Span, dst, w, x []float32)       { s.Axpy(dst, w, x) }

func (vectorised) frame() frame[float32] { return new(vec.Frame) }
