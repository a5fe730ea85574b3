package vec

// Heads is a set of short rows, one a head: head k's row starts at k·Stride.
type Heads struct{ Count, Stride int }

func (h Heads) check(x []float32, n int) { need((h.Count-1)*h.Stride+n, len(x)) }

// Mix writes dst_k = Σ_l w_kl x_l over rows of n elements; w is Count×Count.
func (h Heads) Mix(dst, w, x []float32, n int) {
	h.check(dst, n)
	h.check(x, n)
	need(h.Count*h.Count, len(w))
	mix(dst, w, x, h.Count, h.Stride, n)
}

// Gram writes dst_kl = Σ_j a_kj b_lj over rows of n elements; dst is Count×Count.
func (h Heads) Gram(dst, a, b []float32, n int) {
	h.check(a, n)
	h.check(b, n)
	need(h.Count*h.Count, len(dst))
	gram(dst, a, b, h.Count, h.Stride, n)
}
