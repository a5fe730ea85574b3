package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type angleJob struct {
	rowScratch
	n, m, hold     int
	v, rot, pre, u []float32
}

func (j *angleJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	theta, cos, sin := w[:n], w[n:2*n], w[2*n:3*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.PiTanhSinCos(theta, cos, sin, j.pre[m*n:][:n])
		u, re, im := j.u[m*n:][:n], j.v[2*m*n:][:n], j.v[(2*m+1)*n:][:n]
		for k, x := range u {
			re[k], im[k] = x*cos[k], x*sin[k]
		}
		if j.rot == nil {
			continue
		}
		rot := j.rot[2*m*n:][:2*n]
		copy(rot, cos)
		copy(rot[n:], sin)
		for k := n - j.hold; k < n; k++ {
			rot[k], rot[n+k] = 1, 0
		}
	}
}

// AngleForward is θ = π·tanh(Pre), V = U ⊙ e^{iθ}.
func (f *Fast) AngleForward(a backend.AngleForward) {
	a.Check()
	j := &f.angle
	j.shape(f.pool.workers, 3*a.N)
	j.n, j.m, j.hold = a.N, a.M, a.N-a.Turn
	j.v, j.rot, j.pre, j.u = Data[float32](a.V), Data[float32](a.Rot), Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}

type unangleJob struct {
	rowScratch
	n, m                         int
	add                          bool
	dpre, du, dv, dtheta, pre, u []float32
}

func (j *unangleJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	theta, cos, sin := w[:n], w[n:2*n], w[2*n:3*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.PiTanhSinCos(theta, cos, sin, j.pre[m*n:][:n])
		u, re, im := j.u[m*n:][:n], j.dv[2*m*n:][:n], j.dv[(2*m+1)*n:][:n]
		dpre, du := j.dpre[m*n:][:n], j.du[m*n:][:n]
		for k := range u {
			g := u[k] * (cos[k]*im[k] - sin[k]*re[k])
			if j.dtheta != nil {
				g += j.dtheta[m*n+k]
			}
			g *= math.Pi - theta[k]*theta[k]/math.Pi
			if j.add {
				g += dpre[k]
			}
			dpre[k] = g
			du[k] = cos[k]*re[k] + sin[k]*im[k]
		}
	}
}

// AngleBackward is the backward pass of AngleForward.
func (f *Fast) AngleBackward(a backend.AngleBackward) {
	a.Check()
	j := &f.unangle
	j.shape(f.pool.workers, 3*a.N)
	j.n, j.m, j.add = a.N, a.M, a.AddPre
	j.dpre, j.du, j.dv, j.dtheta = Data[float32](a.DPre), Data[float32](a.DU), Data[float32](a.DV), Data[float32](a.DTheta)
	j.pre, j.u = Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}
