package cpu

import (
	"mhacsp/model/backend"
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
	dfactor, w := Data[float32](a.DFactor), &f.weight
	clear(dfactor[:a.Head*d*d])
	for k := range a.Head {
		w.dy, w.x = Data[float32](a.State)[k*d:], dq[k*d:]
		w.m, w.k, w.n, w.ldx, w.ldy = 2*a.Rows, d, d, a.N, a.N
		dl := dfactor[k*d*d:][:d*d]
		w.run(&f.pool, dl, nil)
		for i := range d { // Λ has no upper triangle
			clear(dl[i*d+i+1 : (i+1)*d])
		}
	}
}
