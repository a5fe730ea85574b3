package cpu

import (
	"math"

	"mhacsp/model/backend"
)

// AngleForward is θ = π·tanh(Pre), V = U ⊙ e^{iθ}.
func (*Reference[T]) AngleForward(a backend.AngleForward) {
	a.Check()
	v, rot, pre, u := Data[T](a.V), Data[T](a.Rot), Data[T](a.Pre), Data[T](a.U)
	for m := range a.M {
		for n := range a.N {
			sin, cos := sincos(math.Pi * tanh(pre[m*a.N+n]))
			re, im := 2*m*a.N+n, (2*m+1)*a.N+n
			v[re], v[im] = u[m*a.N+n]*cos, u[m*a.N+n]*sin
			if rot == nil {
				continue
			}
			rot[re], rot[im] = 1, 0
			if n < a.Turn {
				rot[re], rot[im] = cos, sin
			}
		}
	}
}

// AngleBackward is the backward pass of AngleForward.
func (*Reference[T]) AngleBackward(a backend.AngleBackward) {
	a.Check()
	dpre, du, dv, dtheta := Data[T](a.DPre), Data[T](a.DU), Data[T](a.DV), Data[T](a.DTheta)
	pre, u := Data[T](a.Pre), Data[T](a.U)
	for m := range a.M {
		for n := range a.N {
			i, re, im := m*a.N+n, 2*m*a.N+n, (2*m+1)*a.N+n
			t := tanh(pre[i])
			sin, cos := sincos(math.Pi * t)
			g := u[i] * (cos*dv[im] - sin*dv[re])
			if dtheta != nil {
				g += dtheta[i]
			}
			g *= math.Pi * (1 - t*t)
			if a.AddPre {
				g += dpre[i]
			}
			dpre[i] = g
			du[i] = cos*dv[re] + sin*dv[im]
		}
	}
}
