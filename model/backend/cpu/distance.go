package cpu

// Squared Mahalanobis distances (SPEC §3), one row of a sequence at a time: D_ij = Σ |q_i − q_j|² per head, real
// and imaginary planes together.

// distances writes D_ij of every head for j = 0..i to dist[k][j].
func (w *attentionSpan[T]) distances(i int) {
	for k := range w.heads {
		row := w.dist[k*w.cap:]
		for j := range i + 1 {
			row[j] = w.sqDistHead(k, i, j)
		}
	}
}

// edges writes e_t = D_{t,t+1} of every head.
func (w *attentionSpan[T]) edges() {
	for k := range w.heads {
		row := w.edge[k*w.cap:]
		for t := range w.steps - 1 {
			row[t] = w.sqDistHead(k, t+1, t)
		}
	}
}

func (w *attentionSpan[T]) sqDistHead(k, i, j int) T {
	a, b := w.vector(w.q, k, i), w.vector(w.q, k, j)
	d := w.d
	return w.ops.sqDist(a[:d], b[:d]) + w.ops.sqDist(a[w.n:][:d], b[w.n:][:d])
}

// distanceBackward adds the gradients of q_i and q_j for D_ij's gradient g.
func (w *attentionSpan[T]) distanceBackward(k, i, j int, g T) {
	if i == j || g == 0 {
		return
	}
	a, b := w.vector(w.q, k, i), w.vector(w.q, k, j)
	da, db := w.vector(w.dq, k, i), w.vector(w.dq, k, j)
	for _, p := range [2]int{0, w.n} {
		qa, qb := a[p:][:w.d], b[p:][:w.d]
		w.ops.addScaledDiff(da[p:][:w.d], 2*g, qa, qb)
		w.ops.addScaledDiff(db[p:][:w.d], 2*g, qb, qa)
	}
}
