package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// rowSumJob gives each piece some columns, whole cache lines, of all rows: every sum has the order of the rows.
type rowSumJob struct {
	dst, src []float32
	at       []int32
	p, n     int
	parts    int
}

// line is the numbers of a cache line.
const line = 16

// RowSum is Dst[At[p]] += Src[p].
func (f *Fast) RowSum(a backend.RowSum) {
	a.Check()
	lines := (a.N + line - 1) / line
	j := jobOf[rowSumJob](f)
	*j = rowSumJob{data(a.Dst), data(a.Src), ints(a.At), a.P, a.N, min(lines, f.pool.workers)}
	f.pool.run(j, j.parts)
}

func (j *rowSumJob) piece(_, i int) {
	from, to := spread((j.n+line-1)/line, j.parts, i)
	from, to = from*line, min(to*line, j.n)
	for p, m := range j.at[:j.p] {
		if m >= 0 {
			vec.Add(j.dst[j.n*int(m)+from:][:to-from], j.src[j.n*p+from:])
		}
	}
}
