package reference

import (
	"math"

	"mhacsp/model/backend"
)

// DriveForward is the drive of the recurrence.
func (r *Backend[T]) DriveForward(a backend.DriveForward) {
	a.Check()
	w := a.Weights
	layer := func(y, x, weight, bias backend.Vec, rows int) {
		r.MatMul(backend.MatMul{Y: y, X: x, W: weight, Bias: bias, M: rows, K: a.N, N: a.N})
	}
	layer(a.PreTheta, a.U, w.Theta, w.ThetaBias, a.M)
	layer(a.PreGamma, a.U, w.Gamma, w.GammaBias, a.M)
	layer(a.DeltaU, a.U, w.Delta, w.DeltaBias, a.M)
	angle[T](a)
	layer(a.R, a.V, w.Input, backend.Vec{}, 2*a.M) // W_B acts on each plane: 2M rows of N
	gate[T](a)
}

// angle is θ = π·tanh(PreTheta), V = U ⊙ e^{iθ}.
func angle[T Float](a backend.DriveForward) {
	v, rot, pre, u := Data[T](a.V), Data[T](a.Rot), Data[T](a.PreTheta), Data[T](a.U)
	for m := range a.M {
		for n := range a.N {
			i, re, im := m*a.N+n, 2*m*a.N+n, (2*m+1)*a.N+n
			sin, cos := sincos(math.Pi * tanh(pre[i]))
			v[re], v[im] = u[i]*cos, u[i]*sin
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

// gate is In = γ ⊙ R, γ = (1 + sin PreGamma)/2.
func gate[T Float](a backend.DriveForward) {
	in, pre, r := Data[T](a.In), Data[T](a.PreGamma), Data[T](a.R)
	for m := range a.M {
		for n := range a.N {
			re, im := 2*m*a.N+n, (2*m+1)*a.N+n
			sin, _ := sincos(pre[m*a.N+n])
			gamma := (1 + sin) / 2
			in[re], in[im] = gamma*r[re], gamma*r[im]
		}
	}
}

// DriveBackward is the backward pass of DriveForward.
func (r *Backend[T]) DriveBackward(a backend.DriveBackward) {
	a.Check()
	m, n, w, g := a.M, a.N, a.Weights, a.Grads
	floats := func(size int) backend.Vec { return backend.All(r.Floats(size)) }
	dTheta, dGamma, dR, dV := floats(m*n), floats(m*n), floats(2*m*n), floats(2*m*n)
	weight := func(dw, bias, dy, x backend.Vec, rows int) {
		r.MatMulWeight(backend.MatMulWeight{DW: dw, DBias: bias, DY: dy, X: x, M: rows, K: n, N: n})
	}
	input := func(dx, dy, weight backend.Vec, rows int, add bool) {
		r.MatMulInput(backend.MatMulInput{DX: dx, DY: dy, W: weight, M: rows, K: n, N: n, Accumulate: add})
	}
	gateBackward[T](a, dGamma, dR)
	weight(g.Input, backend.Vec{}, dR, a.V, 2*m)
	input(dV, dR, w.Input, 2*m, false)
	angleBackward[T](a, dTheta, dV)
	weight(g.Theta, g.ThetaBias, dTheta, a.U, m)
	weight(g.Gamma, g.GammaBias, dGamma, a.U, m)
	weight(g.Delta, g.DeltaBias, a.DDelta, a.U, m)
	input(a.DU, dTheta, w.Theta, m, true)
	input(a.DU, dGamma, w.Gamma, m, true)
	input(a.DU, a.DDelta, w.Delta, m, true)
}

// gateBackward is the backward pass of gate: it overwrites the gradients of PreGamma [M, N] and of R [M, 2N].
func gateBackward[T Float](a backend.DriveBackward, dGamma, dR backend.Vec) {
	dpre, dr, din, pre, r := Data[T](dGamma), Data[T](dR), Data[T](a.DIn), Data[T](a.PreGamma), Data[T](a.R)
	for m := range a.M {
		for n := range a.N {
			i, re, im := m*a.N+n, 2*m*a.N+n, (2*m+1)*a.N+n
			sin, cos := sincos(pre[i])
			gamma := (1 + sin) / 2
			dpre[i] = cos / 2 * (din[re]*r[re] + din[im]*r[im])
			dr[re], dr[im] = gamma*din[re], gamma*din[im]
		}
	}
}

// angleBackward is the backward pass of angle: it overwrites DU and the gradient of PreTheta [M, N], from that of V
// [M, 2N].
func angleBackward[T Float](a backend.DriveBackward, dTheta, dV backend.Vec) {
	dpre, du, dv, dtheta := Data[T](dTheta), Data[T](a.DU), Data[T](dV), Data[T](a.DTheta)
	pre, u := Data[T](a.PreTheta), Data[T](a.U)
	for m := range a.M {
		for n := range a.N {
			i, re, im := m*a.N+n, 2*m*a.N+n, (2*m+1)*a.N+n
			t := tanh(pre[i])
			sin, cos := sincos(math.Pi * t)
			slope := math.Pi * (1 - t*t)
			along := u[i] * (cos*dv[im] - sin*dv[re])
			if a.StateTheta {
				dpre[i] = slope*along + dtheta[i]
			} else {
				dpre[i] = slope * (along + dtheta[i])
			}
			du[i] = cos*dv[re] + sin*dv[im]
		}
	}
}
