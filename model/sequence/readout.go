package sequence

import (
	"mhacsp/model/backend"
	"mhacsp/model/layer"
)

// Where the numbers of a step lie in a Network's Results, and where there is room for the optimizer's.
const (
	ResultLoss  = 0
	ResultNorm2 = backend.Align     // the squared norm of the gradient: left to the optimizer
	ResultHits  = 2 * backend.Align // a number for each logits row: 1 where the target is the most probable, else 0
)

// readout is the head and the loss (SPEC §7): logits = W_out y + b_out, and their cross-entropy.
type readout struct {
	head    layer.Linear
	results backend.Vec

	bufWeight, bufDLogits, bufRowLoss, bufDY, bufResults layer.Floats
}

// loss computes the loss from the logits of the last forward pass and returns their gradient.
func (r *readout) loss(dev backend.Base, a *Arena) backend.Vec {
	n, outputs := a.Count, a.Outputs()
	weight := r.bufWeight.Get(dev, n)
	dev.Upload(weight, a.host.weight)
	d := r.bufDLogits.Get(dev, n*outputs)
	r.results = r.bufResults.Get(dev, ResultHits+n)
	dev.CrossEntropy(backend.CrossEntropy{
		Loss: r.results.Slice(ResultLoss, 1), RowLoss: r.bufRowLoss.Get(dev, n),
		Hit: r.results.Slice(ResultHits, n), DLogits: d,
		Logits: r.head.Y, Target: a.target, Weight: weight, P: n, C: outputs, Scale: 1 / a.host.total,
	})
	return d
}
