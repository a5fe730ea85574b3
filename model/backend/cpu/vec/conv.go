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
// ring, 4·n numbers, is for its use.
func ConvBackward(dx, dw, dy []float32, stride int, w, x []float32, n int, ring []float32) {
	rows := convRows(dy, stride, w, x, n)
	need(len(x), len(dx))
	need(4*n, len(dw))
	need(4*n, len(ring))
	clear(dw[:4*n])
	clear(ring[:4*n])
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

func convForwardGo(rows, n int, y, w, x []float32, stride int) {
	for c := range n {
		w0, w1, w2, w3 := w[c], w[n+c], w[2*n+c], w[3*n+c]
		var x0, x1, x2 float32
		for t := range rows {
			x3 := x[t*n+c]
			z := float32(w0*x0) + float32(w1*x1) + (float32(w2*x2) + float32(w3*x3))
			y[t*stride+c] = z * sigmoidf(z)
			x0, x1, x2 = x1, x2, x3
		}
	}
}

func convBackwardGo(rows, n int, dx, dw, dy, w, x, _ []float32, stride int) {
	for c := range n {
		w0, w1, w2, w3 := w[c], w[n+c], w[2*n+c], w[3*n+c]
		at := func(t int) float32 {
			if t < 0 {
				return 0
			}
			return x[t*n+c]
		}
		x1, x2, x3 := at(rows-3), at(rows-2), at(rows-1)
		var d1, d2, d3, dw0, dw1, dw2, dw3 float32
		for t := rows - 1; t >= 0; t-- {
			x0 := at(t - 3)
			z := float32(w0*x0) + float32(w1*x1) + (float32(w2*x2) + float32(w3*x3))
			s := sigmoidf(z)
			d0 := float32(dy[t*stride+c]*s) * (1 + float32(z*(1-s)))
			dw0, dw1 = dw0+float32(d0*x0), dw1+float32(d0*x1)
			dw2, dw3 = dw2+float32(d0*x2), dw3+float32(d0*x3)
			dx[t*n+c] = float32(w0*d3) + float32(w1*d2) + (float32(w2*d1) + float32(w3*d0))
			x1, x2, x3 = x0, x1, x2
			d1, d2, d3 = d0, d1, d2
		}
		dw[c], dw[n+c], dw[2*n+c], dw[3*n+c] = dw0, dw1, dw2, dw3
	}
}
