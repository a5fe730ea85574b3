package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type averageJob struct {
	args         backend.Average
	y, x, weight []float32
	edge         []int32
}

// Average is the mean over a graph's edges.
func (f *Fast) Average(a backend.Average) {
	a.Check()
	j := jobOf[averageJob](f)
	j.args, j.y, j.x, j.weight, j.edge = a, data(a.Y), data(a.X), data(a.Weight), ints(a.Edge)
	f.pool.run(j, elementPieces(a.P))
}

func (j *averageJob) piece(_, i int) {
	n, d := j.args.N, j.args.D
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		row := j.y[p*n:][:n]
		if !j.args.Add {
			clear(row)
		}
		for k := p * d; k < (p+1)*d; k++ {
			if e := j.edge[k]; e >= 0 {
				vec.Axpy(row, j.x[n*int(e):][:n], j.weight[k])
			}
		}
	}
}
