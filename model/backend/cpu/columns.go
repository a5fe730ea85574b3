package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type columnsJob struct {
	args     backend.Columns
	dst, src []float32
	queue    []vec.Queue // a worker's
}

// Columns copies or adds a block of columns.
func (f *Fast) Columns(a backend.Columns) {
	a.Check()
	j := jobOf[columnsJob](f)
	j.args, j.dst, j.src = a, data(a.Dst), data(a.Src)
	j.queue = forWorkers(j.queue, f.pool.workers)
	f.pool.run(j, elementPieces(a.M))
}

func (j *columnsJob) piece(worker, i int) {
	q := &j.queue[worker]
	from, to := elementRange(i, j.args.M)
	for r := from; r < to; r++ {
		dst, src := j.dst[r*j.args.DstWidth+j.args.DstFrom:][:j.args.N], j.src[r*j.args.SrcWidth+j.args.SrcFrom:]
		if j.args.Add {
			q.Add(dst, src)
		} else {
			copy(dst, src)
		}
	}
	q.Run()
}
