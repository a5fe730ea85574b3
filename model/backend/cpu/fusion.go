package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

// Head fusion (SPEC §5), "meshing": S_kl = c_k B_kl c_l, A = softmax over l, D̂^(k) = Σ_l A_kl D̃^(l).

// fuse computes the summaries c of row r of the block, A (fused) and the weights that mix the distances (mix).
func (w *attentionSpan) fuse(r int) {
	h := w.heads
	for k := range h {
		if w.kind == backend.TreeNone {
			w.c[k] = reference.Log1p(w.of(w.dist, k, r)[0])
		} else {
			w.c[k] = w.tree[k*w.cap]
		}
	}
	if w.fusion == backend.FusionMean {
		for i := range w.fused {
			w.fused[i] = 1 / float32(h)
		}
	} else {
		w.weigh()
	}
	copy(w.mix, w.fused)
	if w.fusion == backend.FusionPooled {
		poolHeads(w.mix, h)
	}
}

// weigh writes A, the softmax over l of c_k B_kl c_l.
func (w *attentionSpan) weigh() {
	h := w.heads
	for k, ck := range w.c {
		row, top := w.fused[k*h:][:h], float32(math.Inf(-1))
		for l, cl := range w.c {
			row[l] = ck * w.b[k*h+l] * cl
			top = max(top, row[l])
		}
		for l := range row {
			row[l] -= top
		}
	}
	vec.Exp(w.fused, w.fused, 0) // of all heads at once: a row of them is shorter than a vector
	for k := range h {
		row, sum := w.fused[k*h:][:h], float32(0)
		for _, x := range row {
			sum += x
		}
		for l := range row {
			row[l] /= sum
		}
	}
}

// poolHeads sets each column of an h×h matrix to its mean.
func poolHeads(x []float32, h int) {
	for l := range h {
		var mean float32
		for k := range h {
			mean += x[k*h+l] / float32(h)
		}
		for k := range h {
			x[k*h+l] = mean
		}
	}
}

// fuseBackward takes the gradient of mix and adds those of B (db) and of the summaries (dc, overwritten).
func (w *attentionSpan) fuseBackward() {
	h := w.heads
	clear(w.dc)
	if w.fusion == backend.FusionMean {
		return
	}
	if w.fusion == backend.FusionPooled {
		poolHeads(w.dmix, h)
	}
	for k := range h {
		at := k * h
		p, dp, b, db := w.fused[at:][:h], w.dmix[at:][:h], w.b[at:][:h], w.db[at:][:h]
		var mean float32
		for l, x := range p {
			mean += float32(x * dp[l])
		}
		for l, cl := range w.c {
			ds := p[l] * (dp[l] - mean)
			db[l] += float32(ds * w.c[k] * cl)
			w.dc[k] += float32(ds * b[l] * cl)
			w.dc[l] += float32(ds * b[l] * w.c[k])
		}
	}
}
