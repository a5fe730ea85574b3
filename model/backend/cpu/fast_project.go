package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// ProjectForward is q = Λᵀ h: per head one product over both planes of all rows.
func (f *Fast) ProjectForward(a backend.ProjectForward) {
	a.Check()
	q, state, factor := Data[float32](a.Q), Data[float32](a.State), Data[float32](a.Factor)
	d, j := a.N/a.Head, &f.product
	for k := range a.Head {
		j.panel.Pack(factor[k*d*d:], d, d, d)
		j.c, j.ldc, j.a, j.lda, j.rows = q[k*d:], a.N, state[k*d:], a.N, 2*a.Rows
		j.bias, j.add = nil, false
		j.run(&f.pool)
	}
}

// projectWeightJob is dΛ_k = hᵀ dq, a head a piece.
type projectWeightJob struct {
	dfactor, dq, state []float32
	rows, n, d         int
	scratch            []vec.TNScratch
}

func (j *projectWeightJob) piece(worker, k int) {
	d := j.d
	dl := j.dfactor[k*d*d:][:d*d]
	vec.MulTN(dl, d, j.state[k*d:], j.n, j.dq[k*d:], j.n, j.rows, d, d, false, &j.scratch[worker])
	for i := range d { // Λ has no upper triangle
		clear(dl[i*d+i+1 : (i+1)*d])
	}
}

// ProjectBackward is dh += Λ dq, dΛ = hᵀ dq.
func (f *Fast) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	dstate, factor := Data[float32](a.DState), Data[float32](a.Factor)
	dq := Data[float32](a.DQ)
	d, j := a.N/a.Head, &f.product
	for k := range a.Head {
		j.panel.PackT(factor[k*d*d:], d, d, d)
		j.c, j.ldc, j.a, j.lda, j.rows = dstate[k*d:], a.N, dq[k*d:], a.N, 2*a.Rows
		j.bias, j.add = nil, true
		j.run(&f.pool)
	}
	w := &f.projectWeight
	w.dfactor, w.dq, w.state = Data[float32](a.DFactor), dq, Data[float32](a.State)
	w.rows, w.n, w.d = 2*a.Rows, a.N, d
	if len(w.scratch) < f.pool.workers {
		w.scratch = make([]vec.TNScratch, f.pool.workers)
	}
	f.pool.run(w, a.Head)
}
