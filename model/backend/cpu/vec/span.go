package vec

// A Span is where the vectors of one attention head lie among the rows of a sequence: complex vectors of width D, the
// imaginary plane Plane elements after the real one, the next row's as many further.
type Span struct{ D, Plane int }

// row is from a row's vector to the next one's.
func (s Span) row() int { return 2 * s.Plane }

// check panics unless x has that many rows, so far apart, of both planes; where step is 1, of a number each.
func (s Span) check(x []float32, rows, step int) {
	need := (rows-1)*step + s.Plane + s.D
	if step == 1 {
		need = rows
	}
	if rows > 0 && len(x) < need {
		panic("vec: Span reaches beyond the slice")
	}
}

// planes checks some slices, each going on by a step of its own, and puts off a loop over both planes of their
// vectors; a slice whose step is 1 has a number for each.
func (q *Queue) planes(s Span, loop int32, rows int, steps []int, x ...[]float32) bool {
	for i, step := range steps {
		s.check(x[i], rows, step)
	}
	if !queued || !q.ready() {
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

// sums puts off a sum for each row: to zero it adds a plane's and then the other's.
func (q *Queue) sums(s Span, loop int32, out, a, b []float32, step int) bool {
	if queued {
		q.Clear(out)
	}
	return q.planes(s, loop, len(out), []int{1, step, s.row()}, out, a, b)
}

// SqDist writes out_j = |a − b_j|² for each row j < len(out).
func (q *Queue) SqDist(s Span, out, a, b []float32) { q.distances(s, out, a, b, 0) }

// SqDistNext writes out_t = |x_{t+1} − x_t|² for each t < len(out).
func (q *Queue) SqDistNext(s Span, out, x []float32) {
	if len(out) > 0 {
		q.distances(s, out, x[s.row():], x, s.row())
	}
}

func (q *Queue) distances(s Span, out, a, b []float32, step int) {
	if !q.sums(s, wideSqDist, out, a, b, step) {
		s.sqDist(out, a, b, step)
	}
}

// Dot writes out_j = Re(conj(a)·b_j), the real inner product over both planes, for each row j < len(out).
func (q *Queue) Dot(s Span, out, a, b []float32) {
	if !q.sums(s, wideDot, out, a, b, 0) {
		s.dot(out, a, b)
	}
}

// Sum adds Σ_j w_j x_j over the rows j < len(w) to dst, one vector.
func (q *Queue) Sum(s Span, dst, w, x []float32) {
	if !q.planes(s, wideAxpy, len(w), []int{0, s.row(), 1}, dst, x, w) {
		s.sum(dst, w, x)
	}
}

// Outer adds w_j a to row j of dst, for each j < len(w).
func (q *Queue) Outer(s Span, dst, w, a []float32) { q.outer(s, dst, w, a, 0) }

// Axpy adds w_j times row j of x to row j of dst, for each j < len(w).
func (q *Queue) Axpy(s Span, dst, w, x []float32) { q.outer(s, dst, w, x, s.row()) }

func (q *Queue) outer(s Span, dst, w, a []float32, step int) {
	if !q.planes(s, wideAxpy, len(w), []int{s.row(), step, 1}, dst, a, w) {
		s.outer(dst, w, a, step)
	}
}

// Diff adds Σ_j g_j (a − b_j) to da and g_j (b_j − a) to row j of db, for each j < len(g): the gradients of
// Σ_j g_j |a − b_j|² / 2. da may be a row of db, that where b_j is a.
func (q *Queue) Diff(s Span, da, db, g, a, b []float32) { q.diff(s, da, db, g, a, b, 0) }

// DiffNext adds g_t (x_{t+1} − x_t) to row t+1 of dx and takes it from row t, for each t < len(g).
func (q *Queue) DiffNext(s Span, dx, g, x []float32) {
	if len(g) > 0 {
		q.diff(s, dx[s.row():], dx, g, x[s.row():], x, s.row())
	}
}

func (q *Queue) diff(s Span, da, db, g, a, b []float32, step int) {
	steps := []int{step, s.row(), step, s.row(), 1}
	if !q.planes(s, widePart, len(g), steps, da, db, a, b, g) {
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
	s.axpy(j, dst, 0, x, s.row(), w)
}

// outer is the loop of Outer and Axpy: a moves on by step elements a row.
func (s Span) outer(dst, w, a []float32, step int) {
	j := 0
	for ; step == 0 && j+4 <= len(w); j += 4 {
		spanOuter(s.D, s.Plane, dst[j*s.row():], a, w[j], w[j+1], w[j+2], w[j+3])
	}
	s.axpy(j, dst, s.row(), a, step, w)
}

// axpy adds w_j x_j to dst_j from row j on; the rows lie so far apart.
func (s Span) axpy(j int, dst []float32, to int, x []float32, from int, w []float32) {
	for ; j < len(w); j++ {
		Axpy(dst[j*to:][:s.D], x[j*from:], w[j])
		Axpy(dst[j*to+s.Plane:][:s.D], x[j*from+s.Plane:], w[j])
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
