package vec

// A Span is where the vectors of one attention head lie among the rows of a sequence: complex vectors of width D,
// the imaginary plane Plane elements after the real one, the next row's vector Stride elements further.
type Span struct{ D, Plane, Stride int }

// check panics unless x holds a vector in each of n rows.
func (s Span) check(x []float32, n int) {
	if n > 0 && len(x) < (n-1)*s.Stride+s.Plane+s.D {
		panic("vec: Span reaches beyond the slice")
	}
}

// SqDist writes out_j = |a − b_j|² for each row j < len(out).
func (s Span) SqDist(out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	s.sqDist(out, a, b, 0)
}

// SqDistNext writes out_t = |x_{t+1} − x_t|² for each t < len(out).
func (s Span) SqDistNext(out, x []float32) {
	if len(out) == 0 {
		return
	}
	s.check(x, len(out)+1)
	s.sqDist(out, x[s.Stride:], x, s.Stride)
}

// Dot writes out_j = Re(conj(a)·b_j), the real inner product over both planes, for each row j < len(out).
func (s Span) Dot(out, a, b []float32) {
	s.check(a, 1)
	s.check(b, len(out))
	s.dot(out, a, b)
}

// Sum adds Σ_j w_j x_j over the rows j < len(w) to dst, one vector.
func (s Span) Sum(dst, w, x []float32) {
	s.check(dst, 1)
	s.check(x, len(w))
	s.sum(dst, w, x)
}

// Outer adds w_j a to row j of dst, for each j < len(w).
func (s Span) Outer(dst, w, a []float32) {
	s.check(dst, len(w))
	s.check(a, 1)
	s.outer(dst, w, a, 0)
}

// Axpy adds w_j times row j of x to row j of dst, for each j < len(w).
func (s Span) Axpy(dst, w, x []float32) {
	s.check(dst, len(w))
	s.check(x, len(w))
	s.outer(dst, w, x, s.Stride)
}

// Diff adds Σ_j g_j (a − b_j) to da and g_j (b_j − a) to row j of db, for each j < len(g): the gradients of
// Σ_j g_j |a − b_j|² / 2. da may be a row of db.
func (s Span) Diff(da, db, g, a, b []float32) {
	s.check(da, 1)
	s.check(db, len(g))
	s.check(a, 1)
	s.check(b, len(g))
	s.diff(da, db, g, a, b)
}

// DiffNext adds g_t (x_{t+1} − x_t) to row t+1 of dx and takes it from row t, for each t < len(g).
func (s Span) DiffNext(dx, g, x []float32) {
	if len(g) == 0 {
		return
	}
	s.check(dx, len(g)+1)
	s.check(x, len(g)+1)
	s.diffNext(dx, g, x)
}

// four calls f with the rows of x four at a time, from each plane, as long as there are four of n; rest is where the
// others begin. Rows that lie side by side share what is read and written once.
func (s Span) four(x []float32, n int, f func(j, plane int, x0, x1, x2, x3 []float32)) (rest int) {
	d := s.Stride
	for ; rest+4 <= n; rest += 4 {
		for _, p := range [2]int{0, s.Plane} {
			r := x[rest*d+p:]
			f(rest, p, r[:s.D], r[d:][:s.D], r[2*d:][:s.D], r[3*d:][:s.D])
		}
	}
	return rest
}

// add4 adds four numbers to those of out from j on.
func add4(out []float32, j int, s0, s1, s2, s3 float32) {
	o := out[j:][:4]
	o[0], o[1], o[2], o[3] = o[0]+s0, o[1]+s1, o[2]+s2, o[3]+s3
}

// sqDist is the loop of both distances: a moves on by step elements a row.
func (s Span) sqDist(out, a, b []float32, step int) {
	j := 0
	if step == 0 {
		clear(out)
		j = s.four(b, len(out), func(j, p int, b0, b1, b2, b3 []float32) {
			s0, s1, s2, s3 := sqDist4(s.D, a[p:], b0, b1, b2, b3)
			add4(out, j, s0, s1, s2, s3)
		})
	}
	for ; j < len(out); j++ {
		x, y := a[j*step:], b[j*s.Stride:]
		out[j] = sqDist(s.D, x, y) + sqDist(s.D, x[s.Plane:], y[s.Plane:])
	}
}

func (s Span) dot(out, a, b []float32) {
	clear(out)
	j := s.four(b, len(out), func(j, p int, b0, b1, b2, b3 []float32) {
		s0, s1, s2, s3 := dot4(s.D, a[p:], b0, b1, b2, b3)
		add4(out, j, s0, s1, s2, s3)
	})
	for ; j < len(out); j++ {
		r := j * s.Stride
		out[j] = dot(s.D, a, b[r:]) + dot(s.D, a[s.Plane:], b[r+s.Plane:])
	}
}

func (s Span) sum(dst, w, x []float32) {
	j := s.four(x, len(w), func(j, p int, x0, x1, x2, x3 []float32) {
		axpy4(s.D, dst[p:], x0, x1, x2, x3, w[j], w[j+1], w[j+2], w[j+3])
	})
	for ; j < len(w); j++ {
		r := j * s.Stride
		axpy(s.D, dst, x[r:], w[j])
		axpy(s.D, dst[s.Plane:], x[r+s.Plane:], w[j])
	}
}

// outer is the loop of Outer and Axpy: a moves on by step elements a row.
func (s Span) outer(dst, w, a []float32, step int) {
	j := 0
	if step == 0 {
		j = s.four(dst, len(w), func(j, p int, d0, d1, d2, d3 []float32) {
			outer4(s.D, d0, d1, d2, d3, a[p:], w[j], w[j+1], w[j+2], w[j+3])
		})
	}
	for ; j < len(w); j++ {
		r, x := j*s.Stride, a[j*step:]
		axpy(s.D, dst[r:], x, w[j])
		axpy(s.D, dst[r+s.Plane:], x[s.Plane:], w[j])
	}
}

func (s Span) diff(da, db, g, a, b []float32) {
	for j, f := range g {
		for _, p := range [2]int{0, s.Plane} {
			r := j*s.Stride + p
			part(s.D, da[p:], db[r:], a[p:], b[r:], f)
		}
	}
}

func (s Span) diffNext(dx, g, x []float32) {
	for t, f := range g {
		for _, p := range [2]int{0, s.Plane} {
			r := t*s.Stride + p
			part(s.D, dx[r+s.Stride:], dx[r:], x[r+s.Stride:], x[r:], f)
		}
	}
}
