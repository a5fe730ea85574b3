//go:build cgo || js

package webgpu

import (
	"math"

	"mhacsp/model/backend"
)

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (b *Backend) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	// The gradient's readers want its rows padded: see padded.
	var padded backend.Vec
	width := 0
	if a.C%4 != 0 {
		padded, width = b.paddedTo(a.P, a.C)
	}
	b.each("cross_entropy", a.P, words(a.P, a.C, b.place(a.Target), a.Scale, width), a.RowLoss, a.Hit, a.DLogits, padded, a.Logits, a.Weight, indexed)
	if width > 0 {
		b.padding = padding{b.stamp(a.DLogits), b.stamp(padded), a.P, a.C}
	}
	key := pipelineKey{kernel: "weighted_sum"}
	if b.soft && a.P <= b.turnsAllowed() {
		key.lanes = 1 // no barriers, which such an adapter takes long to compile
	}
	b.formed(key, 1, 1, words(a.P, a.Scale), a.Loss, a.RowLoss, a.Weight)
}

// sumGroups is the most workgroups of a sum, hence of partial sums.
const sumGroups = 256

// SumSquares is Σ x² in two passes, of which a GPU's optimizer makes the second.
func (b *Backend) SumSquares(a backend.SumSquares) {
	a.Check()
	if b.soft {
		lanes := min(sumGroups, groupOf(a.X.Len, 64))
		n, wide := quads(a.X.Len)
		sums := lanes
		if wide {
			sums *= 4
		}
		b.turns("sum_strided", n/lanes+1)
		partial := b.temporary("sum", 4*sumGroups)
		b.elements("sum_strided", wide, lanes, words(n, lanes, false), partial, a.X)
		b.elements("sum_strided", false, 1, words(sums, 1, true), a.Out, partial)
		return
	}
	groups := max(1, min(sumGroups, (a.X.Len+1023)/1024))
	b.turns("sum_squares", a.X.Len/(groups*256))
	partial := b.temporary("sum", sumGroups)
	b.flushNorm() // of an earlier call: its parts are overwritten
	b.grid("sum_squares", groups, 1, words(a.X.Len, false), partial, a.X)
	b.before(a.Out)
	a.Out.Len = 1
	b.later.norm = norm{a.Out, partial, groups}
	b.memoryOf(a.Out).used = b.epoch
}

// adamWorkgroup is the workgroup of adam.
const adamWorkgroup = 64

// Adam is one update of all parameters, SPEC §8.
func (b *Backend) Adam(a backend.Adam) {
	a.Check()
	b1, b2 := float64(a.Beta1), float64(a.Beta2)
	rate := float32(float64(a.Rate) / (1 - math.Pow(b1, float64(a.Step))))
	root := float32(1 / math.Sqrt(1-math.Pow(b2, float64(a.Step))))
	n := b.takeNorm(a.Norm2)
	b.formed(pipelineKey{kernel: "adam", parts: n.count > 0}, min(widest, groupOf(a.Param.Len, adamWorkgroup)), 1,
		words(a.Param.Len, a.Loss.Given(), a.Guard.Given(), a.Decoupled, a.Clip, rate, root, a.Rate*a.Decay, a.Decay,
			a.Beta1, a.Beta2, float32(1-b1), float32(1-b2), a.Eps, n.count), a.Param, a.M, a.V, a.Guard, a.Norm2, a.Grad, a.Loss, n.parts)
}
