package vec

// A Span is where the vectors of one attention head lie among the rows of a sequence: complex vectors of width D, the
// imaginary plane Plane elements after the real one, the next row's as many further.
type Span struct{ D, Plane int }

// row is from a row's vector to the next one's.
func (s Span) row() int { return 2 * s.Plane }

// check panics unless x holds a vector in each of n rows.
func (s Span) check(x []float32, n int) {
	if n > 0 && len(x) < (n-1)*s.row()+s.Plane+s.D {
		panic("vec: Span reaches beyond the slice")
	}
}

// planes puts off a loop over both planes of some vectors, each going on by a step of its own; a slice whose step is 1
// has a number for each of them.
func (q *Queue) planes(s Span, loop int32, rows int, steps []int, x ...[]float32) bool {
	if !q.ready() {
		return false
	}
	for plane := 0; plane < 2 && rows > 0; plane++ {
		var at [5]*float32
		for i, step := range steps {
			at[i] = &x[i][0]
			if step != 1 {
				at[i] = &x[i][plane*s.Plane]
			}
		}
		q.rows(loop, s.D, rows, steps, nil, at[:len(steps)]...)
	}
	return true
}

// SqDist writes out_j = |a − b_j|² for each row j < len(out).
func (q *Queue) SqDist(s Span, out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	q.distances(s, out, a, b, 0)
}

// SqDistNext writes out_t = |x_{t+1} − x_t|² for each t < len(out).
func (q *Queue) SqDistNext(s Span, out, x []float32) {
	if len(out) > 0 {
		s.check(x, len(out)+1)
		q.distances(s, out, x[s.row():], x, s.row())
	}
}

// sums puts off a sum for each row: to zero it adds a plane's and then the other's.
func (q *Queue) sums(s Span, loop int32, out, a, b []float32, step int) bool {
	q.Clear(out)
	return q.planes(s, loop, len(out), []int{1, step, s.row()}, out, a, b)
}

func (q *Queue) distances(s Span, out, a, b []float32, step int) {
	if !queued || !q.sums(s, wideSqDist, out, a, b, step) {
		s.sqDist(out, a, b, step)
	}
}

// Dot writes out_j = Re(conj(a)·b_j), the real inner product over both planes, for each row j < len(out).
func (q *Queue) Dot(s Span, out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	if !queued || !q.sums(s, wideDot, out, a, b, 0) {
		s.dot(out, a, b)
	}
}

// Sum adds Σ_j w_j x_j over the rows j < len(w) to dst, one vector.
func (q *Queue) Sum(s Span, dst, w, x []float32) {
	s.check(dst, 1)
	s.check(x, len(w))
	if !queued || !q.planes(s, wideAxpy, len(w), []int{0, s.row(), 1}, dst, x, w) {
		s.sum(dst, w, x)
	}
}

// Outer adds w_j a to row j of dst, for each j < len(w).
func (q *Queue) Outer(s Span, dst, w, a []float32) {
	s.check(a, 1)
	q.outer(s, dst, w, a, 0)
}

// Axpy adds w_j times row j of x to row j of dst, for each j < len(w).
func (q *Queue) Axpy(s Span, dst, w, x []float32) {
	s.check(x, len(w))
	q.outer(s, dst, w, x, s.row())
}

func (q *Queue) outer(s Span, dst, w, a []float32, step int) {
	s.check(dst, len(w))
	if !queued || !q.planes(s, wideAxpy, len(w), []int{s.row(), step, 1}, dst, a, w) {
		s.outer(dst, w, a, step)
	}
}

// Diff adds Σ_j g_j (a − b_j) to da and g_j (b_j − a) to row j of db, for each j < len(g): the gradients of
// Σ_j g_j |a − b_j|² / 2. da may be a row of db, that where b_j is a.
func (q *Queue) Diff(s Span, da, db, g, a, b []float32) {
	s.check(da, 1)
	s.check(db, len(g))
	s.check(a, 1)
	s.check(b, len(g))
	q.diff(s, da, db, g, a, b, 0)
}

// DiffNext adds g_t (x_{t+1} − x_t) to row t+1 of dx and takes it from row t, for each t < len(g).
func (q *Queue) DiffNext(s Span, dx, g, x []float32) {
	if len(g) > 0 {
		s.check(dx, len(g)+1)
		s.check(x, len(g)+1)
		q.diff(s, dx[s.row():], dx, g, x[s.row():], x, s.row())
	}
}

func (q *Queue) diff(s Span, da, db, g, a, b []float32, step int) {
	steps := []int{step, s.row(), step, s.row(), 1}
	if !queued || !q.planes(s, widePart, len(g), steps, da, db, a, b, g) {
		s.diff(da, db, g, a, b, step)
	}
}

// sqDist is the loop of both distances: a moves on by step elements a row, and then is the next row of b.
func (s Span) sqDist(out, a, b []float32, step int) {
	j := 0
	for ; step == 0 && j+4 <= len(out); j += 4 {
		r0, i0, r1, i1, r2, i2, r3, i3 := spanSqDist(s.D, s.Plane, a, b[j*s.row():])
		out[j], out[j+1], out[j+2], out[j+3] = r0+i0, r1+i1, r2+i2, r3+i3
	}
	for ; step != 0 && j+3 <= len(out); j += 3 {
		r0, i0, r1, i1, r2, i2 := spanSqNext(s.D, s.Plane, b[j*step:])
		out[j], out[j+1], out[j+2] = r0+i0, r1+i1, r2+i2
	}
	for ; j < len(out); j++ {
		x, y := a[j*step:], b[j*s.row():]
		out[j] = sqDist(s.D, x, y) + sqDist(s.D, x[s.Plane:], y[s.Plane:])
	}
}

func (s Span) dot(out, a, b []float32) {
	j := 0
	for ; j+4 <= len(out); j += 4 {
		r0, i0, r1, i1, r2, i2, r3, i3 := spanDot(s.D, s.Plane, a, b[j*s.row():])
		out[j], out[j+1], out[j+2], out[j+3] = r0+i0, r1+i1, r2+i2, r3+i3
	}
	for ; j < len(out); j++ {
		r := j * s.row()
		out[j] = Dot(a[:s.D], b[r:]) + Dot(a[s.Plane:][:s.D], b[r+s.Plane:])
	}
}

func (s Span) sum(dst, w, x []float32) {
	j := 0
	for ; j+4 <= len(w); j += 4 {
		spanSum(s.D, s.Plane, dst, x[j*s.row():], w[j], w[j+1], w[j+2], w[j+3])
	}
	for ; j < len(w); j++ {
		r := j * s.row()
		Axpy(dst[:s.D], x[r:], w[j])
		Axpy(dst[s.Plane:][:s.D], x[r+s.Plane:], w[j])
	}
}

// outer is the loop of Outer and Axpy: a moves on by step elements a row.
func (s Span) outer(dst, w, a []float32, step int) {
	j := 0
	for ; step == 0 && j+4 <= len(w); j += 4 {
		spanOuter(s.D, s.Plane, dst[j*s.row():], a, w[j], w[j+1], w[j+2], w[j+3])
	}
	for ; j < len(w); j++ {
		r, x := j*s.row(), a[j*step:]
		Axpy(dst[r:][:s.D], x, w[j])
		Axpy(dst[r+s.Plane:][:s.D], x[s.Plane:], w[j])
	}
}

// diff is the loop of Diff and DiffNext: a and da move on by step elements a row, and then are the next rows of b and
// db.
func (s Span) diff(da, db, g, a, b []float32, step int) {
	j := 0
	for ; step == 0 && j+4 <= len(g); j += 4 {
		r := j * s.row()
		spanDiff(s.D, s.Plane, da, db[r:], a, b[r:], g[j], g[j+1], g[j+2], g[j+3])
	}
	for ; step != 0 && j+3 <= len(g); j += 3 {
		spanNext(s.D, s.Plane, db[j*step:], b[j*step:], g[j], g[j+1], g[j+2])
	}
	for ; j < len(g); j++ {
		for _, p := range [2]int{0, s.Plane} {
			x, y := j*step+p, j*s.row()+p
			part(s.D, da[x:], db[y:], a[x:], b[y:], g[j])
		}
	}
}
