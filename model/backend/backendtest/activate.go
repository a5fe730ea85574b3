package backendtest

import "mhacsp/model/backend"

// activateCases gives a kernel shapes, each with every function, with and without a factor.
func activateCases(k kernel, build func(d draw, a backend.ActivateForward, x, times []float32) program) kernel {
	for _, s := range []struct{ p, n int }{{1, 1}, {3, 5}, {65, 20}, {130, 68}, {300, 129}} {
		for f, name := range []string{"relu", "gelu", "silu"} {
			for _, gated := range []bool{false, true} {
				k.add("%dx%d-%s-times=%v", []any{s.p, s.n, name, gated}, func(d draw) program {
					x := d.normal(s.p*s.n, 2)
					// The first is no 0, so that a row of one is not lost.
					copy(x, []float32{1.5, 0, -100, 100, -6, 12, -30})
					var times []float32
					if gated {
						times = d.normal(s.p*s.n, 1)
					}
					return build(d, backend.ActivateForward{P: s.p, N: s.n, F: backend.Activation(f)}, x, times)
				})
			}
		}
	}
	return k
}

func activateForward() kernel {
	k := kernel{call: backend.ActivateForward{}, writes: "Y", optional: "Times"}
	return activateCases(k, func(d draw, a backend.ActivateForward, x, times []float32) program {
		before := d.normal(len(x), 1)
		return func(b *bench) {
			a := a
			a.Y, a.X, a.Times = b.out("Y", forward, len(x), nil), b.in("X", x), b.in("Times", times)
			b.ActivateForward(a)
			a.Y, a.Add = b.add("Y", forward, before, nil), true
			b.ActivateForward(a)
		}
	})
}

func activateBackward() kernel {
	k := kernel{call: backend.ActivateBackward{}, writes: "DX DTimes", optional: "Times"}
	return activateCases(k, func(d draw, f backend.ActivateForward, x, times []float32) program {
		dy := d.normal(len(x), 1)
		return func(b *bench) {
			a := backend.ActivateBackward{DX: b.out("DX", gradient, len(x), nil), DY: b.in("DY", dy),
				X: b.in("X", x), Times: b.in("Times", times), P: f.P, N: f.N, F: f.F}
			if times != nil {
				a.DTimes = b.out("DTimes", gradient, len(x), nil)
			}
			b.ActivateBackward(a)
		}
	})
}
