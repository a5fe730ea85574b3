package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

func angleForward() (list []contract) {
	for _, x := range []struct {
		m, n, turn int
		rot        bool
		std        float64 // of the pre-activation
	}{
		{1, 1, 1, true, 1}, {1, 6, 3, true, 1}, {7, 6, 0, true, 1}, {21, 132, 0, true, 1}, {21, 132, 66, true, 1},
		{21, 132, 132, true, 1}, {65, 20, 20, true, 1}, {65, 20, 0, false, 1}, {300, 132, 0, false, 1}, {30, 20, 10, true, 10},
	} {
		list = append(list, against(fmt.Sprintf("%dx%d-turn=%d-rot=%v-std=%g", x.m, x.n, x.turn, x.rot, x.std), func(d draw) program {
			pre, u := d.normal(x.m*x.n, x.std), d.normal(x.m*x.n, 1)
			rot := roles(2*x.m*x.n, func(i int) role {
				if col := i % (2 * x.n); col >= x.n+x.turn {
					return zero // the sine of a unit that holds
				}
				return written
			})
			return func(b *bench) {
				a := backend.AngleForward{
					V: b.out("V", forward, 2*x.m*x.n, nil), Pre: b.in("Pre", pre), U: b.in("U", u), M: x.m, N: x.n, Turn: x.turn,
				}
				if x.rot {
					a.Rot = b.out("Rot", forward, len(rot), rot)
				}
				b.AngleForward(a)
			}
		}))
	}
	return list
}

func angleBackward() (list []contract) {
	for _, s := range []struct {
		m, n int
		std  float64
	}{{1, 1, 1}, {1, 6, 1}, {7, 20, 1}, {65, 132, 1}, {30, 20, 10}} {
		for _, theta := range []bool{false, true} {
			for _, add := range []bool{false, true} {
				list = append(list, against(fmt.Sprintf("%dx%d-std=%g-dtheta=%v-addpre=%v", s.m, s.n, s.std, theta, add), func(d draw) program {
					n := s.m * s.n
					pre, u, dv, before := d.normal(n, s.std), d.normal(n, 1), d.normal(2*n, 1), d.normal(n, 1)
					var dtheta []float32
					if theta {
						dtheta = d.normal(n, 1)
					}
					return func(b *bench) {
						a := backend.AngleBackward{
							DU: b.out("DU", gradient, n, nil), DV: b.in("DV", dv), DTheta: b.in("DTheta", dtheta),
							Pre: b.in("Pre", pre), U: b.in("U", u), M: s.m, N: s.n, AddPre: add,
						}
						if add {
							a.DPre = b.add("DPre", gradient, before, nil)
						} else {
							a.DPre = b.out("DPre", gradient, n, nil)
						}
						b.AngleBackward(a)
					}
				}))
			}
		}
	}
	return list
}
