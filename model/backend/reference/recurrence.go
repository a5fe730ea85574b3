package reference

import (
	"math"

	"mhacsp/model/backend"
)

// RecurrenceForward runs the time loop of SPEC §2, one sequence after another.
func (*Backend[T]) RecurrenceForward(a backend.RecurrenceForward) {
	a.Check()
	n := a.N
	state, alpha, inv, theta := Data[T](a.State), Data[T](a.Alpha), Data[T](a.Inv), Data[T](a.Theta)
	at, in, du, rot, pre := IntData(a.At), Data[T](a.In), Data[T](a.DeltaU), Data[T](a.Rot), Data[T](a.Pre)
	wd, wt, steer, init := Data[T](a.WDelta), Data[T](a.WTheta), Data[T](a.Steer), Data[T](a.Init)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		h0 := state[2*n*first:][:2*n]
		switch {
		case init != nil:
			copy(h0, init[2*n*(s-a.Seq.Lo):])
		case !a.Continue:
			clear(h0)
		}
		for r := first; r < last; r++ {
			m := int(at[r])
			prev, next := state[2*n*r:][:2*n], state[2*n*(r+1):][:2*n]
			for i := range n {
				delta := du[m*n+i] + dot(wd[2*n*i:][:2*n], prev)
				al := 1 / (1 + exp(delta))
				pr, pi := prev[i], prev[n+i]
				if i < a.Turn {
					var sin, cos T
					switch {
					case a.Product():
						theta[r*n+i] = math.Pi * tanh(steer[i]+dot(wt[2*n*i:][:2*n], prev))
						sin, cos = sincos(theta[r*n+i] * tanh(pre[m*n+i]))
					case a.StateTheta():
						theta[r*n+i] = math.Pi * tanh(pre[m*n+i]+dot(wt[2*n*i:][:2*n], prev))
						sin, cos = sincos(theta[r*n+i])
					default:
						cos, sin = rot[2*n*m+i], rot[2*n*m+n+i]
					}
					pr, pi = cos*pr-sin*pi, sin*pr+cos*pi
				}
				gr, gi := al*pr+in[2*n*m+i], al*pi+in[2*n*m+n+i]
				scale := T(1)
				if a.Normalise {
					scale = 1 / sqrt(gr*gr+gi*gi+T(a.Eps))
				}
				alpha[r*n+i], inv[r*n+i] = al, scale
				next[i], next[n+i] = gr*scale, gi*scale
			}
		}
	}
}

// RecurrenceBackward is the backward pass of RecurrenceForward, last step first.
func (*Backend[T]) RecurrenceBackward(a backend.RecurrenceBackward) {
	a.Check()
	n := a.N
	state, alpha, inv, theta := Data[T](a.State), Data[T](a.Alpha), Data[T](a.Inv), Data[T](a.Theta)
	at, rot, pre, wd, wt := IntData(a.At), Data[T](a.Rot), Data[T](a.Pre), Data[T](a.WDelta), Data[T](a.WTheta)
	dstate, ddelta, dtheta, din := Data[T](a.DState), Data[T](a.DDelta), Data[T](a.DTheta), Data[T](a.DIn)
	tdelta, ttheta, tin, dinit := Data[T](a.TDelta), Data[T](a.TTheta), Data[T](a.TIn), Data[T](a.DInit)
	// One step's gradients, before they go to their row, to their table row, or to both. The token's angle is the
	// state's but with Steer.
	delta, angle, input := make([]T, n), make([]T, n), make([]T, 2*n)
	token, dtoken := angle, []T(nil)
	if a.Product() {
		token, dtoken = make([]T, n), Data[T](a.DToken())
	}
	put := func(dst, src []T, row int) {
		if dst != nil {
			copy(dst[len(src)*row:], src)
		}
	}
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(delta)
		clear(angle)
		clear(token)
		clear(input)
		put(ddelta, delta, last)
		put(dtheta, angle, last)
		put(dtoken, token, last)
		put(din, input, last)
		for r := last - 1; r >= first; r-- {
			m := int(at[r])
			prev, h := state[2*n*r:][:2*n], state[2*n*(r+1):][:2*n]
			dh, dprev := dstate[2*n*(r+1):][:2*n], dstate[2*n*r:][:2*n]
			for i := range n {
				gr, gi := dh[i], dh[n+i] // gradient of g
				if square := gr*gr + gi*gi; a.Bound > 0 && square > T(a.Bound)*T(a.Bound) {
					f := T(a.Bound) / sqrt(square)
					gr, gi = f*gr, f*gi
				}
				if a.Normalise {
					radial := h[i]*gr + h[n+i]*gi
					gr, gi = inv[r*n+i]*(gr-h[i]*radial), inv[r*n+i]*(gi-h[n+i]*radial)
				}
				input[i], input[n+i] = gr, gi
				cos, sin := T(1), T(0)
				if i < a.Turn {
					switch {
					case a.Product():
						sin, cos = sincos(theta[r*n+i] * tanh(pre[m*n+i]))
					case a.StateTheta():
						sin, cos = sincos(theta[r*n+i])
					default:
						cos, sin = rot[2*n*m+i], rot[2*n*m+n+i]
					}
				}
				pr, pi := cos*prev[i]-sin*prev[n+i], sin*prev[i]+cos*prev[n+i]
				al := alpha[r*n+i]
				delta[i] = -al * (1 - al) * (pr*gr + pi*gi)
				dpr, dpi := al*gr, al*gi
				angle[i] = 0
				if i < a.Turn {
					angle[i] = pr*dpi - pi*dpr
					if a.StateTheta() {
						t := theta[r*n+i] / math.Pi
						if a.Product() {
							token[i] = t * angle[i]
							angle[i] *= tanh(pre[m*n+i])
						}
						angle[i] *= math.Pi * (1 - t*t)
					}
				}
				dprev[i] += cos*dpr + sin*dpi
				dprev[n+i] += cos*dpi - sin*dpr
			}
			for i := range n {
				axpy(dprev, delta[i], wd[2*n*i:][:2*n])
				if a.StateTheta() && i < a.Turn {
					axpy(dprev, angle[i], wt[2*n*i:][:2*n])
				}
			}
			put(ddelta, delta, r)
			put(dtheta, angle, r)
			put(dtoken, token, r)
			put(din, input, r)
			if a.Tabled() {
				axpy(tdelta[n*m:], 1, delta)
				axpy(ttheta[n*m:], 1, token)
				axpy(tin[2*n*m:], 1, input)
			}
		}
		if dinit != nil {
			copy(dinit[2*n*(s-a.Seq.Lo):][:2*n], dstate[2*n*first:])
		}
	}
}
