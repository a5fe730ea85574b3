package vec

// Shift sets dst_j = x_j + f.
func Shift(dst, x []float32, f float32) {
	need(len(dst), len(x))
	shift(len(dst), dst, x, f)
}

// Gain sets dst_j = x_j·f·g_j.
func Gain(dst, x, g []float32, f float32) {
	need(len(dst), len(x))
	need(len(dst), len(g))
	gain(len(dst), dst, x, g, f)
}

// GainShift sets dst_j = x_j·f·g_j + b_j.
func GainShift(dst, x, g, b []float32, f float32) {
	need(len(dst), len(x))
	need(len(dst), len(g))
	need(len(dst), len(b))
	gainShift(len(dst), dst, x, g, b, f)
}

// AddProduct adds f·x_j·y_j to dst_j.
func AddProduct(dst, x, y []float32, f float32) {
	need(len(dst), len(x))
	need(len(dst), len(y))
	addProduct(len(dst), dst, x, y, f)
}

// Unnorm adds f·x_j + a + b·y_j to dst_j: the way back of a norm (SPEC §13).
func Unnorm(dst, x, y []float32, f, a, b float32) {
	need(len(dst), len(x))
	need(len(dst), len(y))
	unnorm(len(dst), dst, x, y, f, a, b)
}

// Dot is Σ x_j y_j; len(x) counts.
func Dot(x, y []float32) float32 {
	need(len(x), len(y))
	return dot(len(x), x, y)
}
