package cpu

// Squared Mahalanobis distances (SPEC §3), one row of a sequence at a time: D_ij = Σ |q_i − q_j|² per head, real
// and imaginary planes together.

// distances writes D_ij of every head for j = 0..i to dist[k][j].
func (w *attentionSpan[T]) distances(i int) {
	for k := range w.heads {
		w.ops.spanSqDist(w.span, w.dist[k*w.cap:][:i+1], w.vector(w.q, k, i), w.vector(w.q, k, 0))
	}
}

// edges writes e_t = D_{t,t+1} of every head.
func (w *attentionSpan[T]) edges() {
	for k := range w.heads {
		w.ops.spanSqDistNext(w.span, w.edge[k*w.cap:][:w.steps-1], w.vector(w.q, k, 0))
	}
}

// distanceBackward adds the gradients of q for those of D_ij, j ≤ i, in g: dD/dq_i = 2(q_i − q_j). g is doubled in
// place.
func (w *attentionSpan[T]) distanceBackward(k, i int, g []T) {
	for j := range g {
		g[j] *= 2
	}
	w.ops.spanDiff(w.span, w.vector(w.dq, k, i), w.vector(w.dq, k, 0), g, w.vector(w.q, k, i), w.vector(w.q, k, 0))
}

// edgesBackward hands the edges' gradients on to q; they are doubled in place.
func (w *attentionSpan[T]) edgesBackward() {
	for k := range w.heads {
		g := w.dedge[k*w.cap:][:w.steps-1]
		for t := range g {
			g[t] *= 2
		}
		w.ops.spanDiffNext(w.span, w.vector(w.dq, k, 0), g, w.vector(w.q, k, 0))
	}
}
