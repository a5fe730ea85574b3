package reference

import "mhacsp/model/backend"

// ProjectForward is q = Λᵀ h per head and plane.
func (*Backend[T]) ProjectForward(a backend.ProjectForward) {
	a.Check()
	q, state, factor := Data[T](a.Q), Data[T](a.State), Data[T](a.Factor)
	d := a.N / a.Head
	// A row's two planes of H heads are 2H vectors of width d; vector v belongs to head v mod H.
	for v := range 2 * a.Rows * a.Head {
		l := factor[(v%a.Head)*d*d:][:d*d]
		qv, h := q[v*d:][:d], state[v*d:][:d]
		for j := range d {
			var sum T
			for i := j; i < d; i++ {
				sum += l[i*d+j] * h[i]
			}
			qv[j] = sum
		}
	}
}

// ProjectBackward is the backward pass of ProjectForward: dh += Λ dq, dΛ_ij = Σ h_i dq_j.
func (*Backend[T]) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	dstate, dfactor := Data[T](a.DState), Data[T](a.DFactor)
	dq, state, factor := Data[T](a.DQ), Data[T](a.State), Data[T](a.Factor)
	d := a.N / a.Head
	clear(dfactor[:a.Head*d*d])
	for v := range 2 * a.Rows * a.Head {
		k := v % a.Head
		l, dl := factor[k*d*d:][:d*d], dfactor[k*d*d:][:d*d]
		dqv, h, dh := dq[v*d:][:d], state[v*d:][:d], dstate[v*d:][:d]
		for i := range d {
			for j := range i + 1 {
				dh[i] += l[i*d+j] * dqv[j]
				dl[i*d+j] += h[i] * dqv[j]
			}
		}
	}
}
