package vec

// Angle turns n pre-activations into rotations (SPEC §2): rot = (cos θ ; sin θ) with θ = π·tanh(pre), v = u e^{iθ}.
// rot and v are complex [2n].
func Angle(n int, v, rot, pre, u []float32) {
	need(2*n, len(v))
	need(2*n, len(rot))
	need(n, len(pre))
	need(n, len(u))
	angle(n, v, rot, pre, u)
}

// AngleBackward gives the gradients of Angle's inputs from that of v (dv [2n]) and, through the rotation, of θ
// (dtheta [n]): dpre = π(1−tanh²)·(u Im(e^{−iθ} dv) + dtheta) + old, du = Re(e^{−iθ} dv).
func AngleBackward(n int, dpre, du, pre, u, dv, dtheta, old []float32) {
	need(n, len(dpre))
	need(n, len(du))
	need(n, len(pre))
	need(n, len(u))
	need(2*n, len(dv))
	need(n, len(dtheta))
	need(n, len(old))
	angleBackward(n, dpre, du, pre, u, dv, dtheta, old)
}

// Gate opens the input gate (SPEC §2): dst = γ ⊙ r, γ = (1 + sin pre)/2; dst and r complex [2n].
func Gate(n int, dst, pre, r []float32) {
	need(2*n, len(dst))
	need(n, len(pre))
	need(2*n, len(r))
	gate(n, dst, pre, r)
}

// GateBackward gives the gradients of Gate's inputs from that of its output, din [2n].
func GateBackward(n int, dpre, dr, pre, r, din []float32) {
	need(n, len(dpre))
	need(2*n, len(dr))
	need(n, len(pre))
	need(2*n, len(r))
	need(2*n, len(din))
	gateBackward(n, dpre, dr, pre, r, din)
}
