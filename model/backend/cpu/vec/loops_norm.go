package vec

// The plain loops of the norms and of the elementwise functions between two layers; see portable.go.

// normalf is Φ(x), the share of a normal distribution below x, and exp(−x²/2).
func normalf(x float32) (below, e float32) {
	a := max(x, -x)
	t := 1 / (float32(a*tailScale) + 1)
	p := float32(float32(tail8)*t) + tail7
	p = float32(p*t) + tail6
	p = float32(p*t) + tail5
	p = float32(p*t) + tail4
	p = float32(p*t) + tail3
	p = float32(p*t) + tail2
	p = float32(p*t) + tail1
	p = float32(p*t) + tail0
	e = expf(float32(x*x) * -0.5)
	q := float32(float32(p*t) * e)
	if x < 0 {
		return q, e
	}
	return 1 - q, e
}

func mulGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] *= v
	}
}

func shiftGo(n int, dst, x []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = v + f
	}
}

func gainGo(n int, dst, x, g []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = float32(v*f) * g[i]
	}
}

func gainShiftGo(n int, dst, x, g, b []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] = float32(float32(v*f)*g[i]) + b[i]
	}
}

func addProductGo(n int, dst, x, y []float32, f float32) {
	for i, v := range x[:n] {
		dst[i] += float32(float32(v*f) * y[i])
	}
}

func unnormGo(n int, dst, x, y []float32, f, a, b float32) {
	for i, v := range x[:n] {
		dst[i] += float32(v*f) + (float32(y[i]*b) + a)
	}
}

func reluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

func reluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		if !(v > 0) {
			g[i] = 0
		}
	}
}

func geluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		c, _ := normalf(v)
		dst[i] = v * c
	}
}

func geluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		c, e := normalf(v)
		g[i] *= float32(float32(v*e)*bell) + c
	}
}

func siluGo(n int, dst, x []float32) {
	for i, v := range x[:n] {
		dst[i] = v * sigmoidGatef(v)
	}
}

func siluBackwardGo(n int, g, x []float32) {
	for i, v := range x[:n] {
		e := expf(-v)
		s := inversef(e + 1)
		g[i] *= float32(s * (float32(v*float32(e*s)) + 1))
	}
}

func siluTimesGo(n int, dst, x, y []float32) {
	for j, v := range x[:n] {
		dst[j] = v * sigmoidGatef(v) * y[j]
	}
}

func siluTimesBackwardGo(n int, dx, dy, g, x, y []float32) {
	for j, v := range x[:n] {
		e, d := expf(-v), g[j]
		s := inversef(e + 1)
		f := float32(d * y[j])
		dy[j] = float32(d*v) * s
		dx[j] = float32(f*s) * (float32(v*float32(e*s)) + 1)
	}
}
