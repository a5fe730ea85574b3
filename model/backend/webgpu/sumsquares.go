//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// sumGroups is the most workgroups of a sum, hence of partial sums.
const sumGroups = 256

// SumSquares is Σ x² in two passes, of which the optimizer makes the second.
func (b *Backend) SumSquares(a backend.SumSquares) {
	a.Check()
	groups := max(1, min(sumGroups, (a.X.Len+1023)/1024))
	b.turns("sumsquares", a.X.Len/(groups*256))
	partial := b.temporary("sum", sumGroups)
	b.flushNorm() // of an earlier call: its parts are overwritten
	b.grid("sumsquares", groups, 1, args{{"n", a.X.Len}, {"plain", false}}, on{{"partial", partial}, {"x", a.X}})
	b.before(a.Out)
	a.Out.Len = 1
	b.later.norm = norm{a.Out, partial, groups}
	b.memoryOf(a.Out).used = b.epoch
}
