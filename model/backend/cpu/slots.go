package cpu

import "mhacsp/model/backend"

// SlotsForward is m_t = e^{−iω} ⊙ m_{t−1} + In[At[t]] along each sequence (SPEC §2, memory).
func (*Reference[T]) SlotsForward(a backend.SlotsForward) {
	a.Check()
	n := a.N
	state, in, init, omega := Data[T](a.State), Data[T](a.In), Data[T](a.Init), Data[T](a.Omega)
	at, start, end := intData(a.At), intData(a.Seq.Start), intData(a.Seq.End)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first := state[2*n*int(start[s]):][:2*n]
		switch {
		case init != nil:
			copy(first, init[2*n*(s-a.Seq.Lo):])
		case !a.Continue:
			clear(first)
		}
		for j := range n {
			sin, cos := sincos(omega[j])
			for r := int(start[s]); r < int(end[s]); r++ {
				m, next, u := state[2*n*r:], state[2*n*(r+1):], in[2*n*int(at[r]):]
				next[j] = cos*m[j] + sin*m[n+j] + u[j]
				next[n+j] = cos*m[n+j] - sin*m[j] + u[n+j]
			}
		}
	}
}

// SlotsBackward goes back along each sequence: dm_{t−1} += e^{iω} ⊙ dm_t, dIn[At[t]] += dm_t.
func (*Reference[T]) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	n := a.N
	dstate, tin, dinit, omega := Data[T](a.DState), Data[T](a.TIn), Data[T](a.DInit), Data[T](a.Omega)
	at, start, end := intData(a.At), intData(a.Seq.Start), intData(a.Seq.End)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		for j := range n {
			sin, cos := sincos(omega[j])
			for r := int(end[s]) - 1; r >= int(start[s]); r-- {
				dm, dnext, du := dstate[2*n*r:], dstate[2*n*(r+1):], tin[2*n*int(at[r]):]
				dm[j] += cos*dnext[j] - sin*dnext[n+j]
				dm[n+j] += cos*dnext[n+j] + sin*dnext[j]
				du[j] += dnext[j]
				du[n+j] += dnext[n+j]
			}
		}
		if dinit != nil {
			copy(dinit[2*n*(s-a.Seq.Lo):][:2*n], dstate[2*n*int(start[s]):])
		}
	}
}
