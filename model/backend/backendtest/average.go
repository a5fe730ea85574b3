package backendtest

import "mhacsp/model/backend"

func average() kernel {
	k := kernel{call: backend.Average{}, writes: "Y", unsized: "X"}
	for _, s := range []struct{ p, n, d, rows int }{
		{1, 1, 1, 1}, {2, 3, 4, 5}, {65, 20, 4, 64}, {130, 66, 3, 200}, {300, 64, 4, 300},
	} {
		for _, more := range []bool{false, true} {
			k.add("%dx%d-by-%d-of-%d-add=%v", []any{s.p, s.n, s.d, s.rows, more}, func(d draw) program {
				before, x, weight := d.normal(s.p*s.n, 0.5), d.normal(s.rows*s.n, 1), d.normal(s.p*s.d, 1)
				edge := d.index(s.p*s.d, s.rows)
				for i := range edge {
					if i%3 == 1 {
						edge[i] = -1
					}
				}
				return func(b *bench) {
					b.Average(backend.Average{Y: b.outOr(more, "Y", forward, before, nil), X: b.in("X", x),
						Edge: b.ints(edge), Weight: b.in("Weight", weight), P: s.p, N: s.n, D: s.d, Add: more})
				}
			})
		}
	}
	return k
}
