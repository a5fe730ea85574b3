package backendtest

import "mhacsp/model/backend"

// heads are shapes of per-head tensors: d = width/heads.
var heads = [...]struct{ h, d int }{{1, 1}, {1, 6}, {2, 3}, {4, 5}, {4, 33}, {1, 132}}

// triangle is the roles of [h, d, d] with above for what stands above the diagonals.
func triangle(h, d int, above role) []role {
	return each(h*d*d, func(i int) role { return writtenIf(i%d <= i/d%d, above) })
}

// rawFactor draws factors before the softplus, with some diagonal entries far out and junk above the diagonal.
func rawFactor(r draw, h, d int) []float32 {
	x := r.normal(h*d*d, 0.3)
	for i, above := range triangle(h, d, free) {
		switch row, col := i/d%d, i%d; {
		case above == free:
			x[i] = junk
		case row == col && row%5 == 1:
			x[i] *= 60
		}
	}
	return x
}

func factorForward() kernel {
	k := kernel{call: backend.FactorForward{}, writes: "Factor"}
	one := func(label string, h, d int, draws func(draw) []float32) {
		k.add(label+"%dx%d", []any{h, d}, func(r draw) program {
			raw := draws(r)
			return func(b *bench) {
				b.FactorForward(backend.FactorForward{Factor: b.out("Factor", forward, len(raw), triangle(h, d, zero)),
					Raw: b.in("Raw", raw), Heads: h, D: d})
			}
		})
	}
	for _, s := range heads {
		one("", s.h, s.d, func(r draw) []float32 { return rawFactor(r, s.h, s.d) })
	}
	one("deep-", 97, 1, func(r draw) []float32 { return r.deep(97) })
	return k
}

func factorBackward() kernel {
	k := kernel{call: backend.FactorBackward{}, writes: "DRaw"}
	for _, s := range heads {
		k.add("%dx%d", []any{s.h, s.d}, func(d draw) program {
			raw, before, dfactor := rawFactor(d, s.h, s.d), d.normal(s.h*s.d*s.d, 0.5), d.normal(s.h*s.d*s.d, 1)
			return func(b *bench) {
				b.FactorBackward(backend.FactorBackward{
					DRaw:    b.add("DRaw", gradient, before, triangle(s.h, s.d, kept)),
					DFactor: b.in("DFactor", dfactor), Raw: b.in("Raw", raw), Heads: s.h, D: s.d})
			}
		})
	}
	return k
}
