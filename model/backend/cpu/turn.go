package cpu

import "mhacsp/model/backend"

// TurnForward is Out[p] = e^{i(ψ + ω·Steps[p])} ⊙ State[Row[p]] (SPEC §2, memory).
func (*memory[T]) TurnForward(a backend.TurnForward) {
	a.Check()
	n := a.N
	out, state := Data[T](a.Out), Data[T](a.State)
	row, steps := intData(a.Row), intData(a.Steps)
	for p := range a.P {
		cos, sin := turns(angles(Data[T](a.Psi), Data[T](a.Omega), n, steps[p]))
		m, y := state[2*n*int(row[p]):][:2*n], out[2*n*p:][:2*n]
		for j := range n {
			y[j] = cos[j]*m[j] - sin[j]*m[n+j]
			y[n+j] = cos[j]*m[n+j] + sin[j]*m[j]
		}
	}
}

// angles is ψ + ω·steps.
func angles[T Float](psi, omega []T, n int, steps int32) []T {
	x := make([]T, n)
	for j := range x {
		x[j] = psi[j] + T(steps)*omega[j]
	}
	return x
}

// TurnBackward is the backward pass of TurnForward: dState += e^{−i(ψ+ωS)} ⊙ dOut, and, since ∂Out/∂ψ = i·Out,
// dψ += Re(conj(dOut)·i·Out) = Im(dOut)·Re(Out) − Re(dOut)·Im(Out).
func (*memory[T]) TurnBackward(a backend.TurnBackward) {
	a.Check()
	n := a.N
	dstate, dpsi, dout, out := Data[T](a.DState), Data[T](a.DPsi), Data[T](a.DOut), Data[T](a.Out)
	row, steps := intData(a.Row), intData(a.Steps)
	for p := range a.P {
		cos, sin := turns(angles(Data[T](a.Psi), Data[T](a.Omega), n, steps[p]))
		dm, y, dy := dstate[2*n*int(row[p]):][:2*n], out[2*n*p:][:2*n], dout[2*n*p:][:2*n]
		for j := range n {
			dm[j] += cos[j]*dy[j] + sin[j]*dy[n+j]
			dm[n+j] += cos[j]*dy[n+j] - sin[j]*dy[j]
			dpsi[j] += dy[n+j]*y[j] - dy[j]*y[n+j]
		}
	}
}
