package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// scatterParts is the number of pieces of a Scatter: bands of columns, so that every sum runs over the rows in order.
const scatterParts = 4

type scatterJob struct {
	dst, src           []float32
	at                 []int32
	rows, width, table int
}

func (j *scatterJob) piece(_, i int) {
	from, to := spread(j.width, scatterParts, i)
	for v := range j.table {
		clear(j.dst[v*j.width+from : v*j.width+to])
	}
	for r, v := range j.at[:j.rows] {
		if v >= 0 {
			vec.Add(j.dst[int(v)*j.width+from:int(v)*j.width+to], j.src[r*j.width+from:r*j.width+to])
		}
	}
}

// Scatter is Dst[v] = Σ over rows r with At[r] = v of Src[r].
func (f *Fast) Scatter(a backend.Scatter) {
	a.Check()
	j := &f.scatter
	j.dst, j.src, j.at, j.rows, j.width, j.table = Data[float32](a.Dst), Data[float32](a.Src), intData(a.At), a.Rows, a.Width, a.Table
	f.pool.run(j, scatterParts)
}
