package cpu

import "mhacsp/model/backend"

// SlotsForward is m_t = e^{−iω} ⊙ m_{t−1} + In[At[t]] along each sequence (SPEC §2, memory).
func (*memory[T]) SlotsForward(a backend.SlotsForward) {
	a.Check()
	n := a.N
	state, in, init := Data[T](a.State), Data[T](a.In), Data[T](a.Init)
	at, start, end := intData(a.At), intData(a.Seq.Start), intData(a.Seq.End)
	cos, sin := turns(Data[T](a.Omega)[:n])
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first := state[2*n*int(start[s]):][:2*n]
		switch {
		case init != nil:
			copy(first, init[2*n*(s-a.Seq.Lo):])
		case !a.Continue:
			clear(first)
		}
		for r := int(start[s]); r < int(end[s]); r++ {
			m, next, u := state[2*n*r:][:2*n], state[2*n*(r+1):][:2*n], in[2*n*int(at[r]):][:2*n]
			for j := range n {
				next[j] = cos[j]*m[j] + sin[j]*m[n+j] + u[j]
				next[n+j] = cos[j]*m[n+j] - sin[j]*m[j] + u[n+j]
			}
		}
	}
}

// SlotsBackward goes back along each sequence: dm_{t−1} += e^{iω} ⊙ dm_t, dIn[At[t]] += dm_t.
func (*memory[T]) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	n := a.N
	dstate, tin, dinit := Data[T](a.DState), Data[T](a.TIn), Data[T](a.DInit)
	at, start, end := intData(a.At), intData(a.Seq.Start), intData(a.Seq.End)
	cos, sin := turns(Data[T](a.Omega)[:n])
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		for r := int(end[s]) - 1; r >= int(start[s]); r-- {
			dm, dnext, du := dstate[2*n*r:][:2*n], dstate[2*n*(r+1):][:2*n], tin[2*n*int(at[r]):][:2*n]
			for j := range n {
				dm[j] += cos[j]*dnext[j] - sin[j]*dnext[n+j]
				dm[n+j] += cos[j]*dnext[n+j] + sin[j]*dnext[j]
				du[j] += dnext[j]
				du[n+j] += dnext[n+j]
			}
		}
		if dinit != nil {
			copy(dinit[2*n*(s-a.Seq.Lo):][:2*n], dstate[2*n*int(start[s]):])
		}
	}
}

// turns is cos and sin of each angle.
func turns[T Float](angles []T) (cos, sin []T) {
	cos, sin = make([]T, len(angles)), make([]T, len(angles))
	for j, x := range angles {
		sin[j], cos[j] = sincos(x)
	}
	return cos, sin
}
