package backendtest

import "mhacsp/model/backend"

// norms holds the inputs of a norm: rows that lie far from 0, the first of them equal numbers.
type norms struct {
	p, n                int
	x, plus, gain, bias []float32
	eps                 float32
}

// normCases gives a kernel shapes, each as layer norm and as RMS norm, with and without a sum.
func normCases(k kernel, build func(d draw, x norms) program) kernel {
	for i, s := range []struct{ p, n int }{
		{1, 1}, {3, 2}, {7, 5}, {65, 20}, {130, 64}, {300, 84}, {1000, 16}, {5, 263}, {3, 1024},
	} {
		for _, layer := range []bool{false, true} {
			for _, sum := range []bool{false, true} {
				k.add("%dx%d-layer=%v-sum=%v", []any{s.p, s.n, layer, sum}, func(d draw) program {
					x := norms{p: s.p, n: s.n, x: d.normal(s.p*s.n, 1), gain: d.normal(s.n, 1), eps: 1e-5}
					if i < 3 {
						x.eps = 0.5 // a norm of few numbers hardly depends on them, so that its gradient is lost
					}
					for i := range x.x {
						x.x[i] += 3
						if i < s.n && s.n > 1 {
							x.x[i] = 0.5
						}
					}
					if layer {
						x.bias = d.normal(s.n, 1)
					}
					if sum {
						x.plus = d.normal(len(x.x), 0.5)
					}
					return build(d, x)
				})
			}
		}
	}
	return k
}

func (x norms) forward(b *bench) {
	size := x.p * x.n
	a := backend.NormForward{Y: b.out("Y", forward, size, nil), Inv: b.out("Inv", forward, x.p, nil),
		X: b.in("X", x.x), Plus: b.in("Plus", x.plus), Gain: b.in("Gain", x.gain), Bias: b.in("Bias", x.bias), P: x.p,
		N: x.n, Eps: x.eps}
	if x.plus != nil {
		a.Sum = b.out("Sum", forward, size, nil)
	}
	if x.bias != nil {
		a.Mean = b.out("Mean", forward, x.p, nil)
	}
	b.NormForward(a)
}

func normForward() kernel {
	k := kernel{call: backend.NormForward{}, writes: "Y Inv Sum Mean", optional: "Plus Bias"}
	return normCases(k, func(_ draw, x norms) program { return x.forward })
}

func normBackward() kernel {
	k := kernel{call: backend.NormBackward{}, writes: "DX DGain DBias", optional: "Mean"}
	return normCases(k, func(d draw, x norms) program {
		saved := d.saved(x.forward)
		from := saved["X"]
		if x.plus != nil {
			from = saved["Sum"]
		}
		dx, dy := d.normal(len(x.x), 0.5), d.normal(len(x.x), 1)
		dgain, dbias := d.normal(x.n, 0.1), d.normal(x.n, 0.1)
		return func(b *bench) {
			a := backend.NormBackward{DGain: b.add("DGain", gradient, dgain, nil), DY: b.in("DY", dy),
				X: b.in("X", from), Mean: b.in("Mean", saved["Mean"]), Inv: b.in("Inv", saved["Inv"]),
				Gain: b.in("Gain", x.gain), P: x.p, N: x.n, Accumulate: x.p%2 > 0}
			a.DX = b.outOr(a.Accumulate, "DX", gradient, dx, nil)
			if x.bias != nil {
				a.DBias = b.add("DBias", gradient, dbias, nil)
			}
			b.NormBackward(a)
		}
	})
}
