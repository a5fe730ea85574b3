package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Output returns chosen rows to the unit circle, with a gated skip from the states where Gate is given (SPEC §6).
type Output struct {
	Gate param.ID // None: no skip
	N    int

	Y backend.Vec // [P, 2N]

	p            int
	h, inv       backend.Vec
	zrow, hrow   backend.Index
	bufY, bufInv Floats
}

// Forward normalises row zrow[p] of z (plus the gated row hrow[p] of h) for p < P.
func (o *Output) Forward(c CSP, z backend.Vec, zrow backend.Index, h backend.Vec, hrow backend.Index, p int) {
	o.p, o.h, o.zrow, o.hrow = p, h, zrow, hrow
	o.Y, o.inv = o.bufY.Get(c.B, 2*p*o.N), o.bufInv.Get(c.B, p*o.N)
	a := backend.OutputForward{Y: o.Y, Inv: o.inv, Z: z, ZRow: zrow, P: p, N: o.N, Eps: Eps}
	if o.Gate != param.None {
		a.Gate, a.H, a.HRow = c.P.Value(o.Gate), h, hrow
	}
	c.K.OutputForward(a)
}

// Backward adds the gradients of z (to dz), and of h (to dh) and the gate where there is one, given that of Y.
func (o *Output) Backward(c CSP, dz, dh, dy backend.Vec) {
	a := backend.OutputBackward{DZ: dz, DY: dy, Y: o.Y, Inv: o.inv, ZRow: o.zrow, P: o.p, N: o.N}
	if o.Gate != param.None {
		a.Gate, a.DGate, a.H, a.DH, a.HRow = c.P.Value(o.Gate), c.P.Grad(o.Gate), o.h, dh, o.hrow
	}
	c.K.OutputBackward(a)
}
