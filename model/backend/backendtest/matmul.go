package backendtest

import "mhacsp/model/backend"

// size is the shape of a linear layer over m rows.
type size struct{ m, k, n int }

var sizes = [...]size{
	{1, 1, 1}, {1, 132, 21}, {21, 132, 132}, {21, 1, 5}, {7, 13, 1}, {3, 5, 7}, {2, 6, 6}, {64, 64, 64}, {65, 33, 20},
	{5, 264, 21}, {130, 20, 6}, {2000, 20, 6}, {2000, 6, 20}, {300, 264, 132},
}

// onOff gives a kernel a case of each size with a switch off and on.
func onOff(k kernel, label string, build func(d draw, s size, on bool) program) kernel {
	for _, s := range sizes {
		for _, on := range []bool{false, true} {
			k.add("%dx%dx%d%s", []any{s.m, s.k, s.n, option(on, label)},
				func(d draw) program { return build(d, s, on) })
		}
	}
	return k
}

func matMul() kernel {
	k := kernel{call: backend.MatMul{}, writes: "Y", optional: "Bias"}
	return onOff(k, "bias", func(d draw, s size, on bool) program {
		x, w := d.normal(s.m*s.k, 1), d.normal(s.n*s.k, 1)
		var bias []float32
		if on {
			bias = d.normal(s.n, 1)
		}
		return func(b *bench) {
			b.MatMul(backend.MatMul{Y: b.out("Y", forward, s.m*s.n, nil), X: b.in("X", x), W: b.in("W", w),
				Bias: b.in("Bias", bias), M: s.m, K: s.k, N: s.n})
		}
	})
}

func matMulInput() kernel {
	k := kernel{call: backend.MatMulInput{}, writes: "DX"}
	return onOff(k, "accumulate", func(d draw, s size, on bool) program {
		dy, w, before := d.normal(s.m*s.n, 1), d.normal(s.n*s.k, 1), d.normal(s.m*s.k, 0.5)
		return func(b *bench) {
			b.MatMulInput(backend.MatMulInput{DX: b.outOr(on, "DX", gradient, before, nil), DY: b.in("DY", dy),
				W: b.in("W", w), M: s.m, K: s.k, N: s.n, Accumulate: on})
		}
	})
}

func matMulWeight() kernel {
	k := kernel{call: backend.MatMulWeight{}, writes: "DW DBias", optional: "DBias"}
	return onOff(k, "bias", func(d draw, s size, on bool) program {
		width := s.n
		if on {
			width += s.k % 5 // numbers that nothing reads
		}
		dy, x := d.normal(s.m*width, 1), d.normal(s.m*s.k, 1)
		dw, db := d.normal(s.n*s.k, 0.5), d.normal(s.n, 0.5)
		return func(b *bench) {
			a := backend.MatMulWeight{DW: b.add("DW", gradient, dw, nil), DY: b.in("DY", dy), X: b.in("X", x),
				M: s.m, K: s.k, N: s.n, Width: width}
			if on {
				a.DBias = b.add("DBias", gradient, db, nil)
			}
			b.MatMulWeight(a)
		}
	})
}
