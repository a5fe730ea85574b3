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
	b.each("cross_entropy", a.P,
		args{{"P", a.P}, {"C", a.C}, {"target_at", b.place(a.Target)}, {"scale", a.Scale}, {"width", width}}, on{
			{"rowloss", a.RowLoss}, {"hit", a.Hit}, {"dlogits", a.DLogits}, {"padded", padded},
			{"logits", a.Logits}, {"weight", a.Weight}, {"ints", indexed},
		})
	if width > 0 {
		b.padding = padding{b.stamp(a.DLogits), b.stamp(padded), a.P, a.C}
	}
	key := pipelineKey{kernel: "weighted_sum"}
	if b.soft && a.P <= b.turnsAllowed() {
		key.lanes = 1 // no barriers, which such an adapter takes long to compile
	}
	b.formed(key, 1, 1,
		args{{"n", a.P}, {"scale", a.Scale}},
		on{{"out", a.Loss}, {"x", a.RowLoss}, {"weight", a.Weight}})
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
		b.elements("sum_strided", wide, lanes,
			args{{"n", n}, {"lanes", lanes}, {"plain", false}},
			on{{"out", partial}, {"x", a.X}})
		b.elements("sum_strided", false, 1,
			args{{"n", sums}, {"lanes", 1}, {"plain", true}},
			on{{"out", a.Out}, {"x", partial}})
		return
	}
	groups := max(1, min(sumGroups, (a.X.Len+1023)/1024))
	b.turns("sum_squares", a.X.Len/(groups*256))
	partial := b.temporary("sum", sumGroups)
	b.flushNorm() // of an earlier call: its parts are overwritten
	b.grid("sum_squares", groups, 1,
		args{{"n", a.X.Len}, {"plain", false}},
		on{{"partial", partial}, {"x", a.X}})
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
	b.formed(pipelineKey{kernel: "adam", parts: n.count > 0}, min(widest, groupOf(a.Param.Len, adamWorkgroup)), 1, args{
		{"n", a.Param.Len}, {"losses", a.Loss.Given()}, {"guarded", a.Guard.Given()},
		{"decoupled", a.Decoupled}, {"clip", a.Clip}, {"rate", rate}, {"root", root},
		{"shrink", a.Rate * a.Decay}, {"decay", a.Decay}, {"beta1", a.Beta1}, {"beta2", a.Beta2},
		{"rest1", float32(1 - b1)}, {"rest2", float32(1 - b2)}, {"eps", a.Eps}, {"parts", n.count},
	}, on{
		{"param", a.Param}, {"m", a.M}, {"v", a.V}, {"guard", a.Guard}, {"norm2", a.Norm2}, {"grad", a.Grad},
		{"loss", a.Loss}, {"part", n.parts},
	})
}
