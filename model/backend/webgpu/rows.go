//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// RowsForward is Y[p] = X[Row[p]], or += with Add.
func (b *Backend) RowsForward(a backend.RowsForward) {
	a.Check()
	n, wide := quads(a.N)
	b.elements("rows", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"row", b.place(a.Row)}, {"add", a.Add}, {"back", false}},
		on{{"y", a.Y}, {"x", a.X}, {"ints", indexed}})
}

// RowsBackward is DX[Row[p]] += DY[p].
func (b *Backend) RowsBackward(a backend.RowsBackward) {
	a.Check()
	n, wide := quads(a.N)
	b.elements("rows", wide, a.P*n, args{{"P", a.P}, {"N", n}, {"row", b.place(a.Row)}, {"add", true}, {"back", true}},
		on{{"y", a.DX}, {"x", a.DY}, {"ints", indexed}})
}
