package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Embedding looks up the row of each step's token; rows without a step hold zeros.
type Embedding struct {
	Weight param.ID // [V, W]

	Y    backend.Vec // [rows, W]
	bufY Floats
}

// Forward looks up the tokens at [rows].
func (e *Embedding) Forward(c Baseline, at backend.Index, rows int) {
	width := c.P.Tensors[e.Weight].Shape[1]
	e.Y = e.bufY.Get(c.B, rows*width)
	c.K.RowsForward(backend.RowsForward{Y: e.Y, X: c.P.Value(e.Weight), Row: at, P: rows, N: width})
}

// Backward adds the parameters' gradient, given that of Y.
func (e *Embedding) Backward(c Baseline, dy backend.Vec, at backend.Index, rows int) {
	shape := c.P.Tensors[e.Weight].Shape
	c.K.RowSum(backend.RowSum{Dst: c.P.Grad(e.Weight), Src: dy, At: at, P: rows, N: shape[1], M: shape[0]})
}

// Pick takes some rows of a wider batch, none twice: those that the head reads, or another order of all.
type Pick struct {
	N int

	Y    backend.Vec // [count, N]
	bufY Floats
}

// Forward takes the rows of x that row [count] names.
func (p *Pick) Forward(c Baseline, x backend.Vec, row backend.Index, count int) {
	p.Y = p.bufY.Get(c.B, count*p.N)
	c.K.RowsForward(backend.RowsForward{Y: p.Y, X: x, Row: row, P: count, N: p.N})
}

// Backward adds the gradient of Y to that of the rows.
func (p *Pick) Backward(c Baseline, dx, dy backend.Vec, row backend.Index, count int) {
	c.K.RowsBackward(backend.RowsBackward{DX: dx, DY: dy, Row: row, P: count, N: p.N})
}
