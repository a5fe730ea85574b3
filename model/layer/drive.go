package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// None stands for a parameter that a layer does without.
const None = param.ID(-1)

// Drive computes what a step takes from its input alone (SPEC §2): rotation, gated input, token part of the decay.
// Its rows are the vocabulary in block 1 and the arena's rows in later blocks.
type Drive struct {
	Theta, ThetaBias, Gamma, GammaBias, Input, DeltaU, DeltaBias param.ID
	N, Turn                                                      int
	StateTheta                                                   bool

	m                                              int
	u, preTheta, preGamma, v, rot, r, in, du       backend.Vec
	bufPreTheta, bufPreGamma, bufV, bufRot, bufR   Floats
	bufIn, bufDU, bufDPre, bufDGamma, bufDV, bufDR Floats
}

// Forward fills the drive for m rows of u [m, N].
func (d *Drive) Forward(c Context, u backend.Vec, m int) {
	n := d.N
	d.m, d.u = m, u
	d.preTheta, d.preGamma = d.bufPreTheta.Get(c.B, m*n), d.bufPreGamma.Get(c.B, m*n)
	d.v, d.r, d.in = d.bufV.Get(c.B, 2*m*n), d.bufR.Get(c.B, 2*m*n), d.bufIn.Get(c.B, 2*m*n)
	d.du = d.bufDU.Get(c.B, m*n)
	d.rot = backend.Vec{}
	if !d.StateTheta {
		d.rot = d.bufRot.Get(c.B, 2*m*n)
	}
	c.linear(d.preTheta, u, d.Theta, d.ThetaBias, m)
	c.linear(d.preGamma, u, d.Gamma, d.GammaBias, m)
	c.linear(d.du, u, d.DeltaU, d.DeltaBias, m)
	c.B.AngleForward(backend.AngleForward{V: d.v, Rot: d.rot, Pre: d.preTheta, U: u, M: m, N: n, Turn: d.Turn})
	c.linear(d.r, d.v, d.Input, None, 2*m) // W_B acts on each plane: 2m rows of N
	c.B.GateForward(backend.GateForward{In: d.in, Pre: d.preGamma, R: d.r, M: m, N: n})
}

// Backward adds the drive's weight gradients and writes the gradient of u to du. dDelta, dTheta [m, N] and
// dIn [m, 2N] are the gradients of the drive's rows (see backend.RecurrenceBackward); dTheta is used up.
func (d *Drive) Backward(c Context, du, dDelta, dTheta, dIn backend.Vec) {
	n, m := d.N, d.m
	dGamma, dR := d.bufDGamma.Get(c.B, m*n), d.bufDR.Get(c.B, 2*m*n)
	dV := d.bufDV.Get(c.B, 2*m*n)
	c.B.GateBackward(backend.GateBackward{DPre: dGamma, DR: dR, DIn: dIn, Pre: d.preGamma, R: d.r, M: m, N: n})
	c.linearWeight(dR, d.v, d.Input, None, 2*m)
	c.linearInput(dV, dR, d.Input, 2*m, false)
	angle := backend.AngleBackward{DU: du, DV: dV, Pre: d.preTheta, U: d.u, M: m, N: n}
	if d.StateTheta {
		angle.DPre, angle.AddPre = dTheta, true
	} else {
		angle.DPre, angle.DTheta = d.bufDPre.Get(c.B, m*n), dTheta
	}
	c.B.AngleBackward(angle)
	c.linearWeight(angle.DPre, d.u, d.Theta, d.ThetaBias, m)
	c.linearWeight(dGamma, d.u, d.Gamma, d.GammaBias, m)
	c.linearWeight(dDelta, d.u, d.DeltaU, d.DeltaBias, m)
	c.linearInput(du, angle.DPre, d.Theta, m, true)
	c.linearInput(du, dGamma, d.Gamma, m, true)
	c.linearInput(du, dDelta, d.DeltaU, m, true)
}
