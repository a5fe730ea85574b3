//go:build cgo || js

package webgpu

import (
	"math"

	"mhacsp/model/backend"
)

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (b *Backend) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	b.each("cross_entropy", a.P, words(a.P, a.C, b.place(a.Target), a.Scale), a.RowLoss, a.Hit, a.DLogits, a.Logits, a.Weight, indexed)
	b.grid("weighted_sum", 1, 1, words(a.P, a.Scale), a.Loss, a.RowLoss, a.Weight)
}

// sumGroups is the most workgroups of a sum, hence of partial sums.
const sumGroups = 256

// SumSquares is Σ x² in two passes.
func (b *Backend) SumSquares(a backend.SumSquares) {
	a.Check()
	groups := max(1, min(sumGroups, (a.X.Len+1023)/1024))
	b.turns("sum_squares", a.X.Len/(groups*256))
	partial := b.temporary("sum", sumGroups)
	b.grid("sum_squares", groups, 1, words(a.X.Len, false), partial, a.X)
	b.grid("sum_squares", 1, 1, words(groups, true), a.Out, partial)
}

// Adam is one update of all parameters, SPEC §8.
func (b *Backend) Adam(a backend.Adam) {
	a.Check()
	b1, b2 := float64(a.Beta1), float64(a.Beta2)
	rate := float32(float64(a.Rate) / (1 - math.Pow(b1, float64(a.Step))))
	root := float32(1 / math.Sqrt(1-math.Pow(b2, float64(a.Step))))
	b.each("adam", a.Param.Len, words(a.Param.Len, a.Loss.Given(), a.Guard.Given(), a.Decoupled, a.Clip, rate, root, a.Rate*a.Decay, a.Decay,
		a.Beta1, a.Beta2, float32(1-b1), float32(1-b2), a.Eps), a.Param, a.M, a.V, a.Guard, a.Grad, a.Norm2, a.Loss)
}
