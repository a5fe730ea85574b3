package vec

import "unsafe"

// A Queue carries out loops over rows one after another, in the order in which they were asked for. In a browser it
// may put them off until Run: a call into WebAssembly's vectors takes as long as a row, and one Run makes one call.
// Elsewhere every loop runs at once. So nobody else may read or change what a loop works on before Run; lists of rows
// are copied. The methods are the functions of the same name, with their contracts. One goroutine at a time.
type Queue struct{ queue }

// Forward is c.Forward.
func (q *Queue) Forward(c Cell, n int, state, alpha, inv, s, du, rot, in, prev []float32) {
	if queued {
		loop, eps := int32(wideCellForwardRaw), []float32(nil)
		if c.Normalise {
			loop, eps = wideCellForward, []float32{c.Eps}
		}
		if q.later(loop, n, eps, first(alpha, n), first(inv, n), first(state, 2*n), first(s, n),
			first(du, n), first(rot, 2*n), first(in, 2*n), first(prev, 2*n)) {
			return
		}
	}
	c.Forward(n, state, alpha, inv, s, du, rot, in, prev)
}

// Backward is c.Backward.
func (q *Queue) Backward(c Cell, n int, dprev, ddelta, dtheta, din, dstate, state, prev, alpha, inv, rot []float32) {
	if queued {
		in, delta, angle, before := first(din, 2*n), first(ddelta, n), first(dtheta, n), first(dprev, 2*n)
		a, turn, out, old := first(alpha, n), first(rot, 2*n), first(dstate, 2*n), first(prev, 2*n)
		if c.Normalise {
			if q.later(wideCellBackward, n, nil, in, delta, angle, before, a, first(inv, n), turn,
				first(state, 2*n), out, old) {
				return
			}
		} else if q.later(wideCellBackwardRaw, n, nil, in, delta, angle, before, a, turn, out, old) {
			return
		}
	}
	c.Backward(n, dprev, ddelta, dtheta, din, dstate, state, prev, alpha, inv, rot)
}

// Mul is p.Mul.
func (q *Queue) Mul(p *Panel, c []float32, cRow []int32, a []float32, aRow []int32, add bool) {
	if queued && p.k > 0 && q.ready() {
		p.checkRows(c, cRow, a, aRow)
		q.product(p, c, rows{at: cRow}, a, rows{at: aRow}, len(cRow), p.k, p.n, add)
		return
	}
	q.Run()
	p.Mul(c, cRow, a, aRow, add)
}

// Clear makes x zero.
func (q *Queue) Clear(x []float32) {
	if !queued || !q.fill(x) {
		clear(x)
	}
}

// Copy copies x to dst.
func (q *Queue) Copy(dst, x []float32) {
	if x = x[:len(dst)]; !queued || !q.move(dst, x) {
		copy(dst, x)
	}
}

// Add is Add.
func (q *Queue) Add(dst, x []float32) {
	if n := len(dst); !queued || !q.later(wideAdd, n, nil, first(dst, n), first(x, n)) {
		Add(dst, x)
	}
}

// Bound is Bound.
func (q *Queue) Bound(n int, g []float32, c float32) {
	if !queued || !q.later(wideBound, n, []float32{c}, first(g, 2*n)) {
		Bound(n, g, c)
	}
}

// PiTanhSinCos is PiTanhSinCos.
func (q *Queue) PiTanhSinCos(theta, c, s, x []float32) {
	if n := len(theta); !queued || !q.later(widePiTanhSinCos, n, nil, first(theta, n), first(c, n),
		first(s, n), first(x, n)) {
		PiTanhSinCos(theta, c, s, x)
	}
}

// SinCos is SinCos.
func (q *Queue) SinCos(s, c, x []float32) {
	if n := len(s); !queued || !q.later(wideSinCos, n, nil, first(s, n), first(c, n), first(x, n)) {
		SinCos(s, c, x)
	}
}

// PiTanhBackward is PiTanhBackward.
func (q *Queue) PiTanhBackward(g, theta []float32) {
	if n := len(g); !queued || !q.later(widePiTanhBackward, n, nil, first(g, n), first(theta, n)) {
		PiTanhBackward(g, theta)
	}
}

// Steer is Steer.
func (q *Queue) Steer(theta, c, s, x, token []float32) {
	if n := len(theta); !queued || !q.later(wideSteer, n, nil, first(theta, n), first(c, n), first(s,
		n), first(x, n), first(token, n)) {
		Steer(theta, c, s, x, token)
	}
}

// Steered is Steered.
func (q *Queue) Steered(c, s, theta, token []float32) {
	if n := len(theta); !queued || !q.later(wideSteered, n, nil, first(c, n), first(s, n),
		first(theta, n), first(token, n)) {
		Steered(c, s, theta, token)
	}
}

// SteerBackward is SteerBackward.
func (q *Queue) SteerBackward(dtheta, dtoken, theta, token []float32) {
	n := len(dtheta)
	if !queued || !q.later(wideSteerBackward, n, nil, first(dtheta, n), first(dtoken, n), first(theta,
		n), first(token, n)) {
		SteerBackward(dtheta, dtoken, theta, token)
	}
}

// Unit is Unit.
func (q *Queue) Unit(n int, y, inv, z []float32, eps float32) {
	if !queued || !q.later(wideUnit, n, []float32{eps}, first(y, 2*n), first(inv, n), first(z, 2*n)) {
		Unit(n, y, inv, z, eps)
	}
}

// UnitBackward is UnitBackward.
func (q *Queue) UnitBackward(n int, dz, dy, y, inv []float32) {
	if !queued || !q.later(wideUnitBackward, n, nil, first(dz, 2*n), first(dy, 2*n), first(y, 2*n), first(inv, n)) {
		UnitBackward(n, dz, dy, y, inv)
	}
}

// AxpyComplex is AxpyComplex.
func (q *Queue) AxpyComplex(n int, dst, f, x []float32) {
	if !queued || !q.later(wideAxpyComplex, n, nil, first(dst, 2*n), first(f, n), first(x, 2*n)) {
		AxpyComplex(n, dst, f, x)
	}
}

// AddInner is AddInner.
func (q *Queue) AddInner(n int, dst, x, y []float32) {
	if !queued || !q.later(wideAddInner, n, nil, first(dst, n), first(x, 2*n), first(y, 2*n)) {
		AddInner(n, dst, x, y)
	}
}

// Along adds Im(conj(x, turned) ⊙ y) to dst [n]. re and im [2n] make the planes of x, turned: sums of products with x.
func (q *Queue) Along(n int, dst, re, im, x, y []float32) {
	if !queued || !q.later(wideAlong, n, nil, first(dst, n), first(re, 2*n), first(im, 2*n), first(x, 2*n),
		first(y, 2*n)) {
		along(n, dst, re, im, x, y)
	}
}

// Angle is Angle.
func (q *Queue) Angle(n int, v, rot, pre, u []float32) {
	if !queued || !q.later(wideAngle, n, nil, first(v, 2*n), first(rot, 2*n), first(pre, n), first(u, n)) {
		Angle(n, v, rot, pre, u)
	}
}

// AngleBackward is AngleBackward.
func (q *Queue) AngleBackward(n int, dpre, du, pre, u, dv, dtheta, old []float32) {
	if !queued || !q.later(wideAngleBackward, n, nil, first(dpre, n), first(du, n), first(pre, n),
		first(u, n), first(dv, 2*n), first(dtheta, n), first(old, n)) {
		AngleBackward(n, dpre, du, pre, u, dv, dtheta, old)
	}
}

// Gate is Gate.
func (q *Queue) Gate(n int, dst, pre, r []float32) {
	if !queued || !q.later(wideGate, n, nil, first(dst, 2*n), first(pre, n), first(r, 2*n)) {
		Gate(n, dst, pre, r)
	}
}

// GateBackward is GateBackward.
func (q *Queue) GateBackward(n int, dpre, dr, pre, r, din []float32) {
	if !queued || !q.later(wideGateBackward, n, nil, first(dpre, n), first(dr, 2*n), first(pre, n),
		first(r, 2*n), first(din, 2*n)) {
		GateBackward(n, dpre, dr, pre, r, din)
	}
}

// SqDist is s.SqDist.
func (q *Queue) SqDist(s Span, out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	if !queued || !q.distances(s, out, a, b, 0) {
		s.SqDist(out, a, b)
	}
}

// SqDistNext is s.SqDistNext.
func (q *Queue) SqDistNext(s Span, out, x []float32) {
	if queued && len(out) > 0 {
		s.check(x, len(out)+1)
		if q.distances(s, out, x[s.Stride:], x, s.Stride) {
			return
		}
	}
	s.SqDistNext(out, x)
}

// distances puts off s.sqDist: to zero it adds a plane's distance and then the other's.
func (q *Queue) distances(s Span, out, a, b []float32, step int) bool {
	if !q.fill(out) {
		return false
	}
	if len(out) == 0 {
		return true
	}
	for _, p := range [2]int{0, s.Plane} {
		q.rows(wideSqDist, s.D, len(out), []int{1, step, s.Stride}, &out[0], &a[p], &b[p])
	}
	return true
}

// Dot is s.Dot.
func (q *Queue) Dot(s Span, out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	if !queued || len(out) == 0 || !q.fill(out) {
		s.Dot(out, a, b)
		return
	}
	for _, p := range [2]int{0, s.Plane} {
		q.rows(wideDot, s.D, len(out), []int{1, 0, s.Stride}, &out[0], &a[p], &b[p])
	}
}

// Sum is s.Sum.
func (q *Queue) Sum(s Span, dst, w, x []float32) {
	s.check(dst, 1)
	s.check(x, len(w))
	if !queued || !q.axpys(s, dst, w, x, 0, s.Stride) {
		s.Sum(dst, w, x)
	}
}

// Outer is s.Outer.
func (q *Queue) Outer(s Span, dst, w, a []float32) {
	s.check(dst, len(w))
	s.check(a, 1)
	if !queued || !q.axpys(s, dst, w, a, s.Stride, 0) {
		s.Outer(dst, w, a)
	}
}

// Axpy is s.Axpy.
func (q *Queue) Axpy(s Span, dst, w, x []float32) {
	s.check(dst, len(w))
	s.check(x, len(w))
	if !queued || !q.axpys(s, dst, w, x, s.Stride, s.Stride) {
		s.Axpy(dst, w, x)
	}
}

// axpys puts off adding w_j x to dst for each j; both go on by a step of their own.
func (q *Queue) axpys(s Span, dst, w, x []float32, to, from int) bool {
	for _, p := range [2]int{0, s.Plane} {
		if len(w) > 0 && !q.rows(wideAxpy, s.D, len(w), []int{to, from, 1}, &dst[p], &x[p], &w[0]) {
			return false
		}
	}
	return true
}

// Diff is s.Diff, but for rows of da and db that are the same; they must not be.
func (q *Queue) Diff(s Span, da, db, g, a, b []float32) {
	s.check(da, 1)
	s.check(db, len(g))
	s.check(a, 1)
	s.check(b, len(g))
	if !queued || !q.diffs(s, da, db, g, a, b, 0) {
		s.Diff(da, db, g, a, b)
	}
}

// DiffNext is s.DiffNext.
func (q *Queue) DiffNext(s Span, dx, g, x []float32) {
	if queued && len(g) > 0 {
		s.check(dx, len(g)+1)
		s.check(x, len(g)+1)
		if q.diffs(s, dx[s.Stride:], dx, g, x[s.Stride:], x, s.Stride) {
			return
		}
	}
	s.DiffNext(dx, g, x)
}

// diffs puts off adding g_j (a − b_j) to da and taking it from row j of db; a and da go on by step.
func (q *Queue) diffs(s Span, da, db, g, a, b []float32, step int) bool {
	for _, p := range [2]int{0, s.Plane} {
		if len(g) > 0 && !q.rows(widePart, s.D, len(g), []int{step, s.Stride, step, s.Stride, 1},
			&da[p], &db[p], &a[p], &b[p], &g[0]) {
			return false
		}
	}
	return true
}

// AddRows adds rows of x, step elements apart, to dst, one after another.
func (q *Queue) AddRows(dst, x []float32, step, rows int) {
	n := len(dst)
	if rows == 0 || queued && q.rows(wideAdd, n, rows, []int{0, step}, first(dst, n), first(x, (rows-1)*step+n)) {
		return
	}
	for r := range rows {
		Add(dst, x[r*step:][:n])
	}
}

// first is where x begins, which must have n elements.
//
//go:noinline
func first(x []float32, n int) *float32 { return unsafe.SliceData(x[:n]) }
