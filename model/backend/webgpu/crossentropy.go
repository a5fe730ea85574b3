//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (b *Backend) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	// The gradient's readers want its rows padded: see padded.
	var padded backend.Vec
	width := 0
	if a.C%4 != 0 {
		padded, width = b.paddedTo(a.P, a.C)
	}
	b.each("crossentropy", a.P,
		args{{"P", a.P}, {"C", a.C}, {"target_at", b.place(a.Target)}, {"scale", a.Scale}, {"width", width}}, on{
			{"rowloss", a.RowLoss}, {"hit", a.Hit}, {"dlogits", a.DLogits}, {"padded", padded},
			{"logits", a.Logits}, {"weight", a.Weight}, {"ints", indexed},
		})
	if width > 0 {
		b.padding = padding{b.stamp(a.DLogits), b.stamp(padded), a.P, a.C}
	}
	b.grid("weighted_sum", 1, 1, args{{"n", a.P}, {"scale", a.Scale}},
		on{{"out", a.Loss}, {"x", a.RowLoss}, {"weight", a.Weight}})
}
