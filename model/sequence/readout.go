package sequence

import "mhacsp/model/backend"

// Where the numbers of a step lie in a Network's Results, and where there is room for the optimizer's.
const (
	ResultLoss  = 0
	ResultNorm2 = backend.Align     // the squared norm of the gradient: left to the optimizer
	ResultHits  = 2 * backend.Align // a number for each logits row: 1 where the target is the most probable, else 0
)

// loss computes the loss (SPEC §7), the cross-entropy of the last forward pass's logits, and returns their gradient.
func (h *half) loss(dev backend.Base) backend.Vec {
	a, n, outputs := &h.arena, h.arena.Count, h.arena.Outputs()
	weight := h.bufWeight.Get(dev, n)
	dev.Upload(weight, a.host.weight)
	d := h.bufDLogits.Get(dev, n*outputs)
	h.results = h.bufResults.Get(dev, ResultHits+n)
	dev.CrossEntropy(backend.CrossEntropy{
		Loss: h.results.Slice(ResultLoss, 1), RowLoss: h.bufRowLoss.Get(dev, n),
		Hit: h.results.Slice(ResultHits, n), DLogits: d,
		Logits: h.head.Y, Target: a.target, Weight: weight, P: n, C: outputs, Scale: 1 / a.host.total,
	})
	return d
}
