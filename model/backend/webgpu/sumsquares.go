//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

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
		b.turns("sumsquares_software", n/lanes+1)
		partial := b.temporary("sum", 4*sumGroups)
		b.elements("sumsquares_software", wide, lanes,
			args{{"n", n}, {"lanes", lanes}, {"plain", false}},
			on{{"out", partial}, {"x", a.X}})
		b.elements("sumsquares_software", false, 1,
			args{{"n", sums}, {"lanes", 1}, {"plain", true}},
			on{{"out", a.Out}, {"x", partial}})
		return
	}
	groups := max(1, min(sumGroups, (a.X.Len+1023)/1024))
	b.turns("sumsquares_gpu", a.X.Len/(groups*256))
	partial := b.temporary("sum", sumGroups)
	b.flushNorm() // of an earlier call: its parts are overwritten
	b.grid("sumsquares_gpu", groups, 1,
		args{{"n", a.X.Len}, {"plain", false}},
		on{{"partial", partial}, {"x", a.X}})
	b.before(a.Out)
	a.Out.Len = 1
	b.later.norm = norm{a.Out, partial, groups}
	b.memoryOf(a.Out).used = b.epoch
}
