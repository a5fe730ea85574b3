package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type rowsJob struct {
	y, x []float32
	row  []int32
	p, n int
	add  bool
}

// RowsForward is Y[p] = X[Row[p]], or += with Add.
func (f *Fast) RowsForward(a backend.RowsForward) {
	a.Check()
	j := jobOf[rowsJob](f)
	*j = rowsJob{data(a.Y), data(a.X), ints(a.Row), a.P, a.N, a.Add}
	f.pool.run(j, elementPieces(a.P))
}

func (j *rowsJob) piece(_, i int) {
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		y, row := j.y[j.n*p:][:j.n], int(j.row[p])
		switch {
		case row < 0 && !j.add:
			clear(y)
		case row < 0:
		case j.add:
			vec.Add(y, j.x[j.n*row:])
		default:
			copy(y, j.x[j.n*row:])
		}
	}
}

type unrowsJob struct {
	dx, dy []float32
	row    []int32
	p, n   int
}

// RowsBackward is DX[Row[p]] += DY[p].
func (f *Fast) RowsBackward(a backend.RowsBackward) {
	a.Check()
	j := jobOf[unrowsJob](f)
	*j = unrowsJob{data(a.DX), data(a.DY), ints(a.Row), a.P, a.N}
	f.pool.run(j, elementPieces(a.P))
}

func (j *unrowsJob) piece(_, i int) {
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		if row := int(j.row[p]); row >= 0 {
			vec.Add(j.dx[j.n*row:][:j.n], j.dy[j.n*p:])
		}
	}
}
