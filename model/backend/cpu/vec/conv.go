package vec

// Taps sets dst_j = Σ_i w_i,j x_i,j over four vectors x_i and their weights: one step of a convolution in which each
// channel has its own.
func Taps(dst []float32, w, x *[4][]float32) {
	for i := range w {
		need(len(dst), len(w[i]))
		need(len(dst), len(x[i]))
	}
	taps(len(dst), dst, w[0], w[1], w[2], w[3], x[0], x[1], x[2], x[3])
}

// TapsSilu is Taps, z, and then dst = z·σ(z).
func TapsSilu(dst []float32, w, x *[4][]float32) {
	for i := range w {
		need(len(dst), len(w[i]))
		need(len(dst), len(x[i]))
	}
	tapsSilu(len(dst), dst, w[0], w[1], w[2], w[3], x[0], x[1], x[2], x[3])
}

// TapsSiluBackward makes of dy, the gradient of TapsSilu's result, that of z in dz, and adds dz·x_i to dw_i.
func TapsSiluBackward(dz, dy []float32, dw, w, x *[4][]float32) {
	need(len(dz), len(dy))
	for i := range w {
		need(len(dz), len(dw[i]))
		need(len(dz), len(w[i]))
		need(len(dz), len(x[i]))
	}
	tapsSiluBackward(len(dz), dz, dw[0], dw[1], dw[2], dw[3], dy, w[0], w[1], w[2], w[3], x[0], x[1], x[2], x[3])
}

func tapsGo(n int, dst, w, w1, w2, w3, x, x1, x2, x3 []float32) {
	for j := range n {
		z := float32(w[j]*x[j]) + float32(w1[j]*x1[j])
		dst[j] = z + (float32(w2[j]*x2[j]) + float32(w3[j]*x3[j]))
	}
}

func tapsSiluGo(n int, dst, w, w1, w2, w3, x, x1, x2, x3 []float32) {
	tapsGo(n, dst, w, w1, w2, w3, x, x1, x2, x3)
	for j, z := range dst[:n] {
		dst[j] = z * sigmoidf(z)
	}
}

func tapsSiluBackwardGo(n int, dz, dw, dw1, dw2, dw3, dy, w, w1, w2, w3, x, x1, x2, x3 []float32) {
	tapsGo(n, dz, w, w1, w2, w3, x, x1, x2, x3)
	for j, z := range dz[:n] {
		s := sigmoidf(z)
		d := float32(dy[j]*s) * (1 + float32(z*(1-s)))
		dz[j] = d
		dw[j] += float32(d * x[j])
		dw1[j] += float32(d * x1[j])
		dw2[j] += float32(d * x2[j])
		dw3[j] += float32(d * x3[j])
	}
}
