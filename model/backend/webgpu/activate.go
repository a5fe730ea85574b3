//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// ActivateForward is Y = f(X), or Y = f(X) ⊙ Times; Y gains it with Add.
func (b *Backend) ActivateForward(a backend.ActivateForward) {
	a.Check()
	n, wide := quads(a.P * a.N)
	b.elements("activate_forward", wide, n,
		args{{"n", n}, {"f", int(a.F)}, {"times", a.Times.Given()}, {"add", a.Add}},
		on{{"y", a.Y}, {"x", a.X}, {"times", a.Times}})
}

// ActivateBackward is the backward pass of ActivateForward.
func (b *Backend) ActivateBackward(a backend.ActivateBackward) {
	a.Check()
	n, wide := quads(a.P * a.N)
	b.elements("activate_backward", wide, n, args{{"n", n}, {"f", int(a.F)}, {"times", a.Times.Given()}},
		on{{"dx", a.DX}, {"dtimes", a.DTimes}, {"dy", a.DY}, {"x", a.X}, {"times", a.Times}})
}
