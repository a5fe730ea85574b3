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
	n := j.n
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		rot := j.rows[worker][:2*n]
		if j.rot != nil {
			rot = j.rot[2*m*n:][:2*n]
		}
		vec.Angle(n, j.v[2*m*n:], rot, j.pre[m*n:], j.u[m*n:])
		for k := j.turn; k < n; k++ { // units that hold
			rot[k], rot[n+k] = 1, 0
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
