package backendtest

import "mhacsp/model/backend"

// rowSum's cases are shapes; the last of several rows of Dst gains nothing.
func rowSum() kernel {
	k := kernel{call: backend.RowSum{}, writes: "Dst"}
	for _, s := range []struct{ p, n, m int }{
		{1, 1, 1}, {1, 6, 3}, {7, 20, 2}, {65, 5, 21}, {130, 336, 21}, {1000, 20, 3}, {300, 132, 300},
	} {
		for _, holes := range []bool{false, true} {
			k.add("%dx%d-to-%d-holes=%v", []any{s.p, s.n, s.m, holes}, func(d draw) program {
				at := d.index(s.p, max(1, s.m-1))
				for p := 3; holes && p < s.p; p += 7 {
					at[p] = -1
				}
				dst, src := d.normal(s.m*s.n, 0.5), d.normal(s.p*s.n, 1)
				return func(b *bench) {
					b.RowSum(backend.RowSum{Dst: b.add("Dst", gradient, dst, named(s.m, s.n, at)),
						Src: b.in("Src", src), At: b.ints(at), P: s.p, N: s.n, M: s.m})
				}
			})
		}
	}
	return k
}
