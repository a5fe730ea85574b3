package backendtest

import (
	"slices"

	"mhacsp/model/backend"
)

// mostSteps is how far a turn goes in the cases: the longest prompt of the tasks, and some more.
const mostSteps = 130

// picks are p rows of width n chosen among rows, none twice.
type picks struct {
	p, n, rows int
	row        []int32
}

// pickCases gives a kernel shapes, with rows in order and out of it.
func pickCases(k kernel, build func(d draw, x picks) program) kernel {
	for _, s := range []picks{
		{p: 1, n: 1, rows: 1}, {p: 1, n: 2, rows: 4}, {p: 7, n: 5, rows: 7}, {p: 21, n: 20, rows: 130},
		{p: 65, n: 68, rows: 100}, {p: 300, n: 68, rows: 300}, {p: 900, n: 5, rows: 1000}, {p: 5, n: 264, rows: 9},
	} {
		for _, order := range []string{"sorted", "shuffled"} {
			k.add("%dx%d-of-%d-%s", []any{s.p, s.n, s.rows, order}, func(d draw) program {
				x := s
				for _, r := range d.Perm(s.rows)[:s.p] {
					x.row = append(x.row, int32(r))
				}
				if order == "sorted" {
					slices.Sort(x.row)
				}
				return build(d, x)
			})
		}
	}
	return k
}

// chosen is the roles of [rows, 2n]: only chosen rows are added to.
func (x picks) chosen() []role { return named(x.rows, 2*x.n, x.row) }

// turning holds the inputs of a turn.
type turning struct {
	picks
	state, psi, omega []float32
	steps             []int32
}

func (x picks) turning(d draw) turning {
	t := turning{picks: x, state: d.normal(2*x.rows*x.n, 1), psi: d.normal(x.n, 2),
		omega: rates(x.n, []int{x.n, x.n/2 + 1, 131}[x.p%3]), steps: d.index(x.p, mostSteps+1)}
	t.steps[0] = mostSteps
	return t
}

func (x turning) forward(b *bench) {
	b.TurnForward(backend.TurnForward{Out: b.out("Out", forward, 2*x.p*x.n, nil), State: b.in("State", x.state),
		Row: b.ints(x.row), Steps: b.ints(x.steps), Psi: b.in("Psi", x.psi), Omega: b.in("Omega", x.omega), P: x.p,
		N: x.n})
}

func turnForward() kernel {
	k := kernel{call: backend.TurnForward{}, writes: "Out", unsized: "State"}
	return pickCases(k, func(d draw, x picks) program { return x.turning(d).forward })
}

func turnBackward() kernel {
	k := kernel{call: backend.TurnBackward{}, writes: "DState DPsi DOmega", optional: "DPsi DOmega", unsized: "DState"}
	return pickCases(k, func(d draw, x picks) program {
		t := x.turning(d)
		out := d.saved(t.forward)["Out"]
		dstate, dpsi, dout := d.normal(len(t.state), 0.5), d.normal(x.n, 0.1), d.normal(len(out), 1)
		domega := d.normal(x.n, 1)
		return func(b *bench) {
			a := backend.TurnBackward{DState: b.add("DState", gradient, dstate, x.chosen()),
				DOut: b.in("DOut", dout), Out: b.in("Out", out), Row: b.ints(x.row), Steps: b.ints(t.steps),
				Psi: b.in("Psi", t.psi), Omega: b.in("Omega", t.omega), P: x.p, N: x.n}
			if x.n != 2 { // else ψ is not learned
				a.DPsi = b.add("DPsi", gradient, dpsi, nil)
			}
			if x.p != 7 { // else ω is not learned
				a.DOmega = b.add("DOmega", gradient, domega, nil)
			}
			b.TurnBackward(a)
		}
	})
}
