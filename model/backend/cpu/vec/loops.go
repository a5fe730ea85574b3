package vec

import "math"

// The plain loops. Every product that is added to something is rounded first
// (the conversions to float32), so that no compiler fuses them.

// cubic is a x³ + b x² + c x + d.
func cubic(x, a, b, c, d float32) float32 {
	return float32(float32(float32(float32(float32(a*x)+b)*x)+c)*x) + d
}

func expf(x float32) float32 {
	x = max(expLo, min(expHi, x)) // keeps a NaN
	u := float32(x*log2e) + magic
	n := u - magic
	r := x - float32(n*ln2Hi)
	r -= float32(n * ln2Lo)
	p := cubic(r, exp0, exp1, exp2, exp3)
	p = float32(float32(float32(p*r)+exp4)*r) + exp5
	p = float32(p*float32(r*r)) + r + 1
	return p * math.Float32frombits(math.Float32bits(u)<<23+0x3f800000)
}

func sigmoidf(x float32) float32 { return 1 / (1 + expf(-x)) }

// sigmoidGatef is sigmoidf for gates.
func sigmoidGatef(x float32) float32 { return inversef(1 + expf(-x)) }

func sincosf(x float32) (s, c float32) {
	x = max(-trigMax, min(trigMax, x))
	u := float32(x*twoOverPi) + magic
	n := u - magic
	r := x - float32(n*pio2A)
	r -= float32(n * pio2B)
	r -= float32(n * pio2C)
	z := r * r
	s = float32(float32(sin0)*z) + sin1
	s = float32(s*z) + sin2
	s = float32(float32(s*z)*r) + r
	c = float32(float32(cos0)*z) + cos1
	c = float32(c*z) + cos2
	c = float32(float32(c*z)*z) + (1 - float32(0.5*z))
	q := math.Float32bits(u)
	if q&1 != 0 {
		s, c = c, s
	}
	s = math.Float32frombits(math.Float32bits(s) ^ q&2<<30)
	c = math.Float32frombits(math.Float32bits(c) ^ (q+1)&2<<30)
	return s, c
}

func tanhf(x float32) float32 {
	a := math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
	if a < tanhCut {
		z := x * x
		p := float32(cubic(z, tanh0, tanh1, tanh2, tanh3)*z) + tanh4
		return float32(float32(p*z)*x) + x
	}
	b := 1 - 2/(expf(a+a)+1)
	return math.Float32frombits(math.Float32bits(b) | math.Float32bits(x)&(1<<31))
}

func tanhGatef(x float32) float32 {
	x = max(-gateMax, min(gateMax, x))
	z := x * x
	p := cubic(z, cubic(z, gateP6, gateP5, gateP4, gateP3), gateP2, gateP1, gateP0)
	q := cubic(z, gateQ3, gateQ2, gateQ1, gateQ0)
	return p * x * inversef(q)
}

// inversef is 1/x. A vector form may take the processor's estimate and Newton's step: a relative 3e-7.
func inversef(x float32) float32 { return 1 / x }

// log1p01 is log(1+u) for u in [0, 1].
func log1p01(u float32) float32 {
	s := u / (u + 2)
	z := s * s
	p := cubic(z, atanh0, atanh1, atanh2, atanh3)
	p = float32(float32(float32(p*z)+atanh4)*z) + atanh5
	return float32(float32(p*z)*s) + (s + s)
}

// logAddExpf is log(exp a + exp b) where b is finite.
func logAddExpf(a, b float32) float32 {
	d := math.Float32frombits(math.Float32bits(a-b) | 1<<31) // −|a − b|
	return max(a, b) + log1p01(expf(d))
}

// Exp sets dst_j = exp(x_j − b), to a relative 2e-7. x_j − b is clamped to [-87.3, 88.3],
// so the result is a normal, finite number (never 0).
//
//wide:once
func expGo(n int, dst, x []float32, b float32) {
	for i, v := range x[:n] {
		dst[i] = expf(v - b)
	}
}

// ExpFrom sets dst_j = exp(b − x_j), as exact as Exp.
func expFromGo(n int, dst, x []float32, b float32) {
	for i, v := range x[:n] {
		dst[i] = expf(b - v)
	}
}

// Sigmoid sets dst_j = 1/(1+exp(-x_j)), to a relative 3e-7 above 1e-37.
func sigmoidGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = sigmoidf(v)
	}
}

// SinCos sets s_j = sin(x_j) and c_j = cos(x_j), to an absolute 2e-7 for
// |x| ≤ 1000. Beyond 8192, x counts as ±8192. s or c may be x; len(s) counts.
//
//wide:queue
func sinCosGo(n int, s, c, x []float32) {
	for i, v := range x[:n] {
		s[i], c[i] = sincosf(v)
	}
}

// PiTanhSinCos sets theta_j = π tanh(x_j), to a relative 3e-7, and the sine and
// cosine of that float32 angle to an absolute 2e-7. len(theta) counts.
//
//wide:queue
func piTanhSinCosGo(n int, theta, c, s, x []float32) {
	for i, v := range x[:n] {
		t := math.Pi * tanhf(v)
		sn, cs := sincosf(t)
		theta[i], c[i], s[i] = t, cs, sn
	}
}

// Tanh sets dst_j = tanh(x_j), to a relative 3e-7.
func tanhGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = tanhf(v)
	}
}

// Steer gives the rotations of an angle that is a product (SPEC §2): theta_j = π tanh(x_j), as PiTanhSinCos has it,
// and the cosine and sine of theta_j·token_j, |token_j| ≤ 1. len(theta) counts.
//
//wide:queue
func steerGo(n int, theta, c, s, x, token []float32) {
	for i, v := range x[:n] {
		t := math.Pi * tanhf(v)
		sn, cs := sincosf(t * token[i])
		theta[i], c[i], s[i] = t, cs, sn
	}
}

// Steered gives the same cosines and sines again, from Steer's theta. len(theta) counts.
//
//wide:queue
func steeredGo(n int, c, s, theta, token []float32) {
	for i, v := range theta[:n] {
		s[i], c[i] = sincosf(v * token[i])
	}
}

// Bound gives the complex numbers of g [2n] that are longer than c the length c.
//
//wide:queue
func boundGo(n int, g []float32, c float32) {
	re, im := g[:n], g[n:2*n]
	for i, x := range re {
		y := im[i]
		q := float32(x*x) + float32(y*y)
		if q > float32(c*c) {
			f := c / float32(math.Sqrt(float64(q)))
			re[i], im[i] = x*f, y*f
		}
	}
}

// SteerBackward takes the gradient of the angles theta_j·token_j in dtheta and gives that of Steer's x in its place,
// and in dtoken that of π·token_j. len(dtheta) counts.
//
//wide:queue
func steerBackwardGo(n int, dtheta, dtoken, theta, token []float32) {
	for i, g := range dtheta[:n] {
		h := theta[i] * (1 / math.Pi)
		dtoken[i] = g * h
		dtheta[i] = g * token[i] * (math.Pi - float32(theta[i]*h))
	}
}

// PiTanhBackward makes of g_j, the gradient of theta_j = π tanh x_j, that of x_j: it multiplies it by π − theta_j²/π.
//
//wide:queue
func piTanhBackwardGo(n int, g, theta []float32) {
	g = g[:n]
	for i, t := range theta[:n] {
		g[i] *= math.Pi - float32(t*t)/math.Pi
	}
}

// SoftPlus sets dst_j = log(1 + exp x_j), to 3e-7 of the larger of 1 and the result. x_j may be infinite.
func softPlusGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = logAddExpf(v, 0)
	}
}

// LogAddExp sets dst_j = log(exp a_j + exp b_j), as exact as SoftPlus. b is finite.
func logAddExpGo(n int, dst, a, b []float32) {
	for i, v := range a[:n] {
		dst[i] = logAddExpf(v, b[i])
	}
}

// Axpy adds f·x_j to dst_j.
//
//wide:rows
func axpyGo(n int, dst, x []float32, f float32) {
	dst = dst[:n]
	for i, v := range x[:n] {
		dst[i] += float32(f * v)
	}
}

// partGo adds f (a − b) to da and takes it from db.
//
//wide:rows
func partGo(n int, da, db, a, b []float32, f float32) {
	da, db, b = da[:n], db[:n], b[:n]
	for i, v := range a[:n] {
		d := float32(f * (v - b[i]))
		da[i] += d
		db[i] -= d
	}
}

// Clear sets dst_j = 0.
//
//wide:queue
func clearGo(n int, dst []float32) {
	for i := range dst[:n] {
		dst[i] = 0
	}
}

// Copy sets dst_j = x_j.
//
//wide:queue
func copyGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = v
	}
}

// Add adds x_j to dst_j.
//
//wide:queue
//wide:once
func addGo(n int, dst, x []float32) {
	dst = dst[:n]
	for i, v := range x[:n] {
		dst[i] += v
	}
}

// Adam updates the weights p and the moments m and v by the gradient g:
//
//	h = g·scale + decay·p                scale clips, 1 for none; decay is λ (Adam), or 0
//	m = beta1·m + (1-beta1)·h
//	v = beta2·v + (1-beta2)·h²
//	p = p·(1-shrink) - rate·m / (sqrt(v)·unbias + eps)
//
// with rate = lr/(1-beta1^t), unbias = 1/sqrt(1-beta2^t), and shrink = lr·λ (AdamW), or 0.
//
//wide:once
func adamGo(n int, p, m, v, g []float32, beta1, beta2, eps, rate, unbias, decay, shrink, scale float32) {
	p, m, v = p[:n], m[:n], v[:n]
	c1, c2, keep := 1-beta1, 1-beta2, 1-shrink
	for i, gi := range g[:n] {
		h := float32(gi*scale) + float32(decay*p[i])
		mi := float32(beta1*m[i]) + float32(c1*h)
		vi := float32(beta2*v[i]) + float32(c2*float32(h*h))
		d := float32(float32(math.Sqrt(float64(vi)))*unbias) + eps
		m[i], v[i] = mi, vi
		p[i] = float32(p[i]*keep) - float32(mi*rate)/d
	}
}

// The sums keep four partial ones, which is both faster and more accurate.

// Sum is the sum of x, 0 when empty.
func sumGo(n int, x []float32) float32 {
	var a0, a1, a2, a3 float32
	x = x[:n]
	for ; len(x) >= 4; x = x[4:] {
		a0, a1, a2, a3 = a0+x[0], a1+x[1], a2+x[2], a3+x[3]
	}
	for _, v := range x {
		a0 += v
	}
	return (a0 + a1) + (a2 + a3)
}

// Max is the largest of x, -Inf when empty. What a NaN in x gives is not defined.
func maximumGo(n int, x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x[:n] {
		m = max(m, v)
	}
	return m
}

// Pull sets g_j = (f − g_j)·p_j: with the softmax p, its gradient g and f = Σ p_j g_j, the gradient of what the
// softmax is taken of, times −1.
func pullGo(n int, g, p []float32, f float32) {
	p = p[:n]
	for i, v := range g[:n] {
		g[i] = (f - v) * p[i]
	}
}

// dots is Σ x_j y_j in four parts.
func dots(n int, x, y []float32) (float32, float32, float32, float32) {
	var a0, a1, a2, a3 float32
	x, y = x[:n], y[:n]
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		a0 += float32(x[0] * y[0])
		a1 += float32(x[1] * y[1])
		a2 += float32(x[2] * y[2])
		a3 += float32(x[3] * y[3])
	}
	for i, v := range x {
		a0 += float32(v * y[i])
	}
	return a0, a1, a2, a3
}

// Dot is Σ x_j y_j; len(x) counts.
//
//wide:rows
func dotGo(n int, x, y []float32) float32 {
	a0, a1, a2, a3 := dots(n, x, y)
	return (a0 + a1) + (a2 + a3)
}

func sumSquaresGo(n int, x []float32) float64 {
	a0, a1, a2, a3 := dots(n, x, x)
	return (float64(a0) + float64(a1)) + (float64(a2) + float64(a3))
}

// sqDistGo is |x − y|².
//
//wide:rows
func sqDistGo(n int, x, y []float32) float32 {
	var a0, a1, a2, a3 float32
	x, y = x[:n], y[:n]
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		d0, d1, d2, d3 := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a0 += float32(d0 * d0)
		a1 += float32(d1 * d1)
		a2 += float32(d2 * d2)
		a3 += float32(d3 * d3)
	}
	for i, v := range x {
		d := v - y[i]
		a0 += float32(d * d)
	}
	return (a0 + a1) + (a2 + a3)
}

// CellForward is a step of the recurrence (SPEC §2) for one row of n complex units, [Re(n) ; Im(n)], each of which is
// put on the unit circle:
//
//	δ = s + du           s, du [n]
//	α = 1/(1+exp δ)      alpha [n], out
//	p = rot ⊙ prev       rot (cos ; sin of the angle), prev [2n]
//	g = α p + in         in [2n]
//	state = g·inv        state [2n], inv = 1/sqrt(|g|²+eps) [n], out
//
// No output may overlap an input.
//
//wide:queue
func cellForwardGo(n int, alpha, inv, state, s, du, rot, in, prev []float32, eps float32) {
	cellForwardRawGo(n, alpha, inv, state, s, du, rot, in, prev)
	unitGo(n, state, inv, state, eps)
}

// CellForwardRaw is CellForward that leaves the state as it is: state = g, inv = 1.
//
//wide:queue
func cellForwardRawGo(n int, alpha, inv, state, s, du, rot, in, prev []float32) {
	sr, si := state[:n], state[n:2*n]
	cr, ci := rot[:n], rot[n:2*n]
	ir, ii := in[:n], in[n:2*n]
	pr, pi := prev[:n], prev[n:2*n]
	alpha, inv, s, du = alpha[:n], inv[:n], s[:n], du[:n]
	for j := range n {
		a := 1 / (1 + expf(s[j]+du[j]))
		re := float32(cr[j]*pr[j]) - float32(ci[j]*pi[j])
		im := float32(cr[j]*pi[j]) + float32(ci[j]*pr[j])
		alpha[j], inv[j] = a, 1
		sr[j], si[j] = float32(a*re)+ir[j], float32(a*im)+ii[j]
	}
}

// CellBackward gives the gradients of CellForward's inputs from that of its state (dstate [2n]), with its own inputs
// and outputs:
//
//	dg     = inv (dstate - state Re(conj(state) dstate))
//	din    = dg                          [2n]
//	ddelta = -α(1-α) Re(conj(p) dg)      [n], the gradient of s and of du
//	dprev += conj(rot) α dg              [2n]
//	dtheta = α Im(conj(p) dg)            [n], the gradient of the angle
//
// dprev is added to, the others are written.
//
//wide:queue
func cellBackwardGo(n int, din, ddelta, dtheta, dprev, alpha, inv, rot, state, dstate, prev []float32) {
	for j := range n {
		sr, si, dr, di, v := state[j], state[n+j], dstate[j], dstate[n+j], inv[j]
		along := float32(sr*dr) + float32(si*di)
		din[j] = (dr - float32(sr*along)) * v
		din[n+j] = (di - float32(si*along)) * v
	}
	cellBackwardRawGo(n, din, ddelta, dtheta, dprev, alpha, rot, din, prev)
}

// CellBackwardRaw is the way back of CellForwardRaw: dg = dstate, which may be din.
//
//wide:queue
func cellBackwardRawGo(n int, din, ddelta, dtheta, dprev, alpha, rot, dstate, prev []float32) {
	for j := range n {
		c, s, gr, gi, a := rot[j], rot[n+j], dstate[j], dstate[n+j], alpha[j]
		pr := float32(c*prev[j]) - float32(s*prev[n+j])
		pi := float32(c*prev[n+j]) + float32(s*prev[j])
		dpr, dpi := a*gr, a*gi
		din[j], din[n+j] = gr, gi
		ddelta[j] = a * (a - 1) * (float32(pr*gr) + float32(pi*gi))
		dprev[j] += float32(c*dpr) + float32(s*dpi)
		dprev[n+j] += float32(c*dpi) - float32(s*dpr)
		dtheta[j] = float32(pr*dpi) - float32(pi*dpr)
	}
}

// Unit puts n complex numbers on the unit circle: inv = 1/sqrt(|z|² + eps), y = z·inv. z and y are [Re(n) ; Im(n)];
// y may be z.
//
//wide:queue
func unitGo(n int, y, inv, z []float32, eps float32) {
	for j := range n {
		re, im := z[j], z[n+j]
		v := 1 / float32(math.Sqrt(float64(float32(re*re)+(float32(im*im)+eps))))
		inv[j], y[j], y[n+j] = v, re*v, im*v
	}
}

// UnitBackward adds the gradient of Unit's input to dz, given that of its output: dz += inv (dy − y Re(conj(y) dy)).
//
//wide:queue
func unitBackwardGo(n int, dz, dy, y, inv []float32) {
	for j := range n {
		along := float32(y[j]*dy[j]) + float32(y[n+j]*dy[n+j])
		dz[j] += float32((dy[j] - float32(y[j]*along)) * inv[j])
		dz[n+j] += float32((dy[n+j] - float32(y[n+j]*along)) * inv[j])
	}
}

// AxpyComplex adds f ⊙ x to dst, f real [n], x and dst complex [2n].
//
//wide:queue
func axpyComplexGo(n int, dst, f, x []float32) {
	for j := range n {
		dst[j] += float32(f[j] * x[j])
		dst[n+j] += float32(f[j] * x[n+j])
	}
}

// AddInner adds Re(conj(x) ⊙ y) to dst, dst real [n], x and y complex [2n].
//
//wide:queue
func addInnerGo(n int, dst, x, y []float32) {
	for j := range n {
		dst[j] += float32(x[j]*y[j]) + float32(x[n+j]*y[n+j])
	}
}

// Along adds Im(conj(x, turned) ⊙ y) to dst [n]. re and im [2n] make the planes of x, turned: sums of products with x.
//
//wide:queue
func alongGo(n int, dst, re, im, x, y []float32) {
	for j := range n {
		r := float32(re[j]*x[j]) + float32(re[n+j]*x[n+j])
		i := float32(im[j]*x[j]) + float32(im[n+j]*x[n+j])
		dst[j] += float32(r*y[n+j]) - float32(i*y[j])
	}
}

// Angle turns n pre-activations into rotations (SPEC §2): rot = (cos θ ; sin θ) with θ = π·tanh(pre), v = u e^{iθ}.
// rot and v are complex [2n].
//
//wide:queue
func angleGo(n int, v, rot, pre, u []float32) {
	piTanhSinCosGo(n, v, rot, rot[n:], pre)
	for j := range n {
		v[j], v[n+j] = u[j]*rot[j], u[j]*rot[n+j]
	}
}

// AngleBackward gives the gradients of Angle's inputs from that of v (dv [2n]) and, through the rotation, of θ
// (dtheta [n]): dpre = π(1−tanh²)·(u Im(e^{−iθ} dv) + dtheta) + old, du = Re(e^{−iθ} dv).
//
//wide:queue
func angleBackwardGo(n int, dpre, du, pre, u, dv, dtheta, old []float32) {
	for j := range n {
		theta := math.Pi * tanhf(pre[j])
		s, c := sincosf(theta)
		h := theta / math.Pi
		g := float32(u[j]*(float32(c*dv[n+j])-float32(s*dv[j]))) + dtheta[j]
		dpre[j] = float32((math.Pi-float32(math.Pi*float32(h*h)))*g) + old[j]
		du[j] = float32(c*dv[j]) + float32(s*dv[n+j])
	}
}

// Gate opens the input gate (SPEC §2): dst = γ ⊙ r, γ = (1 + sin pre)/2; dst and r complex [2n].
//
//wide:queue
func gateGo(n int, dst, pre, r []float32) {
	for j := range n {
		s, _ := sincosf(pre[j])
		g := float32(s*0.5) + 0.5
		dst[j], dst[n+j] = g*r[j], g*r[n+j]
	}
}

// GateBackward gives the gradients of Gate's inputs from that of its output, din [2n].
//
//wide:queue
func gateBackwardGo(n int, dpre, dr, pre, r, din []float32) {
	for j := range n {
		s, c := sincosf(pre[j])
		g := float32(s*0.5) + 0.5
		dpre[j] = c * 0.5 * (float32(din[j]*r[j]) + float32(din[n+j]*r[n+j]))
		dr[j], dr[n+j] = g*din[j], g*din[n+j]
	}
}

// SigmoidSum sets dst = σ(s + pre), for gates: an inverse may be an estimate.
func sigmoidSumGo(n int, dst, s, pre []float32) {
	for j := range n {
		dst[j] = sigmoidGatef(s[j] + pre[j])
	}
}

// TanhSum sets dst = tanh(s + pre), for gates.
func tanhSumGo(n int, dst, s, pre []float32) {
	for j := range n {
		dst[j] = tanhGatef(s[j] + pre[j])
	}
}

// LSTMState takes the open gates i, f, g and o [4n] of a step (SPEC §13): next = f memory + i g, state = o tanh(next).
func lstmStateGo(n int, next, state, gates, memory []float32) {
	for j := range n {
		next[j] = float32(gates[j]*gates[2*n+j]) + float32(gates[n+j]*memory[j])
		state[j] = gates[3*n+j] * tanhGatef(next[j])
	}
}

// LSTMBackward gives the gradient of a in place of gates [4n] and that of memory in dmemory [n], which on entry holds
// the gradient of next from later steps; dstate [n] is that of state.
func lstmBackwardGo(n int, gates, dmemory, memory, next, dstate []float32) {
	for j := range n {
		i, f, g, o := gates[j], gates[n+j], gates[2*n+j], gates[3*n+j]
		t, do := tanhGatef(next[j]), dstate[j]*o
		dc := do - float32(do*t*t) + dmemory[j]
		di := dc * i
		dmemory[j] = dc * f
		gates[j], gates[n+j] = di*g*(1-i), dmemory[j]*memory[j]*(1-f)
		gates[2*n+j], gates[3*n+j] = di-float32(di*g*g), do*t*(1-o)
	}
}

// GRUState ends a step of a GRU (SPEC §13), with the gates r, z and c [3n], the text's n: it sets c = tanh(pre + r s),
// hidden = s, and state = (1 − z) c + z prev.
func gruStateGo(n int, gates, hidden, state, s, pre, prev []float32) {
	for j := range n {
		c := tanhGatef(float32(gates[j]*s[j]) + pre[j])
		gates[2*n+j], hidden[j] = c, s[j]
		state[j] = float32(gates[n+j]*(prev[j]-c)) + c
	}
}

// GRUBackward gives the gradient of pre in place of gates [3n] and that of s_c in place of hidden [n], and adds
// the part of prev's that comes not by s to dprev [n]; dstate [n] is that of state.
func gruBackwardGo(n int, gates, hidden, dprev, prev, dstate []float32) {
	for j := range n {
		r, z, c, u := gates[j], gates[n+j], gates[2*n+j], hidden[j]
		kept := dstate[j] * z
		dprev[j] += kept
		dc := dstate[j] - kept
		gates[2*n+j] = dc - float32(dc*c*c)
		hidden[j] = gates[2*n+j] * r
		gates[j], gates[n+j] = hidden[j]*u*(1-r), dc*z*(prev[j]-c)
	}
}

// Scale sets dst = f·x.
func scaleGo(n int, dst, x []float32, f float32) {
	for j := range n {
		dst[j] = f * x[j]
	}
}

// Less sets dst = f·(x − g·y).
func lessGo(n int, dst, x, y []float32, f, g float32) {
	for j := range n {
		dst[j] = f * (x[j] - float32(g*y[j]))
	}
}
