//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// GRUForward runs the time loop of every sequence.
func (b *Backend) GRUForward(a backend.GRUForward) {
	a.Check()
	b.gated("gru_forward", false, a.Seq, a.At, a.N, a.N, on{
		{"state", a.State}, {"gates", a.Gates}, {"hidden", a.Hidden}, {"pre", a.Pre},
		{"weights", b.transposed(a.U, 3*a.N, a.N)}, {"ints", indexed},
	})
}

// GRUBackward is the backward pass of GRUForward.
func (b *Backend) GRUBackward(a backend.GRUBackward) {
	a.Check()
	b.gated("gru_backward", true, a.Seq, a.At, a.N, 3*a.N, on{
		{"dstate", a.DState}, {"gates", a.Gates}, {"hidden", a.Hidden}, {"state", a.State}, {"weights", a.U},
		{"ints", indexed},
	})
}
