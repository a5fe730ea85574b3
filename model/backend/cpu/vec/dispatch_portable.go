//go:build !(goexperiment.simd && amd64 && !go1.27)

package vec

// built tells whether this build has vector loops.
const built = false

// active is the level in use, the only one of this build.
var active = lowered(available())

func available() level { return levelPortable }

func copyPanel(dst []float32, w int, src []float32, lds, k, cols int) {
	copyPanelGo(dst, w, src, lds, k, cols)
}

func copyPanels(dst []float32, w int, src []float32, lds, k, panels int) {
	copyPanelsGo(dst, w, src, lds, k, panels)
}

func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	transposeGo(dst, ldd, src, lds, m, n)
}

func (p *Panel) hasPair() bool { return false }

// tiles is for the levels that this build does not have.
func (p *Panel) tiles(product, []float32, rows, []float32, rows, int, int, int, int, manner) {}

// manner and ahead are for tiles.
type (
	manner struct {
		add  bool
		next *ahead
	}
	ahead struct{}
)

func (*ahead) want([]float32, int, int, []float32, int, int, int, int) {}

func (p *Panel) mulRows(c []float32, ldc int, a []float32, lda, m int, add bool, _ []float32) {
	p.mul(c, rows{step: ldc}, a, rows{step: lda}, m, p.k, p.n, add)
}

func (s Span) sqDist(out, a, b []float32, step int) { s.sqDistGo(out, a, b, step) }
func (s Span) dot(out, a, b []float32)              { s.dotGo(out, a, b) }
func (s Span) sum(dst, w, x []float32)              { s.sumGo(dst, w, x) }
func (s Span) outer(dst, w, a []float32, step int)  { s.outerGo(dst, w, a, step) }
func (s Span) diff(da, db, g, a, b []float32)       { s.diffGo(da, db, g, a, b) }

func (s Span) diffNext(dx, g, x []float32) { s.diffNextGo(dx, g, x) }

func (h Heads) grow(_, _, _, _ []float32, _ int)            {}
func (h Heads) mixSoftmax(_, _, _ []float32, _, _ int)      {}
func (h Heads) softmaxGram(_, _, _, _ []float32, _ int)     {}
func (h Heads) unmix(Unmixed[float32], []float32, int, int) {}
func (h Heads) ratios(_, _ []float32, _ int)                {}
func (h Heads) fuse(_, _, _ []float32)                      {}
func (h Heads) fuseBackward(_, _, _, _, _, _ []float32)     {}

type deltaWide struct{}

func (s *Delta) shape() bool                                           { return false }
func (s *Delta) keep([]float32) bool                                   { return false }
func (s *Delta) factors(*DeltaSteps, float32) bool                     { return false }
func (s *Delta) forward(*DeltaSteps, []float32, int) bool              { return false }
func (s *Delta) backward(*DeltaSteps, []float32, *DeltaGradients) bool { return false }
