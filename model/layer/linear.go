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

// Forward computes Y for m rows of x.
func (l *Linear) Forward(c Context, x backend.Vec, m int) {
	l.x, l.m = x, m
	l.Y = l.bufY.Get(c.B, m*c.P.Tensors[l.Weight].Shape[0])
	c.linear(l.Y, x, l.Weight, l.Bias, m)
}

// Backward adds the parameters' gradients and writes that of x to dx, given that of Y.
func (l *Linear) Backward(c Context, dx, dy backend.Vec) { l.backward(c, dx, dy, false) }

// BackwardAdd is Backward where x has other readers: the gradient of x is added to dx.
func (l *Linear) BackwardAdd(c Context, dx, dy backend.Vec) { l.backward(c, dx, dy, true) }

func (l *Linear) backward(c Context, dx, dy backend.Vec, add bool) {
	c.linearWeight(dy, l.x, l.Weight, l.Bias, l.m)
	c.linearInput(dx, dy, l.Weight, l.m, add)
}
