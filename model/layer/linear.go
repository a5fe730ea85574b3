package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Linear is Y = X·Wᵀ + b over M rows; Bias None leaves b out.
type Linear struct {
	Weight, Bias param.ID

	Y    backend.Vec // [M, out]
	x    backend.Vec
	m    int
	bufY Floats
}

// NewLinear declares a layer whose bias starts at 0.
func NewLinear(p *param.Set, name string, weight param.Init, out, in int) Linear {
	return Linear{Weight: p.Add(name+".weight", weight, out, in), Bias: p.Add(name+".bias", param.Constant(0), out)}
}

// Forward computes Y for m rows of x, which must stay as they are until Backward: it reads them again.
func (l *Linear) Forward(c Context, x backend.Vec, m int) {
	shape := c.P.Tensors[l.Weight].Shape
	l.x, l.m, l.Y = x, m, l.bufY.Get(c.B, m*shape[0])
	c.B.MatMul(backend.MatMul{
		Y: l.Y, X: x, W: c.P.Value(l.Weight), Bias: c.P.Value(l.Bias), M: m, N: shape[0], K: shape[1],
	})
}

// Backward adds the parameters' gradients and writes that of x to dx, given that of Y.
func (l *Linear) Backward(c Context, dx, dy backend.Vec) { l.backward(c, dx, dy, false) }

// BackwardAdd is Backward where x has other readers: the gradient of x is added to dx.
func (l *Linear) BackwardAdd(c Context, dx, dy backend.Vec) { l.backward(c, dx, dy, true) }

func (l *Linear) backward(c Context, dx, dy backend.Vec, add bool) {
	c.linearWeight(dy, l.x, l.Weight, l.Bias, l.m)
	shape := c.P.Tensors[l.Weight].Shape
	c.B.MatMulInput(backend.MatMulInput{
		DX: dx, DY: dy, W: c.P.Value(l.Weight), M: l.m, N: shape[0], K: shape[1], Accumulate: add,
	})
}
