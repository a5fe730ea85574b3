package vec

// Most loops here are about one small matrix m, stored row after row: the state of a head of the gated delta rule
// (SPEC §13), and its gradient. The number of rows is that of the coefficients, one a row. No output may overlap an
// input, unless it says so.

// Combine sets dst = Σ_i q_i m_i, a combination of the rows; len(dst) is a row's length.
func Combine(dst, q, m []float32) {
	need(len(dst)*len(q), len(m))
	combine(len(q), len(dst), dst, q, m)
}

// Rank makes f·m_i + c_i w of each row of m, in to, which may be m; len(w) is a row's length.
func Rank(to, m []float32, f float32, c, w []float32) {
	need(len(c)*len(w), len(m))
	need(len(c)*len(w), len(to))
	rank(len(c), len(w), to, m, c, w, f)
}

// RankCombine is Rank with to = m, and then Combine of what it made. dst may be w.
func RankCombine(dst, q, m []float32, f float32, c, w []float32) {
	need(len(c)*len(w), len(m))
	need(len(c), len(q))
	need(len(w), len(dst))
	rank(len(c), len(w), m, m, c, w, f)
	combine(len(q), len(w), dst, q, m)
}

// Inners sets dst_i = m_i·x, for all rows of m; len(x) is a row's length.
func Inners(dst, m, x []float32) {
	need(len(dst)*len(x), len(m))
	inners(len(dst), len(x), dst, m, x)
}

// InnersOfTwo sets dst_i = m_i·x + k_i·y, k a matrix like m.
func InnersOfTwo(dst, m, x, k, y []float32) {
	need(len(dst)*len(x), len(m))
	need(len(dst)*len(x), len(k))
	need(len(x), len(y))
	innersOfTwo(len(dst), len(x), dst, m, x, k, y)
}

// Scaled sets dst_j = f·x_j.
func Scaled(dst []float32, f float32, x []float32) {
	need(len(dst), len(x))
	scaled(len(dst), dst, x, f)
}

// Less sets dst_j = f·(x_j − g·y_j).
func Less(dst []float32, f float32, x []float32, g float32, y []float32) {
	need(len(dst), len(x))
	need(len(dst), len(y))
	less(len(dst), dst, x, y, f, g)
}

// combine and the others take four rows at a time where they can.
func combine(rows, n int, dst, q, m []float32) {
	clear(dst[:n])
	i := 0
	for ; i+4 <= rows; i += 4 {
		r := m[i*n:]
		axpy4(n, dst, r, r[n:], r[2*n:], r[3*n:], q[i], q[i+1], q[i+2], q[i+3])
	}
	for ; i < rows; i++ {
		axpy(n, dst, m[i*n:], q[i])
	}
}

func rank(rows, n int, to, m, c, w []float32, f float32) {
	for i, g := range c[:rows] {
		rankRow(n, to[i*n:], m[i*n:], w, f, g)
	}
}

func inners(rows, n int, dst, m, x []float32) {
	i := 0
	for ; i+4 <= rows; i += 4 {
		r := m[i*n:]
		dst[i], dst[i+1], dst[i+2], dst[i+3] = dot4(n, x, r, r[n:], r[2*n:], r[3*n:])
	}
	for ; i < rows; i++ {
		dst[i] = dot(n, m[i*n:], x)
	}
}

func innersOfTwo(rows, n int, dst, m, x, k, y []float32) {
	for i := range dst[:rows] {
		dst[i] = dot(n, m[i*n:], x) + dot(n, k[i*n:], y)
	}
}
