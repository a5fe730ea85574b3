package cpu

import "mhacsp/model/backend"

// Head fusion (SPEC §5), "meshing": S_kl = c_k B_kl c_l, A = softmax over l, D̂^(k) = Σ_l A_kl D̃^(l).

// fuse computes the summaries c of row r of the block, A (fused) and the weights that mix the distances (mix).
func (w *attentionSpan[T]) fuse(r int) {
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
			w.fused[i] = 1 / T(h)
		}
	} else {
		w.softmaxRows()
	}
	copy(w.mix, w.fused)
	if w.fusion != backend.FusionPooled {
		return
	}
	for l := range h {
		var mean T
		for k := range h {
			mean += w.fused[k*h+l] / T(h)
		}
		for k := range h {
			w.mix[k*h+l] = mean
		}
	}
}

// softmaxRows makes A of c and B.
func (w *attentionSpan[T]) softmaxRows() {
	h := w.heads
	for k := range h {
		a := w.fused[k*h:][:h]
		top := w.c[k] * w.b[k*h] * w.c[0]
		for l := range a {
			a[l] = w.c[k] * w.b[k*h+l] * w.c[l]
			top = max(top, a[l])
		}
		for l := range a {
			a[l] -= top
		}
	}
	w.ops.exp(w.fused)
	for k := range h {
		a := w.fused[k*h:][:h]
		var sum T
		for _, x := range a {
			sum += x
		}
		for l := range a {
			a[l] /= sum
		}
	}
}

// fuseBackward takes the gradient of mix and adds those of B (db) and of the summaries (dc, overwritten).
func (w *attentionSpan[T]) fuseBackward() {
	h := w.heads
	clear(w.dc)
	if w.fusion == backend.FusionMean {
		return
	}
	if w.fusion == backend.FusionPooled {
		for l := range h {
			var sum T
			for k := range h {
				sum += w.dmix[k*h+l] / T(h)
			}
			for k := range h {
				w.dmix[k*h+l] = sum
			}
		}
	}
	for k := range h {
		a, da := w.fused[k*h:][:h], w.dmix[k*h:][:h]
		mean := dot(a, da)
		for l := range h {
			ds := a[l] * (da[l] - mean)
			w.db[k*h+l] += ds * w.c[k] * w.c[l]
			w.dc[k] += ds * w.b[k*h+l] * w.c[l]
			w.dc[l] += ds * w.b[k*h+l] * w.c[k]
		}
	}
}
