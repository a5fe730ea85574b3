//go:build goexperiment.simd && amd64

package vec

// The callers have checked the lengths. Strides are in bytes from here on.

func (h Heads) grow(tree, dist, e, f []float32, n int) {
	growHeads(n, at(tree, 0), at(dist, 0), 4*uintptr(h.Line), 4*uintptr(h.Stride), at(e, 0), at(f, 0))
}

func (h Heads) mixSoftmax(dst, w, x []float32, n, m int) {
	mixSoftmaxHeads(n, m, at(dst, 0), at(x, 0), 4*uintptr(h.Stride), at(w, 0))
}

func (h Heads) softmaxGram(gram, g, p, x []float32, n int) {
	softmaxGramHeads(n, at(g, 0), at(p, 0), at(x, 0), 4*uintptr(h.Stride), at(gram, 0))
}

func (h Heads) unmix(u Unmixed[float32], w []float32, n, m int) {
	unmixHeads(n, m, at(u.G, 0), at(u.Mixed, 0), 4*uintptr(h.Stride),
		at(u.Tree, 0), at(u.DTree, 0), at(u.Pull, 0), 4*uintptr(h.Line), at(w, 0), at(u.F, 0), at(u.Dots, 0))
}

func (h Heads) ratios(share, tree []float32, n int) {
	ratiosHeads(n, at(share, 0), at(tree, 0), 4*uintptr(h.Line))
}
