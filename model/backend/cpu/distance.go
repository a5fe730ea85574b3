package cpu

// Squared Mahalanobis distances (SPEC §3): D_ij = Σ |q_i − q_j|² per head, real and imaginary planes together.

// blockRows is how many positions the long loops take at a time, all heads of one block before the next: a block of q
// and its gradient then stay in the second-level cache however long the sequence.
const blockRows = 128

// blocks calls f for consecutive ranges of n positions.
func blocks(n int, f func(from, to int)) {
	for from := 0; from < n; from += blockRows {
		f(from, min(from+blockRows, n))
	}
}

// distances writes D_ij of every head for j = 0..i to the first row of dist.
func (w *attentionSpan[T]) distances(i int) {
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			w.ops.spanSqDist(w.span, w.of(w.dist, k, 0)[from:to], w.vector(w.q, k, i), w.vector(w.q, k, from))
		}
	})
}

// edges writes e_t = D_{t,t+1} of every head.
func (w *attentionSpan[T]) edges() {
	blocks(w.steps-1, func(from, to int) {
		for k := range w.heads {
			w.ops.spanSqDistNext(w.span, w.edge[k*w.cap:][from:to], w.vector(w.q, k, from))
		}
	})
}

// distanceBackward adds the gradients of q for those of D_ij in the first row of drect, j ≤ i: dD/dq_i = 2(q_i − q_j). drect
// is doubled in place.
func (w *attentionSpan[T]) distanceBackward(i int) {
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			g := w.of(w.drect, k, 0)[from:to]
			double(g)
			w.ops.spanDiff(w.span, w.vector(w.dq, k, i), w.vector(w.dq, k, from), g, w.vector(w.q, k, i), w.vector(w.q, k, from))
		}
	})
}

// pairs makes of the gradients of D_ij in row r of drect, j ≤ i, what a pair weighs in the gradient of q, w_ij = −2 dD_ij: with
// it dq_i = Σ_j w_ij q_j − (Σ_j w_ij) q_i, and dq_j likewise, which are products of matrices but for the second term; its sums
// are taken together in pull. A position's distance to itself has no gradient.
func (w *attentionSpan[T]) pairs(k, i, r int) {
	row, pull := w.of(w.drect, k, r)[:i+1], w.pull[k*w.cap:][:i+1]
	w.ops.scale(row, -2)
	row[i] = 0
	pull[i] -= w.ops.sum(row)
	w.ops.axpy(pull, -1, row)
}

// pullBack adds the second term of pairs, for all rows of the sequence.
func (w *attentionSpan[T]) pullBack() {
	for k := range w.heads {
		w.ops.spanAxpy(w.span, w.vector(w.dq, k, 0), w.pull[k*w.cap:][:w.steps], w.vector(w.q, k, 0))
	}
}

// edgesBackward hands the edges' gradients on to q; they are doubled in place.
func (w *attentionSpan[T]) edgesBackward() {
	blocks(w.steps-1, func(from, to int) {
		for k := range w.heads {
			g := w.dedge[k*w.cap:][from:to]
			double(g)
			w.ops.spanDiffNext(w.span, w.vector(w.dq, k, from), g, w.vector(w.q, k, from))
		}
	})
}

func double[T Float](x []T) {
	for i := range x {
		x[i] *= 2
	}
}
