package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// NormEps keeps a norm defined for rows of zeros (SPEC §13).
const NormEps = 1e-5

// Norm is a layer norm, or with Bias None an RMS norm, of rows as long as its gain.
type Norm struct {
	Gain, Bias param.ID

	X         backend.Vec // [rows, N]: what is normed, input and plus together
	Y         backend.Vec // [rows, N]
	mean, inv backend.Vec // [rows]
	rows      int

	bufX, bufY, bufMean, bufInv Floats
}

// Forward norms rows of x, or of x + plus where that is given: what a layer adds to the stream.
func (l *Norm) Forward(c Baseline, x, plus backend.Vec, rows int) {
	n := c.P.Tensors[l.Gain].Len
	l.rows, l.X = rows, x
	l.Y, l.inv = l.bufY.Get(c.B, rows*n), l.bufInv.Get(c.B, rows)
	a := backend.NormForward{
		Y: l.Y, Inv: l.inv, X: x, Plus: plus, Gain: c.P.Value(l.Gain), Bias: c.P.Value(l.Bias), P: rows, N: n,
		Eps: NormEps,
	}
	if plus.Given() {
		l.X = l.bufX.Get(c.B, rows*n)
		a.Sum = l.X
	}
	if l.Bias != param.None {
		l.mean = l.bufMean.Get(c.B, rows)
		a.Mean = l.mean
	}
	c.K.NormForward(a)
}

// Backward adds the parameters' gradients and writes that of X to dx, or adds it, given that of Y.
func (l *Norm) Backward(c Baseline, dx, dy backend.Vec, add bool) {
	c.K.NormBackward(backend.NormBackward{
		DX: dx, DGain: c.P.Grad(l.Gain), DBias: c.P.Grad(l.Bias), DY: dy, X: l.X, Mean: l.mean, Inv: l.inv,
		Gain: c.P.Value(l.Gain), P: l.rows, N: c.P.Tensors[l.Gain].Len, Accumulate: add,
	})
}
