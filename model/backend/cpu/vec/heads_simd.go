//go:build goexperiment.simd && amd64

package vec

// places say for every lane of a 4×4 matrix, row after row, where to look: at the lane of its row's or its column's number, a
// row's first lane for the lanes of the first row, or the lane whose number differs in one bit.
var places = func() (p struct{ row, column, first, swap1, swap2, swap4, swap8 [16]uint32 }) {
	for i := range uint32(16) {
		p.row[i], p.column[i], p.first[i] = i/4, i%4, i%4*4
		p.swap1[i], p.swap2[i], p.swap4[i], p.swap8[i] = i^1, i^2, i^4, i^8
	}
	return p
}()

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

func (h Heads) fuse(a, c, b []float32) { fuseHeads(at(a, 0), at(c, 0), at(b, 0)) }

func (h Heads) fuseBackward(db, dc, a, da, c, b []float32) {
	fuseBackHeads(at(db, 0), at(dc, 0), at(a, 0), at(da, 0), at(c, 0), at(b, 0))
}
