package vec

// Cell is the recurrence of SPEC §2 for one row of n complex units. A complex
// vector is stored as its n real parts followed by its n imaginary parts.
//
// Every slice must hold at least n values, or 2n where complex. No output may
// overlap an input.
type Cell struct {
	Normalise bool    // divide the state by sqrt(|g|² + Eps), each unit by its own
	Eps       float32 // used only where Normalise
}

// Forward takes one step:
//
//	δ = s + du           s, du [n]
//	α = 1/(1+exp δ)      alpha [n], out
//	p = rot ⊙ prev       rot (cos ; sin of the angle), prev [2n]
//	g = α p + in         in [2n]
//	state = g·inv        state [2n], inv [n], out; inv = 1/sqrt(|g|²+Eps) or 1
func (c Cell) Forward(n int, state, alpha, inv, s, du, rot, in, prev []float32) {
	need(n, len(alpha))
	need(n, len(inv))
	need(n, len(s))
	need(n, len(du))
	need(2*n, len(state))
	need(2*n, len(rot))
	need(2*n, len(in))
	need(2*n, len(prev))
	if c.Normalise {
		cellForward(n, alpha, inv, state, s, du, rot, in, prev, c.Eps)
	} else {
		cellForwardRaw(n, alpha, inv, state, s, du, rot, in, prev)
	}
}

// Backward gives the gradients of Forward's inputs from that of its state
// (dstate [2n]), with Forward's own inputs and outputs:
//
//	dg     = inv (dstate - state Re(conj(state) dstate)), or dstate
//	din    = dg                          [2n]
//	ddelta = -α(1-α) Re(conj(p) dg)      [n], the gradient of s and of du
//	dprev += conj(rot) α dg              [2n]
//	dtheta = α Im(conj(p) dg)            [n], the gradient of the angle
//
// dprev is added to, the others are written. state and inv are not read unless Normalise.
func (c Cell) Backward(n int, dprev, ddelta, dtheta, din, dstate, state, prev, alpha, inv, rot []float32) {
	need(n, len(ddelta))
	need(n, len(dtheta))
	need(n, len(alpha))
	need(2*n, len(dprev))
	need(2*n, len(din))
	need(2*n, len(dstate))
	need(2*n, len(prev))
	need(2*n, len(rot))
	if c.Normalise {
		need(n, len(inv))
		need(2*n, len(state))
		cellBackward(n, din, ddelta, dtheta, dprev, alpha, inv, rot, state, dstate, prev)
	} else {
		cellBackwardRaw(n, din, ddelta, dtheta, dprev, alpha, rot, dstate, prev)
	}
}

// Bound gives the complex numbers of g [2n] that are longer than c the length c.
func Bound(n int, g []float32, c float32) {
	need(2*n, len(g))
	bound(n, g, c)
}

// Steer gives the rotations of an angle that is a product (SPEC §2): theta_j = π tanh(x_j), as PiTanhSinCos has it,
// and the cosine and sine of theta_j·token_j, |token_j| ≤ 1. len(theta) counts.
func Steer(theta, c, s, x, token []float32) {
	n := len(theta)
	need(n, len(c))
	need(n, len(s))
	need(n, len(x))
	need(n, len(token))
	steer(n, theta, c, s, x, token)
}

// Steered gives the same cosines and sines again, from Steer's theta. len(theta) counts.
func Steered(c, s, theta, token []float32) {
	n := len(theta)
	need(n, len(c))
	need(n, len(s))
	need(n, len(token))
	steered(n, c, s, theta, token)
}

// SteerBackward takes the gradient of the angles theta_j·token_j in dtheta and gives that of Steer's x in its place,
// and in dtoken that of π·token_j. len(dtheta) counts.
func SteerBackward(dtheta, dtoken, theta, token []float32) {
	n := len(dtheta)
	need(n, len(dtoken))
	need(n, len(theta))
	need(n, len(token))
	steerBackward(n, dtheta, dtoken, theta, token)
}
