package vec

// Heads says where one row of the attention lies for each of Count heads. Arrays that hold a block of rows have head
// k's row at k·Stride, arrays that hold one row a head at k·Line; below they are called block and line. The loops are
// those of SPEC §§4–6 for row i, n = i+1 elements; one call for all heads, since a row is often shorter than two
// vectors. The arrays of a call must not overlap.
type Heads struct{ Count, Stride, Line int }

func (h Heads) block(x []float32, n int) { need((h.Count-1)*h.Stride+n, len(x)) }
func (h Heads) square(xs ...[]float32) {
	for _, x := range xs {
		need(h.Count*h.Count, len(x))
	}
}

func (h Heads) line(x []float32, n int) { need((h.Count-1)*h.Line+n, len(x)) }

// wide tells whether the loops of 16 lanes serve (heads_simd.go): they are made for four heads, the number of every
// preset.
func (h Heads) wide() bool { return active == levelAVX512 && h.Count == 4 }

// Grow makes row i of the tree out of row i−1, tree_kj = log(exp tree_kj + exp e_k) for j < n−1 and 0 for the last,
// and adds f_k times it to the distances: dist_kj += f_k tree_kj. tree is a line, dist a block.
func (h Heads) Grow(tree, dist, e, f []float32, n int) {
	h.line(tree, n)
	h.block(dist, n)
	need(h.Count, len(e))
	need(h.Count, len(f))
	if h.wide() {
		h.grow(tree, dist, e, f, n)
		return
	}
	for k := range h.Count {
		c := tree[k*h.Line:][:n]
		LogAddExp(c[:n-1], c[:n-1], e[k])
		c[n-1] = 0
		axpy(n, dist[k*h.Stride:], c, f[k])
	}
}

// MixSoftmax writes dst_k = softmax(−Σ_l w_kl x_l) over n elements and zeros from there to m. The sum must not be
// negative, and 0 somewhere: an element's distance to itself is. w is Count×Count, dst and x are blocks.
func (h Heads) MixSoftmax(dst, w, x []float32, n, m int) {
	h.block(dst, m)
	h.block(x, n)
	h.square(w)
	if h.wide() {
		h.mixSoftmax(dst, w, x, n, m)
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
	h.square(gram)
	if h.wide() {
		h.softmaxGram(gram, g, p, x, n)
		return
	}
	for k := range h.Count {
		gk, pk := g[k*h.Stride:], p[k*h.Stride:]
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
	need(h.Count, len(u.F))
	need(h.Count, len(u.Dots))
	h.square(w)
	if h.wide() {
		h.unmix(u, w, n, m)
		return
	}
	for l := range h.Count {
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

// Ratios writes share_kj = exp(tree_k,j+1 − tree_kj) for j < n−1; both are lines, of which tree has n elements.
func (h Heads) Ratios(share, tree []float32, n int) {
	h.line(share, n-1)
	h.line(tree, n)
	if h.wide() {
		h.ratios(share, tree, n-1)
		return
	}
	for k := range h.Count {
		c, s := tree[k*h.Line:][:n], share[k*h.Line:][:n-1]
		sub(n-1, s, c[1:], c)
		exp(n-1, s, s)
	}
}

// Fuse writes a_kl = softmax over l of c_k b_kl c_l; a and b are Count×Count.
func (h Heads) Fuse(a, c, b []float32) {
	h.square(a, b)
	need(h.Count, len(c))
	if h.wide() {
		h.fuse(a, c, b)
		return
	}
	for k := range h.Count {
		row := a[k*h.Count:][:h.Count]
		for l := range row {
			row[l] = c[k] * b[k*h.Count+l] * c[l]
		}
		top := maximum(len(row), row)
		for l := range row {
			row[l] -= top
		}
		exp(len(row), row, row)
		scale(len(row), row, 1/sum(len(row), row))
	}
}

// FuseBackward takes the gradient da of Fuse's result, adds that of b to db and writes that of c to dc.
func (h Heads) FuseBackward(db, dc, a, da, c, b []float32) {
	h.square(db, a, da, b)
	need(h.Count, len(c))
	need(h.Count, len(dc))
	if h.wide() {
		h.fuseBackward(db, dc, a, da, c, b)
		return
	}
	clear(dc[:h.Count])
	for k := range h.Count {
		at := k * h.Count
		mean := dot(h.Count, a[at:], da[at:])
		for l := range h.Count {
			ds := a[at+l] * (da[at+l] - mean)
			db[at+l] += ds * c[k] * c[l]
			dc[k] += ds * b[at+l] * c[l]
			dc[l] += ds * b[at+l] * c[k]
		}
	}
}
