package cpu

import "mhacsp/model/backend"

// GateForward is In = γ ⊙ R, γ = (1 + sin Pre)/2.
func (*Reference[T]) GateForward(a backend.GateForward) {
	a.Check()
	in, pre, r := Data[T](a.In), Data[T](a.Pre), Data[T](a.R)
	for m := range a.M {
		for n := range a.N {
			sin, _ := sincos(pre[m*a.N+n])
			re, im := 2*m*a.N+n, (2*m+1)*a.N+n
			gamma := (1 + sin) / 2
			in[re], in[im] = gamma*r[re], gamma*r[im]
		}
	}
}

// GateBackward is the backward pass of GateForward.
func (*Reference[T]) GateBackward(a backend.GateBackward) {
	a.Check()
	dpre, dr, din, pre, r := Data[T](a.DPre), Data[T](a.DR), Data[T](a.DIn), Data[T](a.Pre), Data[T](a.R)
	for m := range a.M {
		for n := range a.N {
			sin, cos := sincos(pre[m*a.N+n])
			re, im := 2*m*a.N+n, (2*m+1)*a.N+n
			gamma := (1 + sin) / 2
			dpre[m*a.N+n] = cos / 2 * (din[re]*r[re] + din[im]*r[im])
			dr[re], dr[im] = gamma*din[re], gamma*din[im]
		}
	}
}
