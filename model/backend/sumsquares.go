package backend

// SumSquares writes Σ x² to Out[0], in an order that depends on the length alone.
type SumSquares struct {
	Out Vec // [1]
	X   Vec // [·]
}
