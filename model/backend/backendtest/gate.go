package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

// gates is a case of each shape and spread of the pre-activation; at 10 the sine's argument needs wrapping.
func gates(build func(d draw, m, n int, pre []float32) program) (list []contract) {
	for _, s := range []struct {
		m, n int
		std  float64
	}{{1, 1, 1}, {1, 6, 1}, {7, 20, 1}, {21, 132, 1}, {300, 132, 1}, {65, 20, 10}} {
		list = append(list, against(fmt.Sprintf("%dx%d-std=%g", s.m, s.n, s.std), func(d draw) program {
			return build(d, s.m, s.n, d.normal(s.m*s.n, s.std))
		}))
	}
	return list
}

func gateForward() []contract {
	return gates(func(d draw, m, n int, pre []float32) program {
		r := d.normal(2*m*n, 1)
		return func(b *bench) {
			b.GateForward(backend.GateForward{In: b.out("In", forward, 2*m*n, nil), Pre: b.in("Pre", pre), R: b.in("R", r), M: m, N: n})
		}
	})
}

func gateBackward() []contract {
	return gates(func(d draw, m, n int, pre []float32) program {
		r, din := d.normal(2*m*n, 1), d.normal(2*m*n, 1)
		return func(b *bench) {
			b.GateBackward(backend.GateBackward{
				DPre: b.out("DPre", gradient, m*n, nil), DR: b.out("DR", gradient, 2*m*n, nil),
				DIn: b.in("DIn", din), Pre: b.in("Pre", pre), R: b.in("R", r), M: m, N: n,
			})
		}
	})
}
