package reference

import "mhacsp/model/backend"

// RowsForward is Y[p] = X[Row[p]], or += with Add.
func (*Backend[T]) RowsForward(a backend.RowsForward) {
	a.Check()
	y, x, row := Data[T](a.Y), Data[T](a.X), IntData(a.Row)
	for p := range a.P {
		yp := y[a.N*p:][:a.N]
		if !a.Add {
			clear(yp)
		}
		if row[p] >= 0 {
			axpy(yp, 1, x[a.N*int(row[p]):][:a.N])
		}
	}
}

// RowsBackward is DX[Row[p]] += DY[p].
func (*Backend[T]) RowsBackward(a backend.RowsBackward) {
	a.Check()
	dx, dy, row := Data[T](a.DX), Data[T](a.DY), IntData(a.Row)
	for p := range a.P {
		if row[p] >= 0 {
			axpy(dx[a.N*int(row[p]):], 1, dy[a.N*p:][:a.N])
		}
	}
}
