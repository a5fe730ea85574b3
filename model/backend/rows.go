package backend

// RowsForward looks rows up: Y[p] = X[Row[p]], or Y[p] += X[Row[p]] with Add. A row index of −1 gives a row of zeros,
// or adds nothing. A row may be named more than once.
type RowsForward struct {
	Y    Vec   // [P, N], overwritten, or added to with Add
	X    Vec   // [·, N]
	Row  Index // [P]
	P, N int
	Add  bool
}

// Check panics on a shape that does not fit.
func (a RowsForward) Check() {
	const k = "RowsForward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	need(k, "Y", a.Y, a.P*a.N)
	need(k, "X", a.X, 0)
	needInts(k, "Row", a.Row, a.P)
}

// On enqueues the call on b.
func (a RowsForward) On(b Backend) { b.(Baseline).RowsForward(a) }

// RowsBackward is the backward pass of RowsForward where no row is named twice: DX[Row[p]] += DY[p]. RowSum is that of
// rows that many share.
type RowsBackward struct {
	DX   Vec   // as X, added to in the named rows
	DY   Vec   // [P, N]
	Row  Index // [P], −1: none
	P, N int
}

// Check panics on a shape that does not fit.
func (a RowsBackward) Check() {
	const k = "RowsBackward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	need(k, "DX", a.DX, 0)
	need(k, "DY", a.DY, a.P*a.N)
	needInts(k, "Row", a.Row, a.P)
}

// On enqueues the call on b.
func (a RowsBackward) On(b Backend) { b.(Baseline).RowsBackward(a) }
