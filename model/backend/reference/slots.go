package reference

import "mhacsp/model/backend"

// SlotsForward is m_t = e^{−iω} ⊙ m_{t−1} + In[At[t]] along each sequence (SPEC §2, memory), with Normalise each unit
// over its length (SPEC §10).
func (*Backend[T]) SlotsForward(a backend.SlotsForward) {
	a.Check()
	n := a.N
	at, state, in, init, omega := IntData(a.At), Data[T](a.State), Data[T](a.In), Data[T](a.Init), Data[T](a.Omega)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		m0 := state[2*n*first:][:2*n]
		switch {
		case init != nil:
			copy(m0, init[2*n*(s-a.Seq.Lo):])
		case !a.Continue:
			clear(m0)
		}
		for j := range n {
			sin, cos := sincos(omega[j])
			for r := first; r < last; r++ {
				m, next, u := state[2*n*r:], state[2*n*(r+1):], in[2*n*int(at[r]):]
				next[j] = cos*m[j] + sin*m[n+j] + u[j]
				next[n+j] = cos*m[n+j] - sin*m[j] + u[n+j]
				if a.Normalise {
					inv := 1 / sqrt(next[j]*next[j]+next[n+j]*next[n+j]+T(a.Eps))
					next[j] *= inv
					next[n+j] *= inv
				}
			}
		}
	}
}

// SlotsBackward goes back along each sequence: dm_{t−1} += e^{iω} ⊙ dm_t, dIn[At[t]] += dm_t, and, since ∂m_t/∂ω =
// −i e^{−iω} m_{t−1}, dω += Re(conj(dm_t)·∂m_t/∂ω) = Im(conj(e^{iω} dm_t)·m_{t−1}). With Normalise dm_t is first taken
// back to the sum z before it, m_t = z·inv: dz = inv (dm_t − m_t Re(conj(m_t) dm_t)).
func (*Backend[T]) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	n := a.N
	dstate, tin, dinit, omega := Data[T](a.DState), Data[T](a.TIn), Data[T](a.DInit), Data[T](a.Omega)
	at, state, in, domega := IntData(a.At), Data[T](a.State), Data[T](a.In), Data[T](a.DOmega)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		for j := range n {
			sin, cos := sincos(omega[j])
			for r := last - 1; r >= first; r-- {
				m, u := state[2*n*r:], in[2*n*int(at[r]):]
				dm, dnext, du := dstate[2*n*r:], dstate[2*n*(r+1):], tin[2*n*int(at[r]):]
				if a.Normalise {
					re, im, y := cos*m[j]+sin*m[n+j]+u[j], cos*m[n+j]-sin*m[j]+u[n+j], state[2*n*(r+1):]
					inv, along := 1/sqrt(re*re+im*im+T(a.Eps)), y[j]*dnext[j]+y[n+j]*dnext[n+j]
					dnext[j] = inv * (dnext[j] - y[j]*along)
					dnext[n+j] = inv * (dnext[n+j] - y[n+j]*along)
				}
				re, im := cos*dnext[j]-sin*dnext[n+j], cos*dnext[n+j]+sin*dnext[j]
				dm[j] += re
				dm[n+j] += im
				du[j] += dnext[j]
				du[n+j] += dnext[n+j]
				if domega != nil {
					domega[j] += re*m[n+j] - im*m[j]
				}
			}
		}
		if dinit != nil {
			copy(dinit[2*n*(s-a.Seq.Lo):][:2*n], dstate[2*n*first:])
		}
	}
}
