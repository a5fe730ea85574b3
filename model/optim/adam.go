package optim

import (
	"cmp"

	"mhacsp/model/backend"
	"mhacsp/model/param"
	"mhacsp/tasks/strict"
)

// Options are Adam's constants (SPEC §8).
type Options struct {
	Beta1, Beta2, Eps float64
	Decay             float64 // weight decay, added to the gradient (Adam) or applied to the weights (AdamW)
	Decoupled         bool    // AdamW
	Clip              float64 // bound on the gradient's global norm, 0: none
}

// Validate names the field that does not fit.
func (o Options) Validate() error {
	return cmp.Or(strict.Within("beta1", o.Beta1, 0, 0.9999999), strict.Within("beta2", o.Beta2, 0, 0.9999999),
		strict.Within("eps", o.Eps, 1e-30, 1), strict.Within("weight_decay", o.Decay, 0, 10),
		strict.Within("clip", o.Clip, 0, 1e9),
	)
}

// Adam updates a parameter set from its gradients. Its moments live on the device.
type Adam struct {
	Options
	Steps int // updates made

	backend backend.Base
	params  *param.Set
	m, v    backend.Vec
	norm2   backend.Vec // where the squared norm stands if the caller names no place
	guard   backend.Vec
}

// NewAdam returns an optimizer with zero moments.
func NewAdam(o Options, b backend.Base, p *param.Set) *Adam {
	return &Adam{
		Options: o, backend: b, params: p, m: backend.All(b.Floats(p.Size())), v: backend.All(b.Floats(p.Size())),
		norm2: backend.All(b.Floats(1)), guard: backend.All(b.Floats(1)),
	}
}

// Step makes one update at the given learning rate and writes the gradient's squared norm, before clipping, to norm2
// (one number on the device, optional). Where the norm or the loss (likewise) is not finite nothing changes, in this
// step and in all that follow until Restore.
func (a *Adam) Step(rate float64, loss, norm2 backend.Vec) {
	a.Steps++
	if !norm2.Given() {
		norm2 = a.norm2
	}
	a.backend.SumSquares(backend.SumSquares{Out: norm2, X: a.params.Grads()})
	a.backend.Adam(backend.Adam{
		Param: a.params.Values(), M: a.m, V: a.v, Grad: a.params.Grads(), Norm2: norm2, Loss: loss, Guard: a.guard,
		Rate: float32(rate), Beta1: float32(a.Beta1), Beta2: float32(a.Beta2), Eps: float32(a.Eps),
		Decay: float32(a.Decay), Decoupled: a.Decoupled, Clip: float32(a.Clip), Step: a.Steps,
	})
}

// Moments copies the flat first and second moments to the host.
func (a *Adam) Moments() (m, v []float32, err error) {
	if m, err = a.params.Download(a.m); err != nil {
		return nil, nil, err
	}
	v, err = a.params.Download(a.v)
	return m, v, err
}

// Restore puts moments back as Moments gave them, after steps updates.
func (a *Adam) Restore(m, v []float32, steps int) {
	a.backend.Upload(a.m, m)
	a.backend.Upload(a.v, v)
	a.backend.Zero(a.guard)
	a.Steps = steps
}
