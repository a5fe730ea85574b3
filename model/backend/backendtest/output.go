package backendtest

import "mhacsp/model/backend"

// outputs holds the inputs of an output layer: p rows chosen among rows, some of them −1, no row named twice.
type outputs struct {
	p, n, rows int
	z, h, gate []float32
	zrow, hrow []int32
}

// outputCases gives a kernel shapes, rows in and out of order, with and without a gate.
func outputCases(k kernel, build func(d draw, x outputs) program) kernel {
	for _, s := range []struct {
		label      string
		p, n, rows int
		holes      bool
	}{
		{"one", 1, 1, 1, false}, {"one", 1, 6, 4, false}, {"all", 7, 20, 7, false}, {"some", 21, 132, 130, false},
		{"holes", 65, 20, 100, true}, {"holes", 300, 132, 300, true},
	} {
		for _, gate := range []bool{false, true} {
			k.add("%s-%dx%d-of-%d-gate=%v", []any{s.label, s.p, s.n, s.rows, gate},
				func(d draw) program { return build(d, d.outputs(s.p, s.n, s.rows, s.holes, gate)) })
		}
	}
	k.add("zero-row", nil, func(d draw) program {
		x := d.outputs(5, 6, 5, false, false)
		clear(x.z[2*x.n*int(x.zrow[2]):][:2*x.n])
		return build(d, x)
	})
	return k
}

func (d draw) outputs(p, n, rows int, holes, gate bool) outputs {
	x := outputs{p: p, n: n, rows: rows, z: d.circle(rows, n)}
	least := float32(0.05)
	if gate {
		least = 1.2 // z+σ(a)h must not cancel: near 0 it has no phase that float32 could agree on
	}
	for r := range rows {
		for i := range n {
			size := least + 1.5*d.Float32()
			x.z[2*r*n+i] *= size
			x.z[(2*r+1)*n+i] *= size
		}
	}
	z, h := d.Perm(rows), d.Perm(rows)
	for i := range p {
		if holes && i%7 == 3 {
			x.zrow, x.hrow = append(x.zrow, -1), append(x.hrow, -1)
			continue
		}
		x.zrow, x.hrow = append(x.zrow, int32(z[i])), append(x.hrow, int32(h[i]))
	}
	if gate {
		x.h, x.gate = d.circle(rows, n), d.normal(n, 1.5)
	}
	return x
}

// chosen is the roles of [p, width]: zero in the rows of index −1.
func (x outputs) chosen(width int) []role {
	return each(x.p*width, func(i int) role { return writtenIf(x.zrow[i/width] >= 0, zero) })
}

func (x outputs) forward(b *bench) {
	a := backend.OutputForward{Y: b.out("Y", forward, 2*x.p*x.n, x.chosen(2*x.n)),
		Inv: b.out("Inv", forward, x.p*x.n, x.chosen(x.n)), Z: b.in("Z", x.z), ZRow: b.ints(x.zrow), P: x.p, N: x.n,
		Eps: eps}
	if x.gate != nil {
		a.H, a.HRow, a.Gate = b.in("H", x.h), b.ints(x.hrow), b.in("Gate", x.gate)
	}
	b.OutputForward(a)
}

func outputForward() kernel {
	k := kernel{call: backend.OutputForward{}, writes: "Y Inv", optional: "Gate", unsized: "Z H"}
	return outputCases(k, func(_ draw, x outputs) program { return x.forward })
}

func outputBackward() kernel {
	k := kernel{call: backend.OutputBackward{}, writes: "DZ DH DGate", optional: "Gate", unsized: "DZ DH H"}
	return outputCases(k, func(d draw, x outputs) program {
		saved := d.saved(x.forward)
		dy, dz, dh, dgate := d.normal(2*x.p*x.n, 1), d.normal(2*x.rows*x.n, 0.5), d.normal(2*x.rows*x.n, 0.5),
			d.normal(x.n, 0.1)
		return func(b *bench) {
			a := backend.OutputBackward{DZ: b.add("DZ", gradient, dz, named(x.rows, 2*x.n, x.zrow)),
				DY: b.in("DY", dy), Y: b.in("Y", saved["Y"]), Inv: b.in("Inv", saved["Inv"]),
				ZRow: b.ints(x.zrow), P: x.p, N: x.n}
			if x.gate != nil {
				a.DH = b.add("DH", gradient, dh, named(x.rows, 2*x.n, x.hrow))
				a.DGate = b.add("DGate", gradient, dgate, nil)
				a.H, a.HRow, a.Gate = b.in("H", x.h), b.ints(x.hrow), b.in("Gate", x.gate)
			}
			b.OutputBackward(a)
		}
	})
}
