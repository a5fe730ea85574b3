package backend

// RowsForward looks rows up: Y[p] = X[Row[p]], or Y[p] += X[Row[p]] with Add. A row index of −1 gives a row of zeros,
// or adds nothing. A row may be named more than once.
type RowsForward struct {
	Y    Vec   // [P, N], overwritten, or added to with Add
	X    Vec   // [·, N]
	Row  Index // [P]
	P, N int   // at least 1
	Add  bool
}

// RowsBackward is the backward pass of RowsForward where no row is named twice: DX[Row[p]] += DY[p]. RowSum is that of
// rows that many share.
type RowsBackward struct {
	DX   Vec   // as X, added to in the named rows
	DY   Vec   // [P, N]
	Row  Index // [P], −1: none
	P, N int   // at least 1
}
