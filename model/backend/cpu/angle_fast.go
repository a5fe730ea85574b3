package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type angleJob struct {
	rowScratch
	n, m, turn     int
	v, rot, pre, u []float32
}

func (j *angleJob) piece(worker, i int) {
	from, to := elementRange(i, j.m)
	turnRows(j.n, j.turn, from, to, j.v, j.rot, j.pre, j.u, j.rows[worker])
}

// turnRows is AngleForward for the rows from to to; spare [2N] takes the rotations where rot is nil.
func turnRows(n, turn, from, to int, v, rot, pre, u, spare []float32) {
	for m := from; m < to; m++ {
		r := spare[:2*n]
		if rot != nil {
			r = rot[2*m*n:][:2*n]
		}
		vec.Angle(n, v[2*m*n:], r, pre[m*n:], u[m*n:])
		for k := turn; k < n; k++ { // units that hold
			r[k], r[n+k] = 1, 0
		}
	}
}

// AngleForward is θ = π·tanh(Pre), V = U ⊙ e^{iθ}.
func (f *Fast) AngleForward(a backend.AngleForward) {
	a.Check()
	j := &f.angle
	j.shape(f.pool.workers, 2*a.N)
	j.n, j.m, j.turn = a.N, a.M, a.Turn
	j.v, j.rot, j.pre, j.u = Data[float32](a.V), Data[float32](a.Rot), Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}

type unangleJob struct {
	n, m                         int
	add                          bool
	dpre, du, dv, dtheta, pre, u []float32
	zeros                        []float32
}

func (j *unangleJob) piece(_, i int) {
	n := j.n
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		dtheta, old := j.zeros, j.zeros
		if j.dtheta != nil {
			dtheta = j.dtheta[m*n:]
		}
		if j.add {
			old = j.dpre[m*n:]
		}
		vec.AngleBackward(n, j.dpre[m*n:], j.du[m*n:], j.pre[m*n:], j.u[m*n:], j.dv[2*m*n:], dtheta, old)
	}
}

// AngleBackward is the backward pass of AngleForward.
func (f *Fast) AngleBackward(a backend.AngleBackward) {
	a.Check()
	j := &f.unangle
	if len(j.zeros) < a.N {
		j.zeros = make([]float32, a.N)
	}
	j.n, j.m, j.add = a.N, a.M, a.AddPre
	j.dpre, j.du, j.dv, j.dtheta = Data[float32](a.DPre), Data[float32](a.DU), Data[float32](a.DV), Data[float32](a.DTheta)
	j.pre, j.u = Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}
