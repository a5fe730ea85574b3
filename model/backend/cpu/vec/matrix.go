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
	rankCombine(len(c), len(w), dst, q, m, m, c, w, f)
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

// combineGo and the others are the plain loops.
func combineGo(rows, n int, dst, q, m []float32) {
	dst = dst[:n]
	clear(dst)
	for i, f := range q[:rows] {
		for j, x := range m[i*n:][:n] {
			dst[j] += float32(f * x)
		}
	}
}

func rankGo(rows, n int, to, m, c, w []float32, f float32) {
	w = w[:n]
	for i, g := range c[:rows] {
		row, made := m[i*n:][:n], to[i*n:][:n]
		for j, x := range w {
			made[j] = float32(f*row[j]) + float32(g*x)
		}
	}
}

func rankCombineGo(rows, n int, dst, q, to, m, c, w []float32, f float32) {
	rankGo(rows, n, to, m, c, w, f)
	combineGo(rows, n, dst, q, to)
}

func innersGo(rows, n int, dst, m, x []float32) {
	for i := range dst[:rows] {
		dst[i] = dotGo(n, m[i*n:], x)
	}
}

func innersOfTwoGo(rows, n int, dst, m, x, k, y []float32) {
	for i := range dst[:rows] {
		dst[i] = dotGo(n, m[i*n:], x) + dotGo(n, k[i*n:], y)
	}
}

func scaledGo(n int, dst, x []float32, f float32) {
	for j := range n {
		dst[j] = f * x[j]
	}
}

func lessGo(n int, dst, x, y []float32, f, g float32) {
	for j := range n {
		dst[j] = f * (x[j] - float32(g*y[j]))
	}
}
