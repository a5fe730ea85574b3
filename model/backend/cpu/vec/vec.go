package vec

import (
	"fmt"
	"unsafe"
)

// need panics where an input holds fewer than n values.
func need(n, have int) {
	if have < n {
		panicShort(n, have)
	}
}

//go:noinline
func panicShort(n, have int) {
	panic(fmt.Sprintf("vec: slice of %d values where %d are needed", have, n))
}

// total is what four partial sums of a loop come to, and greatest the greatest of four.
func total(s *[4]float32) float32 { return (s[0] + s[1]) + (s[2] + s[3]) }

func total64(s *[4]float32) float64 {
	return (float64(s[0]) + float64(s[1])) + (float64(s[2]) + float64(s[3]))
}

func greatest(s *[4]float32) float32 { return max(max(s[0], s[1]), max(s[2], s[3])) }

// Exp sets dst_j = exp(x_j), to a relative 2e-7. x is clamped to [-87.3, 88.3],
// so the result is a normal, finite number (never 0).
func Exp(dst, x []float32) {
	need(len(dst), len(x))
	if !queued || !atOnce(wideExp, len(dst), nil, first(dst, 0), first(x, 0)) {
		exp(len(dst), dst, x)
	}
}

// ExpOver sets dst_j = exp(x_j − b), as exact as Exp.
func ExpOver(dst, x []float32, b float32) {
	need(len(dst), len(x))
	expOver(len(dst), dst, x, b)
}

// ExpFrom sets dst_j = exp(b − x_j), as exact as Exp.
func ExpFrom(dst, x []float32, b float32) {
	need(len(dst), len(x))
	expFrom(len(dst), dst, x, b)
}

// Pull sets g_j = (f − g_j)·p_j: with the softmax p, its gradient g and f = Σ p_j g_j, the gradient of what the
// softmax is taken of, times −1.
func Pull(g, p []float32, f float32) {
	need(len(g), len(p))
	pull(len(g), g, p, f)
}

// Sigmoid sets dst_j = 1/(1+exp(-x_j)), to a relative 3e-7 above 1e-37.
func Sigmoid(dst, x []float32) {
	need(len(dst), len(x))
	sigmoid(len(dst), dst, x)
}

// SinCos sets s_j = sin(x_j) and c_j = cos(x_j), to an absolute 2e-7 for
// |x| ≤ 1000. Beyond 8192, x counts as ±8192. s or c may be x; len(s) counts.
func SinCos(s, c, x []float32) {
	need(len(s), len(c))
	need(len(s), len(x))
	sinCos(len(s), s, c, x)
}

// PiTanhSinCos sets theta_j = π tanh(x_j), to a relative 3e-7, and the sine and
// cosine of that float32 angle to an absolute 2e-7. len(theta) counts.
func PiTanhSinCos(theta, c, s, x []float32) {
	need(len(theta), len(c))
	need(len(theta), len(s))
	need(len(theta), len(x))
	piTanhSinCos(len(theta), theta, c, s, x)
}

// Tanh sets dst_j = tanh(x_j), to a relative 3e-7.
func Tanh(dst, x []float32) {
	need(len(dst), len(x))
	tanh(len(dst), dst, x)
}

// PiTanhBackward makes of g_j, the gradient of theta_j = π tanh x_j, that of x_j: it multiplies it by π − theta_j²/π.
func PiTanhBackward(g, theta []float32) {
	need(len(g), len(theta))
	piTanhBackward(len(g), g, theta)
}

// LogAddExp sets dst_j = log(exp a_j + exp b), to 3e-7 of the larger of 1 and
// the result. Any finite or infinite a and b will do; -Inf is the log of 0.
func LogAddExp(dst, a []float32, b float32) {
	need(len(dst), len(a))
	if b-b != 0 { // not finite
		for i, v := range a[:len(dst)] {
			dst[i] = max(v, b)
		}
		return
	}
	logAddExp(len(dst), dst, a, b)
}

// LogAddExp2 sets dst_j = log(exp a_j + exp b_j) for finite a and b, as exact
// as LogAddExp.
func LogAddExp2(dst, a, b []float32) {
	need(len(dst), len(a))
	need(len(dst), len(b))
	logAddExp2(len(dst), dst, a, b)
}

// Sum is the sum of x, 0 when empty.
func Sum(x []float32) float32 { return sum(len(x), x) }

// Max is the largest of x, -Inf when empty. What a NaN in x gives is not
// defined.
func Max(x []float32) float32 { return maximum(len(x), x) }

// SumSquares is Σ x_j², summed in float32 lanes over runs of 1024 values and in
// float64 over the runs.
func SumSquares(x []float32) float64 {
	const run = 1024
	var s float64
	for len(x) > run {
		s += sumSquares(run, x)
		x = x[run:]
	}
	return s + sumSquares(len(x), x)
}

// Axpy adds s·x_j to dst_j.
func Axpy(dst []float32, s float32, x []float32) {
	need(len(dst), len(x))
	axpy(len(dst), dst, x, s)
}

// Scale multiplies dst_j by s.
func Scale(dst []float32, s float32) { scale(len(dst), dst, s) }

// Add adds x_j to dst_j.
func Add(dst, x []float32) {
	need(len(dst), len(x))
	if !queued || !atOnce(wideAdd, len(dst), nil, first(dst, 0), first(x, 0)) {
		add(len(dst), dst, x)
	}
}

// AdamCoef are the coefficients of one Adam step; see Adam.
type AdamCoef struct {
	Beta1, Beta2 float32
	Eps          float32
	StepSize     float32 // lr / (1 - Beta1^t)
	InvSqrtBias2 float32 // 1 / sqrt(1 - Beta2^t)
	WeightDecay  float32 // λ added to the gradient (L2), or 0
	Decoupled    float32 // lr·λ taken from the weight (AdamW), or 0
	GradScale    float32 // factor on the gradient (clipping), 1 for none
}

// Adam updates the weights p and the moments m and v by the gradient g:
//
//	h = g·GradScale + WeightDecay·p
//	m = Beta1·m + (1-Beta1)·h
//	v = Beta2·v + (1-Beta2)·h²
//	p = p·(1-Decoupled) - StepSize·m / (sqrt(v)·InvSqrtBias2 + Eps)
//
// len(p) counts; g is left as it was.
func Adam(p, m, v, g []float32, c AdamCoef) {
	need(len(p), len(m))
	need(len(p), len(v))
	need(len(p), len(g))
	numbers := unsafe.Slice(&c.Beta1, 8) // all of c
	if queued && atOnce(wideAdam, len(p), numbers, first(p, 0), first(m, 0), first(v, 0), first(g, 0)) {
		return
	}
	adam(len(p), p, m, v, g, &c)
}
