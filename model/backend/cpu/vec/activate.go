package vec

// Mul multiplies dst_j by x_j.
func Mul(dst, x []float32) {
	need(len(dst), len(x))
	mul(len(dst), dst, x)
}

// Each function between two layers has a way back, which multiplies a gradient g_j by the function's slope at x_j.

// ReLU sets dst_j = max(x_j, 0).
func ReLU(dst, x []float32) {
	need(len(dst), len(x))
	relu(len(dst), dst, x)
}

// ReLUBackward makes g_j 0 where x_j ≤ 0.
func ReLUBackward(g, x []float32) {
	need(len(g), len(x))
	reluBackward(len(g), g, x)
}

// GELU sets dst_j = x_j Φ(x_j), Φ(x) = (1 + erf(x/√2))/2: to a relative 4e-7 for x ≥ −3, to an absolute 2e-8 below.
func GELU(dst, x []float32) {
	need(len(dst), len(x))
	gelu(len(dst), dst, x)
}

// GELUBackward multiplies g_j by Φ(x_j) + x_j exp(−x_j²/2)/√(2π).
func GELUBackward(g, x []float32) {
	need(len(g), len(x))
	geluBackward(len(g), g, x)
}

// SiLU sets dst_j = x_j/(1+exp(−x_j)).
func SiLU(dst, x []float32) {
	need(len(dst), len(x))
	silu(len(dst), dst, x)
}

// SiLUBackward multiplies g_j by the slope σ(x_j)(1 + x_j(1 − σ(x_j))).
func SiLUBackward(g, x []float32) {
	need(len(g), len(x))
	siluBackward(len(g), g, x)
}

// SiLUTimes sets dst_j = y_j x_j/(1+exp(−x_j)).
func SiLUTimes(dst, x, y []float32) {
	need(len(dst), len(x))
	need(len(dst), len(y))
	siluTimes(len(dst), dst, x, y)
}

// SiLUTimesBackward makes of g, the gradient of SiLUTimes's result, those of x and y.
func SiLUTimesBackward(dx, dy, g, x, y []float32) {
	need(len(dx), len(dy))
	need(len(dx), len(g))
	need(len(dx), len(x))
	need(len(dx), len(y))
	siluTimesBackward(len(dx), dx, dy, g, x, y)
}
