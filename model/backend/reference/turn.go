package reference

import "mhacsp/model/backend"

// TurnForward is Out[p] = e^{i(ψ + ω·Steps[p])} ⊙ State[Row[p]] (SPEC §2, memory).
func (*Backend[T]) TurnForward(a backend.TurnForward) {
	a.Check()
	n := a.N
	out, state, psi, omega := Data[T](a.Out), Data[T](a.State), Data[T](a.Psi), Data[T](a.Omega)
	row, steps := IntData(a.Row), IntData(a.Steps)
	for p := range a.P {
		m, y := state[2*n*int(row[p]):], out[2*n*p:]
		for j := range n {
			sin, cos := sincos(Turned(psi[j], omega[j], steps[p]))
			y[j] = T(cos)*m[j] - T(sin)*m[n+j]
			y[n+j] = T(cos)*m[n+j] + T(sin)*m[j]
		}
	}
}

// TurnBackward is the backward pass of TurnForward: dState += e^{−i(ψ+ωS)} ⊙ dOut, and, since ∂Out/∂ψ = i·Out,
// dψ += Re(conj(dOut)·i·Out) = Im(dOut)·Re(Out) − Re(dOut)·Im(Out); dω gains Steps[p] times that.
func (*Backend[T]) TurnBackward(a backend.TurnBackward) {
	a.Check()
	n := a.N
	dstate, dpsi, psi, omega := Data[T](a.DState), Data[T](a.DPsi), Data[T](a.Psi), Data[T](a.Omega)
	dout, out, row, steps := Data[T](a.DOut), Data[T](a.Out), IntData(a.Row), IntData(a.Steps)
	domega := Data[T](a.DOmega)
	for p := range a.P {
		dm, y, dy := dstate[2*n*int(row[p]):], out[2*n*p:], dout[2*n*p:]
		for j := range n {
			sin, cos := sincos(Turned(psi[j], omega[j], steps[p]))
			dm[j] += T(cos)*dy[j] + T(sin)*dy[n+j]
			dm[n+j] += T(cos)*dy[n+j] - T(sin)*dy[j]
			d := dy[n+j]*y[j] - dy[j]*y[n+j]
			if dpsi != nil {
				dpsi[j] += d
			}
			if domega != nil {
				domega[j] += T(steps[p]) * d
			}
		}
	}
}

// Turned is the angle ψ + ω·steps. A float32 would lose 3e-5 of an angle of many full circles, so it is a float64.
func Turned[T Float](psi, omega T, steps int32) float64 {
	return float64(psi) + float64(steps)*float64(omega)
}
