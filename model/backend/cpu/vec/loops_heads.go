package vec

// The plain loops of attention over one row of a head, of the gated delta rule, and of convolutions. What loops.go
// says of all holds for them.

// Grow sets tree_j = log(exp tree_j + exp e) and adds f·tree_j to dist_j: a row of the tree, longer by an edge
// (SPEC §4).
func growGo(n int, tree, dist []float32, e, f float32) {
	for j := range n {
		tree[j] = logAddExpf(tree[j], e)
		dist[j] += float32(f * tree[j])
	}
}

// Ratio sets share_j = exp(next_j − tree_j).
func ratioGo(n int, share, next, tree []float32) {
	for j := range n {
		share[j] = expf(next[j] - tree[j])
	}
}

// MixExp sets dst_j = exp(−Σ_l w_l x_lj), and returns the sum of these.
func mixExpGo(n int, dst, x0, x1, x2, x3 []float32, w0, w1, w2, w3 float32) (sum float32) {
	for j := range n {
		y := float32(w0*x0[j]) + float32(w1*x1[j]) + float32(w2*x2[j]) + float32(w3*x3[j])
		dst[j] = expf(-y)
		sum += dst[j]
	}
	return sum
}

// PullGram is Pull, and returns the inner products of g, as it then is, with each x.
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

// Unmix makes of d_j = Σ_k w_k y_kj: g_j = −2 d_j, dtree_j = f d_j, and pull_j += 2 d_j. It returns Σ_j d_j tree_j
// and 2 Σ_j d_j.
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

// The next seven are of spans, span.go: m is from a plane to the next, and every second plane is a real one. Sums of a
// row are of either plane.

func spanDotGo(n, m int, x, y []float32) (r0, i0, r1, i1, r2, i2, r3, i3 float32) {
	for j := range n {
		re, im := x[j], x[m+j]
		r0 += float32(re * y[j])
		i0 += float32(im * y[m+j])
		r1 += float32(re * y[2*m+j])
		i1 += float32(im * y[3*m+j])
		r2 += float32(re * y[4*m+j])
		i2 += float32(im * y[5*m+j])
		r3 += float32(re * y[6*m+j])
		i3 += float32(im * y[7*m+j])
	}
	return r0, i0, r1, i1, r2, i2, r3, i3
}

func spanSqDistGo(n, m int, x, y []float32) (r0, i0, r1, i1, r2, i2, r3, i3 float32) {
	for j := range n {
		re, im := x[j], x[m+j]
		d0, d1 := re-y[j], im-y[m+j]
		r0 += float32(d0 * d0)
		i0 += float32(d1 * d1)
		d2, d3 := re-y[2*m+j], im-y[3*m+j]
		r1 += float32(d2 * d2)
		i1 += float32(d3 * d3)
		d4, d5 := re-y[4*m+j], im-y[5*m+j]
		r2 += float32(d4 * d4)
		i2 += float32(d5 * d5)
		d6, d7 := re-y[6*m+j], im-y[7*m+j]
		r3 += float32(d6 * d6)
		i3 += float32(d7 * d7)
	}
	return r0, i0, r1, i1, r2, i2, r3, i3
}

func spanSqNextGo(n, m int, x []float32) (r0, i0, r1, i1, r2, i2 float32) {
	for j := range n {
		x2, x3, x4, x5 := x[2*m+j], x[3*m+j], x[4*m+j], x[5*m+j]
		d0, d1 := x2-x[j], x3-x[m+j]
		r0 += float32(d0 * d0)
		i0 += float32(d1 * d1)
		d2, d3 := x4-x2, x5-x3
		r1 += float32(d2 * d2)
		i1 += float32(d3 * d3)
		d4, d5 := x[6*m+j]-x4, x[7*m+j]-x5
		r2 += float32(d4 * d4)
		i2 += float32(d5 * d5)
	}
	return r0, i0, r1, i1, r2, i2
}

func spanSumGo(n, m int, dst, x []float32, f0, f1, f2, f3 float32) {
	for j := range n {
		dst[j] += float32(f0*x[j]) + float32(f1*x[2*m+j]) + float32(f2*x[4*m+j]) + float32(f3*x[6*m+j])
		dst[m+j] += float32(f0*x[m+j]) + float32(f1*x[3*m+j]) + float32(f2*x[5*m+j]) + float32(f3*x[7*m+j])
	}
}

func spanOuterGo(n, m int, dst, x []float32, f0, f1, f2, f3 float32) {
	for j := range n {
		re, im := x[j], x[m+j]
		dst[j] += float32(f0 * re)
		dst[m+j] += float32(f0 * im)
		dst[2*m+j] += float32(f1 * re)
		dst[3*m+j] += float32(f1 * im)
		dst[4*m+j] += float32(f2 * re)
		dst[5*m+j] += float32(f2 * im)
		dst[6*m+j] += float32(f3 * re)
		dst[7*m+j] += float32(f3 * im)
	}
}

func spanDiffGo(n, m int, da, db, a, b []float32, f0, f1, f2, f3 float32) {
	for j := range n {
		re, im := a[j], a[m+j]
		r0, i0 := f0*(re-b[j]), f0*(im-b[m+j])
		db[j] -= r0
		db[m+j] -= i0
		r1, i1 := f1*(re-b[2*m+j]), f1*(im-b[3*m+j])
		db[2*m+j] -= r1
		db[3*m+j] -= i1
		r2, i2 := f2*(re-b[4*m+j]), f2*(im-b[5*m+j])
		db[4*m+j] -= r2
		db[5*m+j] -= i2
		r3, i3 := f3*(re-b[6*m+j]), f3*(im-b[7*m+j])
		db[6*m+j] -= r3
		db[7*m+j] -= i3
		da[j] = da[j] + r0 + r1 + r2 + r3 // last: it may be a row of db
		da[m+j] = da[m+j] + i0 + i1 + i2 + i3
	}
}

func spanNextGo(n, m int, dx, x []float32, f0, f1, f2 float32) {
	for j := range n {
		x2, x3, x4, x5 := x[2*m+j], x[3*m+j], x[4*m+j], x[5*m+j]
		r0, i0 := f0*(x2-x[j]), f0*(x3-x[m+j])
		dx[j] -= r0
		dx[m+j] -= i0
		r1, i1 := f1*(x4-x2), f1*(x5-x3)
		dx[2*m+j] = dx[2*m+j] + r0 - r1
		dx[3*m+j] = dx[3*m+j] + i0 - i1
		r2, i2 := f2*(x[6*m+j]-x4), f2*(x[7*m+j]-x5)
		dx[4*m+j] = dx[4*m+j] + r1 - r2
		dx[5*m+j] = dx[5*m+j] + i1 - i2
		dx[6*m+j] += r2
		dx[7*m+j] += i2
	}
}

// CombineRows adds Σ_i q_i m_i to dst. This and the next four are of eight rows m_i, one after another.
func combineRowsGo(n int, dst, m []float32, q0, q1, q2, q3, q4, q5, q6, q7 float32) {
	for j := range n {
		dst[j] += float32(q0*m[j]) + float32(q1*m[n+j]) + float32(q2*m[2*n+j]) + float32(q3*m[3*n+j]) +
			float32(q4*m[4*n+j]) + float32(q5*m[5*n+j]) + float32(q6*m[6*n+j]) + float32(q7*m[7*n+j])
	}
}

// RankRows sets to_i = f·m_i + g_i w; to may be m.
func rankRowsGo(n int, to, m, w []float32, f, g0, g1, g2, g3, g4, g5, g6, g7 float32) {
	for j := range n {
		to[j] = float32(f*m[j]) + float32(g0*w[j])
		to[n+j] = float32(f*m[n+j]) + float32(g1*w[j])
		to[2*n+j] = float32(f*m[2*n+j]) + float32(g2*w[j])
		to[3*n+j] = float32(f*m[3*n+j]) + float32(g3*w[j])
		to[4*n+j] = float32(f*m[4*n+j]) + float32(g4*w[j])
		to[5*n+j] = float32(f*m[5*n+j]) + float32(g5*w[j])
		to[6*n+j] = float32(f*m[6*n+j]) + float32(g6*w[j])
		to[7*n+j] = float32(f*m[7*n+j]) + float32(g7*w[j])
	}
}

// RankSumRows makes f·m_i + g_i w of each row, and adds Σ_i q_i m_i of what it made to dst.
func rankSumRowsGo(n int, m, dst, w []float32,
	f, g0, g1, g2, g3, g4, g5, g6, g7, q0, q1, q2, q3, q4, q5, q6, q7 float32) {
	for j := range n {
		m[j] = float32(f*m[j]) + float32(g0*w[j])
		m[n+j] = float32(f*m[n+j]) + float32(g1*w[j])
		m[2*n+j] = float32(f*m[2*n+j]) + float32(g2*w[j])
		m[3*n+j] = float32(f*m[3*n+j]) + float32(g3*w[j])
		m[4*n+j] = float32(f*m[4*n+j]) + float32(g4*w[j])
		m[5*n+j] = float32(f*m[5*n+j]) + float32(g5*w[j])
		m[6*n+j] = float32(f*m[6*n+j]) + float32(g6*w[j])
		m[7*n+j] = float32(f*m[7*n+j]) + float32(g7*w[j])
		dst[j] += float32(q0*m[j]) + float32(q1*m[n+j]) + float32(q2*m[2*n+j]) + float32(q3*m[3*n+j]) +
			float32(q4*m[4*n+j]) + float32(q5*m[5*n+j]) + float32(q6*m[6*n+j]) + float32(q7*m[7*n+j])
	}
}

// InnerRows is Σ_j x_j m_ij of each row.
func innerRowsGo(n int, x, m []float32) (s0, s1, s2, s3, s4, s5, s6, s7 float32) {
	for j := range n {
		s0 += float32(x[j] * m[j])
		s1 += float32(x[j] * m[n+j])
		s2 += float32(x[j] * m[2*n+j])
		s3 += float32(x[j] * m[3*n+j])
		s4 += float32(x[j] * m[4*n+j])
		s5 += float32(x[j] * m[5*n+j])
		s6 += float32(x[j] * m[6*n+j])
		s7 += float32(x[j] * m[7*n+j])
	}
	return s0, s1, s2, s3, s4, s5, s6, s7
}

// InnerRows2 is Σ_j (x_j m_ij + y_j k_ij) of each row.
func innerRows2Go(n int, x, m, y, k []float32) (s0, s1, s2, s3, s4, s5, s6, s7 float32) {
	for j := range n {
		s0 += float32(x[j]*m[j]) + float32(y[j]*k[j])
		s1 += float32(x[j]*m[n+j]) + float32(y[j]*k[n+j])
		s2 += float32(x[j]*m[2*n+j]) + float32(y[j]*k[2*n+j])
		s3 += float32(x[j]*m[3*n+j]) + float32(y[j]*k[3*n+j])
		s4 += float32(x[j]*m[4*n+j]) + float32(y[j]*k[4*n+j])
		s5 += float32(x[j]*m[5*n+j]) + float32(y[j]*k[5*n+j])
		s6 += float32(x[j]*m[6*n+j]) + float32(y[j]*k[6*n+j])
		s7 += float32(x[j]*m[7*n+j]) + float32(y[j]*k[7*n+j])
	}
	return s0, s1, s2, s3, s4, s5, s6, s7
}

// Written sets e = v − f·u and w = g·e.
func writtenGo(n int, e, w, v, u []float32, f, g float32) {
	for j := range n {
		e[j] = v[j] - float32(f*u[j])
		w[j] = g * e[j]
	}
}

// Unwritten is its way back: dv, on entry the gradient of w, becomes g·dv, and du = −f·dv; w = g·e, again. It
// returns Σ_j dv_j e_j, of the dv on entry, and Σ_j dv_j u_j.
func unwrittenGo(n int, dv, du, w, e, u []float32, f, g float32) (along, kept float32) {
	for j := range n {
		along += float32(dv[j] * e[j])
		dv[j] *= g
		kept += float32(dv[j] * u[j])
		du[j] = -float32(f * dv[j])
		w[j] = g * e[j]
	}
	return along, kept
}

// ConvStep sets y = z·σ(z), z = Σ_k w_k ⊙ x_k: a step of a convolution of four weights a channel, w [4n] (SPEC §13).
func convStepGo(n int, y, w, x0, x1, x2, x3 []float32) {
	for j := range n {
		z := float32(w[j]*x0[j]) + float32(w[n+j]*x1[j]) + float32(w[2*n+j]*x2[j]) + float32(w[3*n+j]*x3[j])
		y[j] = z * sigmoidGatef(z)
	}
}

// UnconvStep takes the gradient dy of ConvStep's y, gives that of z in d, and adds that of w to dw [4n].
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

// UnconvInput gives the gradient of a step's x, d_k being that of z k steps later.
func unconvInputGo(n int, dx, w, d0, d1, d2, d3 []float32) {
	for j := range n {
		dx[j] = float32(w[j]*d3[j]) + float32(w[n+j]*d2[j]) + float32(w[2*n+j]*d1[j]) + float32(w[3*n+j]*d0[j])
	}
}
