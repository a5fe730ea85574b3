package backendtest

import "mhacsp/model/backend"

func columns() kernel {
	k := kernel{call: backend.Columns{}, writes: "Dst"}
	for _, s := range []struct{ m, n, dstWidth, dstFrom, srcWidth, srcFrom int }{
		{1, 1, 1, 0, 1, 0}, {3, 2, 4, 2, 3, 1}, {64, 20, 20, 0, 41, 21}, {65, 5, 152, 84, 5, 0},
		{130, 68, 152, 84, 152, 0}, {300, 84, 84, 0, 152, 68},
	} {
		for _, more := range []bool{false, true} {
			name := []any{s.m, s.n, s.dstFrom, s.dstWidth, s.srcFrom, s.srcWidth, more}
			k.add("%dx%d-at-%d-of-%d-from-%d-of-%d-add=%v", name, func(d draw) program {
				before, src := d.normal(s.m*s.dstWidth, 0.5), d.normal(s.m*s.srcWidth, 1)
				block := each(len(before), func(i int) role {
					if c := i%s.dstWidth - s.dstFrom; c < 0 || c >= s.n {
						return kept
					}
					if !more {
						before[i] = junk
					}
					return written
				})
				return func(b *bench) {
					a := backend.Columns{Src: b.in("Src", src), M: s.m, N: s.n, DstWidth: s.dstWidth,
						SrcWidth: s.srcWidth, DstFrom: s.dstFrom, SrcFrom: s.srcFrom, Add: more}
					if more {
						a.Dst = b.add("Dst", forward, before, block)
					} else {
						a.Dst = b.over("Dst", 0, before, block)
					}
					b.Columns(a)
				}
			})
		}
	}
	return k
}
