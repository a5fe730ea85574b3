package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// rowsJob brings rows from where row says to their own places, or with back from these to there.
type rowsJob struct {
	y, x      []float32
	row       []int32
	p, n      int
	add, back bool
}

// RowsForward is Y[p] = X[Row[p]], or += with Add.
func (f *Fast) RowsForward(a backend.RowsForward) {
	a.Check()
	j := jobOf[rowsJob](f)
	*j = rowsJob{data(a.Y), data(a.X), ints(a.Row), a.P, a.N, a.Add, false}
	f.pool.run(j, elementPieces(a.P))
}

// RowsBackward is DX[Row[p]] += DY[p].
func (f *Fast) RowsBackward(a backend.RowsBackward) {
	a.Check()
	j := jobOf[rowsJob](f)
	*j = rowsJob{data(a.DX), data(a.DY), ints(a.Row), a.P, a.N, true, true}
	f.pool.run(j, elementPieces(a.P))
}

func (j *rowsJob) piece(_, i int) {
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		own, row := j.n*p, j.n*int(j.row[p])
		switch {
		case row < 0 && !j.add:
			clear(j.y[own:][:j.n])
		case row < 0:
		case j.back:
			vec.Add(j.y[row:][:j.n], j.x[own:])
		case j.add:
			vec.Add(j.y[own:][:j.n], j.x[row:])
		default:
			copy(j.y[own:][:j.n], j.x[row:])
		}
	}
}
