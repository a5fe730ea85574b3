//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// LSTMForward runs the time loop of every sequence.
func (b *Backend) LSTMForward(a backend.LSTMForward) {
	a.Check()
	b.gated("lstm_forward", false, a.Seq, a.At, a.N, a.N, on{
		{"state", a.State}, {"memory", a.Memory}, {"gates", a.Gates}, {"pre", a.Pre},
		{"weights", b.transposed(a.W, 4*a.N, a.N)}, {"ints", indexed},
	})
}

// LSTMBackward is the backward pass of LSTMForward.
func (b *Backend) LSTMBackward(a backend.LSTMBackward) {
	a.Check()
	b.gated("lstm_backward", true, a.Seq, a.At, a.N, 4*a.N, on{
		{"dstate", a.DState}, {"gates", a.Gates}, {"carry", b.temporary("carry", (a.Seq.Hi-a.Seq.Lo)*a.N)},
		{"memory", a.Memory}, {"weights", a.W}, {"ints", indexed},
	})
}
