package vec

import "math"

// Heads says where one row of the attention lies for each of Count heads. Arrays that hold a block of rows have head
// k's row at k·Stride, arrays that hold one row a head at k·Line; below they are called block and line. The loops are
// those of SPEC §§4–6 for row i, n = i+1 elements; one call for all heads, since a row is often shorter than two
// vectors. The arrays of a call must not overlap.
type Heads struct{ Count, Stride, Line int }

func (h Heads) block(x []float32, n int) { need((h.Count-1)*h.Stride+n, len(x)) }
func (h Heads) line(x []float32, n int)  { need((h.Count-1)*h.Line+n, len(x)) }

// four reports whether there are four heads, the number of every preset: the loops that mix heads take four at once.
func (h Heads) four() bool { return h.Count == 4 }

// rows are the four heads' rows of n elements in a block.
func (h Heads) rows(x []float32, n int) (x0, x1, x2, x3 []float32) {
	s := h.Stride
	return x[:n], x[s:][:n], x[2*s:][:n], x[3*s:][:n]
}

// Grow makes row i of the tree out of row i−1, tree_kj = log(exp tree_kj + exp e_k) for j < n−1 and 0 for the last,
// and adds f_k times it to the distances: dist_kj += f_k tree_kj. tree is a line, dist a block.
func (h Heads) Grow(tree, dist, e, f []float32, n int) {
	h.line(tree, n)
	h.block(dist, n)
	needAll(h.Count, e, f)
	for k := range h.Count {
		c := tree[k*h.Line:][:n]
		grow(n-1, c, dist[k*h.Stride:], e[k], f[k])
		c[n-1] = 0
	}
}

// MixSoftmax writes dst_k = softmax(−Σ_l w_kl x_l) over n elements and zeros from there to m. The sum must not be
// negative, and 0 somewhere: an element's distance to itself is. w is Count×Count, dst and x are blocks.
func (h Heads) MixSoftmax(dst, w, x []float32, n, m int) {
	h.block(dst, m)
	h.block(x, n)
	need(h.Count*h.Count, len(w))
	if h.four() {
		x0, x1, x2, x3 := h.rows(x, n)
		for k := range 4 {
			row, v := dst[k*h.Stride:][:m], w[4*k:]
			scale(n, row, 1/mixExp(n, row, x0, x1, x2, x3, v[0], v[1], v[2], v[3]))
			clear(row[n:])
		}
		return
	}
	for k := range h.Count {
		row := dst[k*h.Stride:][:m]
		clear(row)
		for l := range h.Count {
			axpy(n, row, x[l*h.Stride:], w[k*h.Count+l])
		}
		expFrom(n, row, row, 0)
		scale(n, row, 1/sum(n, row))
	}
}

// SoftmaxGram makes of the gradient g of p = softmax(−y) that of y, g_kj = −p_kj (g_kj − Σ_i p_ki g_ki), and writes
// gram_kl = Σ_j g_kj x_lj, the gradient of w in y_k = Σ_l w_kl x_l; it is Count×Count, the others are blocks.
func (h Heads) SoftmaxGram(gram, g, p, x []float32, n int) {
	h.block(g, n)
	h.block(p, n)
	h.block(x, n)
	need(h.Count*h.Count, len(gram))
	for k := range h.Count {
		gk, pk := g[k*h.Stride:], p[k*h.Stride:]
		if h.four() {
			x0, x1, x2, x3 := h.rows(x, n)
			to := gram[4*k:][:4]
			to[0], to[1], to[2], to[3] = pullGram(n, gk, pk, x0, x1, x2, x3, dot(n, pk, gk))
			continue
		}
		pull(n, gk, pk, dot(n, pk, gk))
		for l := range h.Count {
			gram[k*h.Count+l] = dot(n, gk, x[l*h.Stride:])
		}
	}
}

// Unmixed are the arrays of Unmix: blocks G and Mixed, lines Tree, DTree and Pull, and F and Dots a number a head.
type Unmixed[T ~float32 | ~float64] struct {
	G, Mixed          []T
	Tree, DTree, Pull []T
	F, Dots           []T
}

// Unmix takes the gradient Mixed of y_k = Σ_l w_kl x_l and makes of that of x, d_l = Σ_k w_kl Mixed_k:
//
//   - Dots_l = d_l · Tree_l and DTree_l = F_l d_l, x being a distance and F times the tree;
//   - G_lj = −2 d_lj for j < n−1 and 0 from there to m: what a pair weighs in the gradient of the distance's vectors;
//   - Pull_lj += 2 d_lj for j < n−1, and their sum to Pull_l,n−1: what a vector loses of itself.
func (h Heads) Unmix(u Unmixed[float32], w []float32, n, m int) {
	h.block(u.G, m)
	h.block(u.Mixed, n)
	for _, x := range [][]float32{u.Tree, u.DTree, u.Pull} {
		h.line(x, n)
	}
	needAll(h.Count, u.F, u.Dots)
	need(h.Count*h.Count, len(w))
	for l := range h.Count {
		if h.four() {
			h.unmix(u, w, n, m, l)
			continue
		}
		d, pull, dtree := u.G[l*h.Stride:][:m], u.Pull[l*h.Line:][:n], u.DTree[l*h.Line:][:n]
		clear(d)
		for k := range h.Count {
			axpy(n, d, u.Mixed[k*h.Stride:], w[k*h.Count+l])
		}
		u.Dots[l] = dot(n, d, u.Tree[l*h.Line:])
		clear(dtree)
		axpy(n, dtree, d, u.F[l])
		d[n-1] = 0
		scale(n, d, -2)
		pull[n-1] -= sum(n, d)
		axpy(n, pull, d, -1)
	}
}

// unmix is Unmix of head l, of four. The last element's distance is that to itself.
func (h Heads) unmix(u Unmixed[float32], w []float32, n, m, l int) {
	g, tree, dtree := u.G[l*h.Stride:][:m], u.Tree[l*h.Line:][:n], u.DTree[l*h.Line:][:n]
	pull, last := u.Pull[l*h.Line:][:n], n-1
	y0, y1, y2, y3 := h.rows(u.Mixed, n)
	w0, w1, w2, w3 := w[l], w[4+l], w[8+l], w[12+l]
	along, taken := unmix(last, g, dtree, pull, tree, y0, y1, y2, y3, w0, w1, w2, w3, u.F[l])
	d := float32(w0*y0[last]) + float32(w1*y1[last]) + float32(w2*y2[last]) + float32(w3*y3[last])
	u.Dots[l], dtree[last] = along+float32(d*tree[last]), d*u.F[l]
	pull[last] += taken
	clear(g[last:])
}

// Ratios writes share_kj = exp(tree_k,j+1 − tree_kj) for j < n−1; both are lines, of which tree has n elements.
func (h Heads) Ratios(share, tree []float32, n int) {
	h.line(share, n-1)
	h.line(tree, n)
	for k := range h.Count {
		c := tree[k*h.Line:][:n]
		ratio(n-1, share[k*h.Line:], c[1:], c)
	}
}

// Fuse writes a_kl = softmax over l of c_k b_kl c_l; a and b are Count×Count.
func (h Heads) Fuse(a, c, b []float32) {
	needAll(h.Count*h.Count, a, b)
	need(h.Count, len(c))
	a = a[:h.Count*h.Count]
	for k, ck := range c[:h.Count] {
		row, bk := a[k*h.Count:][:h.Count], b[k*h.Count:][:h.Count]
		top := float32(math.Inf(-1))
		for l, cl := range c[:h.Count] {
			row[l] = ck * bk[l] * cl
			top = max(top, row[l])
		}
		for l := range row {
			row[l] -= top
		}
	}
	exp(len(a), a, a) // of all heads at once: a row of them is shorter than a vector
	for k := range h.Count {
		row, sum := a[k*h.Count:][:h.Count], float32(0)
		for _, x := range row {
			sum += x
		}
		for l := range row {
			row[l] /= sum
		}
	}
}

// FuseBackward takes the gradient da of Fuse's result, adds that of b to db and writes that of c to dc.
func (h Heads) FuseBackward(db, dc, a, da, c, b []float32) {
	needAll(h.Count*h.Count, db, a, da, b)
	needAll(h.Count, c, dc)
	clear(dc[:h.Count])
	for k := range h.Count {
		at := k * h.Count
		p, dp, bk, dbk := a[at:][:h.Count], da[at:][:h.Count], b[at:][:h.Count], db[at:][:h.Count]
		var mean float32
		for l, x := range p {
			mean += float32(x * dp[l])
		}
		for l, cl := range c[:h.Count] {
			ds := p[l] * (dp[l] - mean)
			dbk[l] += float32(ds * c[k] * cl)
			dc[k] += float32(ds * bk[l] * cl)
			dc[l] += float32(ds * bk[l] * c[k])
		}
	}
}
