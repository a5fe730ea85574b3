package vec

// blockRows is how many rows a product takes at a time where there are more: few enough for the next ones to lie
// next to them in the second-level cache.
const blockRows = 64

// ahead is memory that a product asks for while it computes, a share after each tile: what comes next then lies in a
// cache. The zero value asks for nothing.
type ahead struct {
	rows  [2][]float32
	asked int // numbers of them
}

// ask brings what was asked for up to the share done of all.
func (h *ahead) ask(done, all int) {
	first := len(h.rows[0])
	for to := (first + len(h.rows[1])) * done / all; h.asked < to; {
		x, from := h.rows[0], h.asked
		if from >= first {
			x, from = h.rows[1], from-first
		}
		x = x[from:min(len(x), from+to-h.asked)]
		Prefetch(x)
		h.asked += len(x)
	}
}

// want sets what is asked for: count rows, from row first on, of matrices of m and n columns; none where count < 1.
func (h *ahead) want(a []float32, lda, m int, b []float32, ldb, n, first, count int) {
	*h = ahead{rows: [2][]float32{stretch(a, lda, m, first, count), stretch(b, ldb, n, first, count)}}
}

// stretch is count rows of a matrix, from row first on, with what lies between them.
func stretch(x []float32, ld, cols, first, count int) []float32 {
	if count < 1 || cols == 0 {
		return nil
	}
	return x[first*ld:][:(count-1)*ld+cols]
}
