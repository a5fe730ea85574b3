// Package firststep makes the first training step of a network on a device and says how far it lies from the float64
// reference on the CPU. A wrong kernel, or a right one that its driver compiles wrongly, shows in the loss, in the
// gradient or in bits that change from run to run.
package firststep

import (
	"fmt"
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/model/optim"
	"mhacsp/model/sequence"
)

// Bounds of a step, relative to the reference: "Numbers that hold everywhere" in .github/testing.md. Two blocks
// are ill-conditioned: where the plain float32 loops of the CPU miss the gradient's bound a device may too, by slack
// at most.
const lossBound, gradientBound, slack = 1e-5, 1e-4, 10

// Step is what one training step leaves.
type Step struct {
	Loss     float32
	Gradient []float32 // of all parameters, before clipping
	Values   []float32 // of all parameters, after the step
}

// Make makes one training step of batch b from fixed start values, with Adam.
func Make(device backend.Backend, c sequence.Config, b *sequence.Batch) (s Step, err error) {
	m, err := c.Open(device)
	if err != nil {
		return s, err
	}
	m.Initialise(3)
	m.Gradients(b)
	adam := optim.NewAdam(optim.Options{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Clip: 1, Decay: 1e-4}, device, m.Params())
	adam.Step(1e-3, m.Results().Slice(sequence.ResultLoss, 1), backend.Vec{})
	if s.Loss, err = m.Loss(); err != nil {
		return s, err
	}
	if s.Gradient, err = m.Params().Download(m.Params().Grads()); err != nil {
		return s, err
	}
	s.Values, err = m.Params().Download(m.Params().Values())
	return s, err
}

// Same tells where two steps differ in a bit; nil: nowhere.
func (s Step) Same(again Step) error {
	for i := range s.Gradient {
		if s.Gradient[i] != again.Gradient[i] || s.Values[i] != again.Values[i] {
			return fmt.Errorf("element %d: gradient %v then %v, parameter %v then %v",
				i, s.Gradient[i], again.Gradient[i], s.Values[i], again.Values[i])
		}
	}
	return nil
}

// Reference is what the CPU computes of a step, in float64 and by plain loops in float32.
type Reference struct{ exact, plain Step }

// NewReference computes the step twice on the CPU.
func NewReference(c sequence.Config, b *sequence.Batch) (y Reference, err error) {
	if y.exact, err = Make(reference.New[float64](), c, b); err != nil {
		return y, err
	}
	y.plain, err = Make(reference.New[float32](), c, b)
	return y, err
}

// Off is how far a step lies from the reference, and how far it may: relative, the gradient's as L2 over all
// parameters.
type Off struct{ Loss, LossBound, Gradient, GradientBound float64 }

// Judge compares a step. The error says what is out of bounds.
func (y Reference) Judge(s Step) (Off, error) {
	off := Off{
		Loss:      math.Abs(float64(s.Loss-y.exact.Loss)) / float64(y.exact.Loss),
		LossBound: lossBound, Gradient: Relative(s.Gradient, y.exact.Gradient),
		GradientBound: max(gradientBound, slack*Relative(y.plain.Gradient, y.exact.Gradient)),
	}
	switch {
	case !(off.Loss <= off.LossBound):
		return off, fmt.Errorf("the loss is %v, the reference has %v", s.Loss, y.exact.Loss)
	case !(off.Gradient <= off.GradientBound):
		return off, fmt.Errorf("the gradient is off by %.2g relative L2, %.2g allowed",
			off.Gradient, off.GradientBound)
	}
	return off, nil
}

// Relative is ‖a−b‖/‖b‖.
func Relative(a, b []float32) float64 {
	var diff, norm float64
	for i, x := range b {
		d := float64(a[i]) - float64(x)
		diff, norm = diff+d*d, norm+float64(x)*float64(x)
	}
	return math.Sqrt(diff / norm)
}
