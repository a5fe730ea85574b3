//go:build !(goexperiment.simd && amd64)

package vec

// active is the level in use, the only one of this build.
var active = lowered(available())

func available() level { return levelPortable }

func exp(n int, dst, x []float32)                   { expGo(n, dst, x) }
func expFrom(n int, dst, x []float32, b float32)    { expFromGo(n, dst, x, b) }
func sigmoid(n int, dst, x []float32)               { sigmoidGo(n, dst, x) }
func sinCos(n int, s, c, x []float32)               { sinCosGo(n, s, c, x) }
func piTanhSinCos(n int, theta, c, s, x []float32)  { piTanhSinCosGo(n, theta, c, s, x) }
func logAddExp(n int, dst, a []float32, b float32)  { logAddExpGo(n, dst, a, b) }
func logAddExp2(n int, dst, a, b []float32)         { logAddExp2Go(n, dst, a, b) }
func axpy(n int, dst, x []float32, f float32)       { axpyGo(n, dst, x, f) }
func pull(n int, g, p []float32, f float32)         { pullGo(n, g, p, f) }
func scale(n int, dst []float32, f float32)         { scaleGo(n, dst, f) }
func add(n int, dst, x []float32)                   { addGo(n, dst, x) }
func sub(n int, dst, a, b []float32)                { subGo(n, dst, a, b) }
func adam(n int, p, m, v, g []float32, k *AdamCoef) { adamGo(n, p, m, v, g, k) }
func sum(n int, x []float32) float32                { return sumGo(n, x) }
func maximum(n int, x []float32) float32            { return maximumGo(n, x) }
func dot(n int, x, y []float32) float32             { return dotGo(n, x, y) }
func sqDist(n int, x, y []float32) float32          { return sqDistGo(n, x, y) }
func sumSquares(n int, x []float32) float64         { return sumSquaresGo(n, x) }

func cellForward(n int, alpha, inv, state, s, du, rot, in, prev []float32, eps float32) {
	cellForwardGo(n, alpha, inv, state, s, du, rot, in, prev, eps)
}

func cellForwardRaw(n int, alpha, inv, state, s, du, rot, in, prev []float32) {
	cellForwardRawGo(n, alpha, inv, state, s, du, rot, in, prev)
}

func cellBackward(n int, din, ddelta, dtheta, dprev, alpha, inv, rot, state, dstate, prev []float32) {
	cellBackwardGo(n, din, ddelta, dtheta, dprev, alpha, inv, rot, state, dstate, prev)
}

func cellBackwardRaw(n int, din, ddelta, dtheta, dprev, alpha, rot, dstate, prev []float32) {
	cellBackwardRawGo(n, din, ddelta, dtheta, dprev, alpha, rot, dstate, prev)
}

func copyPanel(dst []float32, w int, src []float32, lds, k, cols int) {
	copyPanelGo(dst, w, src, lds, k, cols)
}

func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	transposeGo(dst, ldd, src, lds, m, n)
}

// tiles is for the levels that this build does not have.
func (p *Panel) tiles(product, []float32, rows, []float32, rows, int, int, int, int, bool) {}

func (s Span) sqDist(out, a, b []float32, step int) { s.sqDistGo(out, a, b, step) }
func (s Span) dot(out, a, b []float32)              { s.dotGo(out, a, b) }
func (s Span) sum(dst, w, x []float32)              { s.sumGo(dst, w, x) }
func (s Span) outer(dst, w, a []float32, step int)  { s.outerGo(dst, w, a, step) }
func (s Span) diff(da, db, g, a, b []float32)       { s.diffGo(da, db, g, a, b) }

func unit(n int, y, inv, z []float32, eps float32) { unitGo(n, y, inv, z, eps) }
func unitBackward(n int, dz, dy, y, inv []float32) { unitBackwardGo(n, dz, dy, y, inv) }
func axpyComplex(n int, dst, f, x []float32)       { axpyComplexGo(n, dst, f, x) }
func addInner(n int, dst, x, y []float32)          { addInnerGo(n, dst, x, y) }

func (s Span) diffNext(dx, g, x []float32) { s.diffNextGo(dx, g, x) }

func angle(n int, v, rot, pre, u []float32) { angleGo(n, v, rot, pre, u) }
func gate(n int, dst, pre, r []float32)     { gateGo(n, dst, pre, r) }

func angleBackward(n int, dpre, du, pre, u, dv, dtheta, old []float32) {
	angleBackwardGo(n, dpre, du, pre, u, dv, dtheta, old)
}

func gateBackward(n int, dpre, dr, pre, r, din []float32) { gateBackwardGo(n, dpre, dr, pre, r, din) }

func (h Heads) grow(_, _, _, _ []float32, _ int)            {}
func (h Heads) mixSoftmax(_, _, _ []float32, _, _ int)      {}
func (h Heads) softmaxGram(_, _, _, _ []float32, _ int)     {}
func (h Heads) unmix(Unmixed[float32], []float32, int, int) {}
func (h Heads) ratios(_, _ []float32, _ int)                {}
func (h Heads) fuse(_, _, _ []float32)                      {}
func (h Heads) fuseBackward(_, _, _, _, _, _ []float32)     {}
