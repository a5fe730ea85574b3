package cpu

import "mhacsp/model/backend"

// Head fusion (SPEC §5), "meshing": S_kl = c_k B_kl c_l, A = softmax over l, D̂^(k) = Σ_l A_kl D̃^(l).

// fuse computes the summaries c of row r of the block, A (fused) and the weights that mix the distances (mix).
func (w *attentionSpan) fuse(r int) {
	h := w.heads
	for k := range h {
		if w.kind == backend.TreeNone {
			w.c[k] = log1p(w.of(w.dist, k, r)[0])
		} else {
			w.c[k] = w.tree[k*w.cap]
		}
	}
	if w.fusion == backend.FusionMean {
		for i := range w.fused {
			w.fused[i] = 1 / float32(h)
		}
	} else {
		w.lines().Fuse(w.fused, w.c, w.b)
	}
	copy(w.mix, w.fused)
	if w.fusion != backend.FusionPooled {
		return
	}
	poolHeads(w.mix, w.fused, h)
}

// poolHeads sets each column of the h×h matrix to to the mean of from's, which may be the same matrix.
func poolHeads(to, from []float32, h int) {
	for l := range h {
		var mean float32
		for k := range h {
			mean += from[k*h+l] / float32(h)
		}
		for k := range h {
			to[k*h+l] = mean
		}
	}
}

// fuseBackward takes the gradient of mix and adds those of B (db) and of the summaries (dc, overwritten).
func (w *attentionSpan) fuseBackward() {
	h := w.heads
	if w.fusion == backend.FusionMean {
		clear(w.dc)
		return
	}
	if w.fusion == backend.FusionPooled {
		poolHeads(w.dmix, w.dmix, h)
	}
	w.lines().FuseBackward(w.db, w.dc, w.fused, w.dmix, w.c, w.b)
}
