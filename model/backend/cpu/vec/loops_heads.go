package vec

// The plain loops of attention over one row of a head, see heads.go; of small matrices, see matrix.go; and of
// convolutions, see conv.go. What loops.go says of all holds for them.

func growGo(n int, tree, dist []float32, e, f float32) {
	for j := range n {
		tree[j] = logAddExpf(tree[j], e)
		dist[j] += float32(f * tree[j])
	}
}

func ratioGo(n int, share, next, tree []float32) {
	for j := range n {
		share[j] = expf(next[j] - tree[j])
	}
}

func mixExpGo(n int, dst, x0, x1, x2, x3 []float32, w0, w1, w2, w3 float32) (sum float32) {
	for j := range n {
		y := float32(w0*x0[j]) + float32(w1*x1[j]) + float32(w2*x2[j]) + float32(w3*x3[j])
		dst[j] = expf(-y)
		sum += dst[j]
	}
	return sum
}

func pullGramGo(n int, g, p, x0, x1, x2, x3 []float32, f float32) (s0, s1, s2, s3 float32) {
	for j := range n {
		g[j] = (f - g[j]) * p[j]
		s0 += float32(g[j] * x0[j])
		s1 += float32(g[j] * x1[j])
		s2 += float32(g[j] * x2[j])
		s3 += float32(g[j] * x3[j])
	}
	return s0, s1, s2, s3
}

func unmixGo(n int, g, dtree, pull, tree, y0, y1, y2, y3 []float32, w0, w1, w2, w3, f float32) (along, taken float32) {
	for j := range n {
		d := float32(w0*y0[j]) + float32(w1*y1[j]) + float32(w2*y2[j]) + float32(w3*y3[j])
		along += float32(d * tree[j])
		dtree[j] = d * f
		d += d
		g[j] = -d
		pull[j] += d
		taken += d
	}
	return along, taken
}

func axpy4Go(n int, dst, x0, x1, x2, x3 []float32, f0, f1, f2, f3 float32) {
	for j := range n {
		dst[j] += float32(f0*x0[j]) + float32(f1*x1[j]) + float32(f2*x2[j]) + float32(f3*x3[j])
	}
}

func outer4Go(n int, d0, d1, d2, d3, x []float32, f0, f1, f2, f3 float32) {
	for j := range n {
		d0[j] += float32(f0 * x[j])
		d1[j] += float32(f1 * x[j])
		d2[j] += float32(f2 * x[j])
		d3[j] += float32(f3 * x[j])
	}
}

func dot4Go(n int, x, y0, y1, y2, y3 []float32) (s0, s1, s2, s3 float32) {
	for j := range n {
		s0 += float32(x[j] * y0[j])
		s1 += float32(x[j] * y1[j])
		s2 += float32(x[j] * y2[j])
		s3 += float32(x[j] * y3[j])
	}
	return s0, s1, s2, s3
}

func sqDist4Go(n int, x, y0, y1, y2, y3 []float32) (s0, s1, s2, s3 float32) {
	for j := range n {
		d0, d1, d2, d3 := x[j]-y0[j], x[j]-y1[j], x[j]-y2[j], x[j]-y3[j]
		s0 += float32(d0 * d0)
		s1 += float32(d1 * d1)
		s2 += float32(d2 * d2)
		s3 += float32(d3 * d3)
	}
	return s0, s1, s2, s3
}

func rankRowGo(n int, to, m, w []float32, f, g float32) {
	for j := range n {
		to[j] = float32(f*m[j]) + float32(g*w[j])
	}
}

func rankRowAddGo(n int, to, dst, m, w []float32, f, g, q float32) {
	for j := range n {
		to[j] = float32(f*m[j]) + float32(g*w[j])
		dst[j] += float32(q * to[j])
	}
}

func convStepGo(n int, y, w, x0, x1, x2, x3 []float32) {
	for j := range n {
		z := float32(w[j]*x0[j]) + float32(w[n+j]*x1[j]) + float32(w[2*n+j]*x2[j]) + float32(w[3*n+j]*x3[j])
		y[j] = z * sigmoidGatef(z)
	}
}

func unconvStepGo(n int, d, dw, dy, w, x0, x1, x2, x3 []float32) {
	for j := range n {
		z := float32(w[j]*x0[j]) + float32(w[n+j]*x1[j]) + float32(w[2*n+j]*x2[j]) + float32(w[3*n+j]*x3[j])
		s := sigmoidGatef(z)
		d[j] = float32(dy[j]*s) * (1 + float32(z*(1-s)))
		dw[j] += float32(d[j] * x0[j])
		dw[n+j] += float32(d[j] * x1[j])
		dw[2*n+j] += float32(d[j] * x2[j])
		dw[3*n+j] += float32(d[j] * x3[j])
	}
}

func unconvInputGo(n int, dx, w, d0, d1, d2, d3 []float32) {
	for j := range n {
		dx[j] = float32(w[j]*d3[j]) + float32(w[n+j]*d2[j]) + float32(w[2*n+j]*d1[j]) + float32(w[3*n+j]*d0[j])
	}
}
