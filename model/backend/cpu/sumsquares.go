package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type squaresJob struct {
	x      []float32
	shares []float64
}

func (j *squaresJob) piece(_, i int) {
	j.shares[i] = vec.SumSquares(j.x[i*flatPiece : min((i+1)*flatPiece, len(j.x))])
}

// SumSquares is Σ x².
func (f *Fast) SumSquares(a backend.SumSquares) {
	a.Check()
	j := jobOf[squaresJob](f)
	j.x = data(a.X)
	pieces := flatPieces(len(j.x))
	grow(&j.shares, pieces)
	f.pool.run(j, pieces)
	var sum float64
	for _, s := range j.shares[:pieces] {
		sum += s
	}
	data(a.Out)[0] = float32(sum)
}
