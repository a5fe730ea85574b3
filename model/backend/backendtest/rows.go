package backendtest

import "mhacsp/model/backend"

// rowsCases gives a kernel cases like those of pickCases, of which some have holes: every seventh row is −1.
func rowsCases(k kernel, build func(d draw, x picks, add bool) program) kernel {
	for _, s := range []picks{
		{p: 1, n: 1, rows: 1}, {p: 1, n: 6, rows: 4}, {p: 7, n: 20, rows: 7}, {p: 21, n: 132, rows: 130},
		{p: 65, n: 5, rows: 100}, {p: 300, n: 84, rows: 300},
	} {
		for i, holes := range []bool{false, true, false, true} {
			add := i > 1
			k.add("%dx%d-of-%d-holes=%v-add=%v", []any{s.p, s.n, s.rows, holes, add}, func(d draw) program {
				x := s
				for p, r := range d.Perm(s.rows)[:s.p] {
					if x.row = append(x.row, int32(r)); holes && p%7 == 3 {
						x.row[p] = -1
					}
				}
				return build(d, x, add)
			})
		}
	}
	return k
}

func rowsForward() kernel {
	k := kernel{call: backend.RowsForward{}, writes: "Y", unsized: "X"}
	return rowsCases(k, func(d draw, x picks, add bool) program {
		if x.rows > 1 && x.row[0] >= 0 {
			x.row[x.p-1] = x.row[0] // named twice
		}
		before, from := d.normal(x.p*x.n, 1), d.normal(x.rows*x.n, 1)
		hole := zero
		if add {
			hole = kept
		}
		roles := each(x.p*x.n, func(i int) role { return writtenIf(x.row[i/x.n] >= 0, hole) })
		return func(b *bench) {
			b.RowsForward(backend.RowsForward{Y: b.outOr(add, "Y", forward, before, roles), X: b.in("X", from),
				Row: b.ints(x.row), P: x.p, N: x.n, Add: add})
		}
	})
}

func rowsBackward() kernel {
	k := kernel{call: backend.RowsBackward{}, writes: "DX", unsized: "DX"}
	return rowsCases(k, func(d draw, x picks, _ bool) program {
		dx, dy := d.normal(x.rows*x.n, 0.5), d.normal(x.p*x.n, 1)
		return func(b *bench) {
			b.RowsBackward(backend.RowsBackward{DX: b.add("DX", gradient, dx, named(x.rows, x.n, x.row)),
				DY: b.in("DY", dy), Row: b.ints(x.row), P: x.p, N: x.n})
		}
	})
}
