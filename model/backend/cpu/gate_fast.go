package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type gateJob struct {
	rowScratch
	n, m       int
	in, pre, r []float32
}

func (j *gateJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	sin, cos := w[:n], w[n:2*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.SinCos(sin, cos, j.pre[m*n:][:n])
		in, r := j.in[2*m*n:][:2*n], j.r[2*m*n:][:2*n]
		for k, s := range sin {
			gamma := (1 + s) / 2
			in[k], in[n+k] = gamma*r[k], gamma*r[n+k]
		}
	}
}

// GateForward is In = γ ⊙ R, γ = (1 + sin Pre)/2.
func (f *Fast) GateForward(a backend.GateForward) {
	a.Check()
	j := &f.gate
	j.shape(f.pool.workers, 2*a.N)
	j.n, j.m, j.in, j.pre, j.r = a.N, a.M, Data[float32](a.In), Data[float32](a.Pre), Data[float32](a.R)
	f.pool.run(j, elementPieces(a.M))
}

type ungateJob struct {
	rowScratch
	n, m                  int
	dpre, dr, din, pre, r []float32
}

func (j *ungateJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	sin, cos := w[:n], w[n:2*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.SinCos(sin, cos, j.pre[m*n:][:n])
		dr, din, r, dpre := j.dr[2*m*n:][:2*n], j.din[2*m*n:][:2*n], j.r[2*m*n:][:2*n], j.dpre[m*n:][:n]
		for k, s := range sin {
			gamma := (1 + s) / 2
			dpre[k] = cos[k] / 2 * (din[k]*r[k] + din[n+k]*r[n+k])
			dr[k], dr[n+k] = gamma*din[k], gamma*din[n+k]
		}
	}
}

// GateBackward is the backward pass of GateForward.
func (f *Fast) GateBackward(a backend.GateBackward) {
	a.Check()
	j := &f.ungate
	j.shape(f.pool.workers, 2*a.N)
	j.n, j.m = a.N, a.M
	j.dpre, j.dr, j.din, j.pre, j.r = Data[float32](a.DPre), Data[float32](a.DR), Data[float32](a.DIn), Data[float32](a.Pre), Data[float32](a.R)
	f.pool.run(j, elementPieces(a.M))
}
