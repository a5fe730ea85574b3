package backendtest

import "mhacsp/model/backend"

// projects gives a kernel a case of each shape with a lower-triangular factor.
func projects(k kernel, build func(d draw, rows, n, h int, state, factor []float32) program) kernel {
	for _, s := range heads {
		counts := []int{1, 7, 65, 200}
		if s.h == 4 && s.d == 5 {
			counts = append(counts, 400) // more than one part of the processor's
		}
		for _, rows := range counts {
			k.add("%d-rows-%dx%d", []any{rows, s.h, s.d}, func(d draw) program {
				factor := d.normal(s.h*s.d*s.d, 0.3)
				for i, above := range triangle(s.h, s.d, zero) {
					if above == zero {
						factor[i] = 0
					}
				}
				n := s.h * s.d
				return build(d, rows, n, s.h, d.circle(rows, n), factor)
			})
		}
	}
	return k
}

func projectForward() kernel {
	k := kernel{call: backend.ProjectForward{}, writes: "Q"}
	return projects(k, func(d draw, rows, n, h int, state, factor []float32) program {
		return func(b *bench) {
			b.ProjectForward(backend.ProjectForward{Q: b.out("Q", forward, 2*rows*n, nil),
				State: b.in("State", state), Factor: b.in("Factor", factor), Rows: rows, N: n, Head: h})
		}
	})
}

func projectBackward() kernel {
	k := kernel{call: backend.ProjectBackward{}, writes: "DState DFactor"}
	return projects(k, func(d draw, rows, n, h int, state, factor []float32) program {
		before, dq := d.normal(2*rows*n, 0.5), d.normal(2*rows*n, 1)
		return func(b *bench) {
			b.ProjectBackward(backend.ProjectBackward{DState: b.add("DState", gradient, before, nil),
				DFactor: b.out("DFactor", gradient, len(factor), triangle(h, n/h, zero)), DQ: b.in("DQ", dq),
				State: b.in("State", state), Factor: b.in("Factor", factor), Rows: rows, N: n, Head: h})
		}
	})
}
