package vec

// The plain loops of the norms and of the elementwise functions between two layers.

// normalf is Φ(x), the share of a normal distribution below x, and exp(−x²/2).
func normalf(x float32) (below, e float32) {
	a := max(x, -x)
	t := 1 / (float32(a*tailScale) + 1)
	p := cubic(t, cubic(t, tail8, tail7, tail6, tail5), tail4, tail3, tail2)
	p = float32(float32(float32(p*t)+tail1)*t) + tail0
	e = expf(float32(x*x) * -0.5)
	q := float32(float32(p*t) * e)
	if x < 0 {
		return q, e
	}
	return 1 - q, e
}

// Shift sets dst_j = x_j + f.
func shiftGo(n int, dst, x []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = v + f
	}
}

// Gain sets dst_j = x_j·f·g_j.
func gainGo(n int, dst, x, g []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = float32(v*f) * g[i]
	}
}

// GainShift sets dst_j = x_j·f·g_j + b_j.
func gainShiftGo(n int, dst, x, g, b []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = float32(float32(v*f)*g[i]) + b[i]
	}
}

// AddProduct adds f·x_j·y_j to dst_j.
func addProductGo(n int, dst, x, y []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] += float32(float32(v*f) * y[i])
	}
}

// Unnorm adds f·x_j + a + b·y_j to dst_j: the way back of a norm (SPEC §13).
func unnormGo(n int, dst, x, y []float32, f, a, b float32) {
	for i, v := range x[:n] {
		dst[i] += float32(v*f) + (float32(y[i]*b) + a)
	}
}

// ReLU sets dst_j = max(x_j, 0).
func reluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

// ReLUBackward makes g_j 0 where x_j ≤ 0.
func reluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		if !(v > 0) {
			g[i] = 0
		}
	}
}

// GELU sets dst_j = x_j Φ(x_j), Φ(x) = (1 + erf(x/√2))/2: to a relative 4e-7 for x ≥ −3, to an absolute 2e-8 below.
func geluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		c, _ := normalf(v)
		dst[i] = v * c
	}
}

// GELUBackward multiplies g_j by Φ(x_j) + x_j exp(−x_j²/2)/√(2π).
func geluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		c, e := normalf(v)
		g[i] *= float32(float32(v*e)*bell) + c
	}
}

// SiLU sets dst_j = x_j/(1+exp(−x_j)).
func siluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = v * sigmoidGatef(v)
	}
}

// SiLUBackward multiplies g_j by the slope σ(x_j)(1 + x_j(1 − σ(x_j))).
func siluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		e := expf(-v)
		s := inversef(e + 1)
		g[i] *= float32(s * (float32(v*float32(e*s)) + 1))
	}
}

// SiLUTimes sets dst_j = y_j x_j/(1+exp(−x_j)).
func siluTimesGo(n int, dst, x, y []float32) {
	for j, v := range x[:n] {
		dst[j] = v * sigmoidGatef(v) * y[j]
	}
}

// SiLUTimesBackward makes of g, the gradient of SiLUTimes's result, those of x and y.
func siluTimesBackwardGo(n int, dx, dy, g, x, y []float32) {
	for j, v := range x[:n] {
		e, d := expf(-v), g[j]
		s := inversef(e + 1)
		f := float32(d * y[j])
		dy[j] = float32(d*v) * s
		dx[j] = float32(f*s) * (float32(v*float32(e*s)) + 1)
	}
}
