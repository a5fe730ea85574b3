package reference

import "mhacsp/model/backend"

// RecallForward is Out[p] = Gate[Token[p]] ⊙ State[Row[p]] (SPEC §2, memory).
func (*Backend[T]) RecallForward(a backend.RecallForward) {
	a.Check()
	n := a.N
	out, state, gate := Data[T](a.Out), Data[T](a.State), Data[T](a.Gate)
	row, token := IntData(a.Row), IntData(a.Token)
	for p := range a.P {
		m, y, g := state[2*n*int(row[p]):], out[2*n*p:], gate[n*int(token[p]):]
		for j := range n {
			y[j], y[n+j] = g[j]*m[j], g[j]*m[n+j]
		}
	}
}

// RecallBackward is the backward pass of RecallForward: dState += Gate ⊙ dOut, dGate += Re(conj(State)·dOut).
func (*Backend[T]) RecallBackward(a backend.RecallBackward) {
	a.Check()
	n := a.N
	dstate, dgate, dout := Data[T](a.DState), Data[T](a.DGate), Data[T](a.DOut)
	state, gate, row, token := Data[T](a.State), Data[T](a.Gate), IntData(a.Row), IntData(a.Token)
	for p := range a.P {
		at, v, dy := 2*n*int(row[p]), n*int(token[p]), dout[2*n*p:]
		m, dm, g := state[at:], dstate[at:], gate[v:]
		for j := range n {
			dm[j] += g[j] * dy[j]
			dm[n+j] += g[j] * dy[n+j]
			if dgate != nil {
				dgate[v+j] += m[j]*dy[j] + m[n+j]*dy[n+j]
			}
		}
	}
}
