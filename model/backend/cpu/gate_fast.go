package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type gateJob struct {
	n, m       int
	in, pre, r []float32
}

func (j *gateJob) piece(_, i int) {
	n := j.n
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.Gate(n, j.in[2*m*n:], j.pre[m*n:], j.r[2*m*n:])
	}
}

// GateForward is In = γ ⊙ R, γ = (1 + sin Pre)/2.
func (f *Fast) GateForward(a backend.GateForward) {
	a.Check()
	f.gate = gateJob{a.N, a.M, Data[float32](a.In), Data[float32](a.Pre), Data[float32](a.R)}
	f.pool.run(&f.gate, elementPieces(a.M))
}

type ungateJob struct {
	n, m                  int
	dpre, dr, din, pre, r []float32
}

func (j *ungateJob) piece(_, i int) {
	n := j.n
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.GateBackward(n, j.dpre[m*n:], j.dr[2*m*n:], j.pre[m*n:], j.r[2*m*n:], j.din[2*m*n:])
	}
}

// GateBackward is the backward pass of GateForward.
func (f *Fast) GateBackward(a backend.GateBackward) {
	a.Check()
	f.ungate = ungateJob{a.N, a.M, Data[float32](a.DPre), Data[float32](a.DR), Data[float32](a.DIn), Data[float32](a.Pre), Data[float32](a.R)}
	f.pool.run(&f.ungate, elementPieces(a.M))
}
