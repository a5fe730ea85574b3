package backendtest

import "mhacsp/model/backend"

func sumSquares() kernel {
	k := kernel{call: backend.SumSquares{}, writes: "Out", unsized: "X"}
	for _, n := range []int{1, 5, 1000, 100001} {
		k.add("%d", []any{n}, func(d draw) program {
			x := d.normal(n, 2)
			return func(b *bench) {
				b.SumSquares(backend.SumSquares{Out: b.out("Out", forward, 1, nil), X: b.in("X", x)})
			}
		})
		k.and(func(b *bench) error { return b.sameSum(n) })
	}
	return k
}

// sameSum checks that the order of a sum depends on its length alone: wherever the window lies, the bits are the same.
func (b *bench) sameSum(n int) error {
	x := newDraw("sum", nil).normal(n, 2)
	far := (n/margin + 2) * margin
	buf, sums := b.floats(far+n), b.floats(2*margin)
	b.Upload(buf, x)
	b.Upload(buf.Slice(far, n), x)
	b.SumSquares(backend.SumSquares{Out: sums.Slice(0, 1), X: buf.Slice(0, n)})
	b.SumSquares(backend.SumSquares{Out: sums.Slice(margin, 1), X: buf.Slice(far, n)})
	var first [1]float32
	if err := b.Download(first[:], sums); err != nil {
		return err
	}
	return b.holds("the same sum at another offset", sums.Slice(margin, 1), first[:])
}
