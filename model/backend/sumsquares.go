package backend

// SumSquares writes Σ x² to Out[0], in an order that depends on the length alone.
type SumSquares struct {
	Out Vec // [1]
	X   Vec
}

// Check panics on a shape that does not fit.
func (a SumSquares) Check() {
	need("SumSquares", "Out", a.Out, 1)
	need("SumSquares", "X", a.X, 0)
}

// On enqueues the call on b.
func (a SumSquares) On(b Backend) { b.SumSquares(a) }
