package backendtest

import "mhacsp/model/backend"

// recall holds the inputs of a reading.
type recall struct {
	picks
	state, gate []float32
	token       []int32
	v           int
}

func (x picks) recall(d draw) recall {
	v := vocabulary
	if x.p == 1 {
		v = 1
	}
	// The last token is asked for by no row.
	return recall{picks: x, state: d.normal(2*x.rows*x.n, 2), gate: d.normal((v+1)*x.n, 1), token: d.index(x.p, v),
		v: v + 1}
}

func (x recall) forward(b *bench) {
	b.RecallForward(backend.RecallForward{Out: b.out("Out", forward, 2*x.p*x.n, nil), State: b.in("State", x.state),
		Gate: b.in("Gate", x.gate), Row: b.ints(x.row), Token: b.ints(x.token), P: x.p, N: x.n, V: x.v})
}

func recallForward() kernel {
	k := kernel{call: backend.RecallForward{}, writes: "Out", unsized: "State"}
	return pickCases(k, func(d draw, x picks) program { return x.recall(d).forward })
}

func recallBackward() kernel {
	k := kernel{call: backend.RecallBackward{}, writes: "DState DGate", optional: "DGate", unsized: "DState State"}
	return pickCases(k, func(d draw, x picks) program {
		c := x.recall(d)
		dstate, dgate, dout := d.normal(len(c.state), 0.5), d.normal(len(c.gate), 0.1), d.normal(2*x.p*x.n, 1)
		return func(b *bench) {
			a := backend.RecallBackward{DState: b.add("DState", gradient, dstate, x.chosen()),
				DOut: b.in("DOut", dout), State: b.in("State", c.state), Gate: b.in("Gate", c.gate),
				Row: b.ints(x.row), Token: b.ints(c.token), P: x.p, N: x.n, V: c.v}
			if x.n != 2 { // else ζ is not learned
				a.DGate = b.add("DGate", gradient, dgate, named(c.v, x.n, c.token))
			}
			b.RecallBackward(a)
		}
	})
}
