package vec

// A convolution goes along the steps of a sequence, in which each channel has four weights of its own (SPEC §13). x
// are rows of n numbers, one a step, w is [4, n], the weights of the oldest step first. Rows of y and dy are stride
// apart. No output may overlap an input.

// ConvForward sets y = z·σ(z), z_t = Σ_j w_j x_{t−3+j}; what lies before the first row counts as 0.
func ConvForward(y []float32, stride int, w, x []float32, n int) {
	rows := convRows(y, stride, w, x, n)
	convForward(rows, n, y, w, x, stride)
}

// ConvBackward makes of dy, the gradient of y, that of x in dx, laid out like x, and that of w in dw. The memory of
// ring, 5·n numbers, is for its use.
func ConvBackward(dx, dw, dy []float32, stride int, w, x []float32, n int, ring []float32) {
	rows := convRows(dy, stride, w, x, n)
	need(len(x), len(dx))
	need(4*n, len(dw))
	need(5*n, len(ring))
	clear(dw[:4*n])
	clear(ring[:5*n])
	convBackward(rows, n, dx, dw, dy, w, x, ring, stride)
}

// convRows is how many steps x has, at least one.
func convRows(y []float32, stride int, w, x []float32, n int) int {
	need(4*n, len(w))
	rows := len(x) / n
	if rows < 1 {
		panic("vec: a convolution along no steps")
	}
	need((rows-1)*stride+n, len(y))
	return rows
}

// A row before the first counts as 0: it is left out of the first three steps of a convolution.
func convForward(rows, n int, y, w, x []float32, stride int) {
	for t := range rows {
		to := y[t*stride:][:n]
		if t >= 3 {
			r := x[(t-3)*n:]
			convStep(n, to, w, r, r[n:], r[2*n:], r[3*n:])
			continue
		}
		gain(n, to, x[t*n:], w[3*n:], 1)
		for j := range t {
			addProduct(n, to, x[j*n:], w[(3-t+j)*n:], 1)
		}
		silu(n, to, to)
	}
}

// convBackward keeps the gradients of z of the last four steps in ring, and a row of zeros behind them.
func convBackward(rows, n int, dx, dw, dy, w, x, ring []float32, stride int) {
	row := func(t int) []float32 {
		if t < 0 {
			return ring[4*n:]
		}
		return x[t*n:]
	}
	for t := rows - 1; t >= 0; t-- {
		d := func(later int) []float32 { return ring[(t+later)%4*n:][:n] }
		unconvStep(n, d(0), dw, dy[t*stride:], w, row(t-3), row(t-2), row(t-1), row(t))
		unconvInput(n, dx[t*n:], w, d(0), d(1), d(2), d(3))
	}
}
