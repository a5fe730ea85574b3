package cpu

import "mhacsp/model/backend/cpu/vec"

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
func (w *attentionSpan) distances(i int) {
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			w.queue.SqDist(w.span, w.of(w.dist, k, 0)[from:to], w.vector(w.q, k, i), w.vector(w.q, k, from))
		}
	})
}

// edges writes e_t = D_{t,t+1} of every head.
func (w *attentionSpan) edges() {
	blocks(w.steps-1, func(from, to int) {
		for k := range w.heads {
			w.queue.SqDistNext(w.span, w.edge[k*w.cap:][from:to], w.vector(w.q, k, from))
		}
	})
}

// edgeOf takes e_{i−1} of every head from row i of the distances, row r of its block.
func (w *attentionSpan) edgeOf(i, r int) {
	for k := 0; i > 0 && k < w.heads; k++ {
		w.edge[k*w.cap+i-1] = w.of(w.dist, k, r)[i-1]
	}
}

// distanceBackward adds the gradients of q for the last row's pairs, whose weights −2 dD_ij stand in the first row of
// pairs: dD/dq_i = 2(q_i − q_j). They are turned round in place.
func (w *attentionSpan) distanceBackward(i int) {
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			g := w.of(w.pairs, k, 0)[from:to]
			vec.Scale(g, g, -1)
			w.queue.Diff(w.span, w.vector(w.dq, k, i), w.vector(w.dq, k, from), g, w.vector(w.q, k, i),
				w.vector(w.q, k, from))
		}
	})
}

// pullBack adds the second term of rowBackward, for all rows of the sequence.
func (w *attentionSpan) pullBack() {
	for k := range w.heads {
		w.queue.Axpy(w.span, w.vector(w.dq, k, 0), w.pull[k*w.cap:][:w.steps], w.vector(w.q, k, 0))
	}
}

// edgesBackward hands the edges' gradients on to q; they are doubled in place.
func (w *attentionSpan) edgesBackward() {
	blocks(w.steps-1, func(from, to int) {
		for k := range w.heads {
			g := w.dedge[k*w.cap:][from:to]
			vec.Scale(g, g, 2)
			w.queue.DiffNext(w.span, w.vector(w.dq, k, from), g, w.vector(w.q, k, from))
		}
	})
}
