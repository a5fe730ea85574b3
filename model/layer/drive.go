package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Drive computes what a step takes from its input alone (SPEC §2): rotation, gated input, token part of the decay.
// Its rows are the vocabulary in block 1 and the arena's rows in later blocks.
type Drive struct {
	Theta, ThetaBias, Gamma, GammaBias, Input, DeltaU, DeltaBias param.ID
	N, Turn                                                      int

	// StateTheta: the state has a say in the angle that it turns by. Product: as a factor of the token's angle.
	StateTheta, Product bool

	// Slots is how many of the N units, the last ones, are a memory of positions. The recurrence has the others;
	// DeltaU and DeltaBias are theirs alone, [N−Slots, N] and [N−Slots].
	Slots int

	m                                            int
	u, preTheta, preGamma, v, rot, r, in, du     backend.Vec
	bufPreTheta, bufPreGamma, bufV, bufRot, bufR Floats
	bufIn, bufDU                                 Floats

	core  driveRows   // what the recurrence reads: its own units
	slots backend.Vec // [m, 2·Slots]: γ⊙r of the memory's units
	apart apart
}

// driveRows are rows of a drive, or their gradients, for some of its units.
type driveRows struct {
	in, rot   backend.Vec // [m, 2n]
	du, theta backend.Vec // [m, n]; theta is W_θ u + b_θ
}

// Forward fills the drive for m rows of u [m, N].
func (d *Drive) Forward(c CSP, u backend.Vec, m int) {
	n := d.N
	d.m, d.u = m, u
	d.preTheta, d.preGamma = d.bufPreTheta.Get(c.B, m*n), d.bufPreGamma.Get(c.B, m*n)
	d.v, d.r, d.in = d.bufV.Get(c.B, 2*m*n), d.bufR.Get(c.B, 2*m*n), d.bufIn.Get(c.B, 2*m*n)
	d.du = d.bufDU.Get(c.B, m*n)
	if !d.StateTheta {
		d.rot = d.bufRot.Get(c.B, 2*m*n)
	}
	if d.Slots > 0 {
		d.widen(c)
	}
	c.K.DriveForward(backend.DriveForward{Drive: d.args(c), Rot: d.rot, Turn: d.Turn, In: d.in, DeltaU: d.du})
	d.core = driveRows{in: d.in, rot: d.rot, du: d.du, theta: d.preTheta}
	if d.Slots > 0 {
		d.split(c)
	}
}

func (d *Drive) args(c CSP) backend.Drive {
	return backend.Drive{
		U: d.u, Weights: d.weights(c, (*param.Set).Value), M: d.m, N: d.N,
		PreTheta: d.preTheta, PreGamma: d.preGamma, V: d.v, R: d.r,
	}
}

// weights are the layer's parameters, or what else of names. (A method's value would be memory at every call.)
func (d *Drive) weights(c CSP, of func(*param.Set, param.ID) backend.Vec) backend.DriveWeights {
	w := backend.DriveWeights{
		Theta: of(c.P, d.Theta), Gamma: of(c.P, d.Gamma), Input: of(c.P, d.Input), Delta: of(c.P, d.DeltaU),
		ThetaBias: of(c.P, d.ThetaBias), GammaBias: of(c.P, d.GammaBias), DeltaBias: of(c.P, d.DeltaBias),
	}
	if d.Slots > 0 {
		w.Delta, w.DeltaBias = d.apart.delta, d.apart.deltaBias
	}
	return w
}

// Backward adds the drive's weight gradients and writes the gradient of u to du. g are the gradients of the rows that
// the recurrence read (see backend.RecurrenceBackward); slots [m, 2·Slots] those of the memory's.
func (d *Drive) Backward(c CSP, du backend.Vec, g driveRows, slots backend.Vec) {
	if d.Slots > 0 {
		g = d.join(c, g, slots)
	}
	a := backend.DriveBackward{
		Drive: d.args(c), Grads: d.weights(c, (*param.Set).Grad), DU: du, DDelta: g.du, DTheta: g.theta, DIn: g.in,
		StateTheta: d.StateTheta && !d.Product,
	}
	if d.Slots == 0 {
		c.K.DriveBackward(a)
		return
	}
	a.Grads.Delta, a.Grads.DeltaBias = d.apart.dDelta, d.apart.dDeltaBias
	c.K.DriveBackward(a)
	d.narrow(c)
}
