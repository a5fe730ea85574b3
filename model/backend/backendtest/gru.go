package backendtest

import "mhacsp/model/backend"

// gru are the arguments that both directions read; what the forward pass writes is left to the caller.
func (x gates) gru(b *bench) backend.GRUCell {
	return backend.GRUCell{Seq: x.seq(b), At: b.ints(x.at), N: x.n, M: x.m, Pre: b.in("Pre", x.pre), U: b.in("U", x.w)}
}

func (x gates) gruForward(b *bench) {
	a := backend.GRUForward{GRUCell: x.gru(b)}
	a.State = b.out("State", forward, x.rows*x.n, x.roles(x.n, start))
	a.Gates = b.out("Gates", forward, 4*x.rows*x.n, x.roles(4*x.n, eachStep(free)))
	b.GRUForward(a)
}

func gruForward() kernel {
	k := kernel{
		call: backend.GRUForward{}, writes: []string{"State", "Gates"},
		valid: []valid{{call: func(b *bench) backend.Call { return backend.GRUForward{GRUCell: validGRU(b)} }}},
	}
	for _, c := range gatings() {
		k.cases = append(k.cases, against(c.String(), func(d draw) program { return c.draw(d, 3).gruForward }))
	}
	return k
}

func gruBackward() kernel {
	k := kernel{
		call: backend.GRUBackward{}, writes: []string{"Gates", "DGates"},
		valid: []valid{{call: func(b *bench) backend.Call {
			return backend.GRUBackward{GRUCell: validGRU(b), DState: b.floats(6), DGates: b.floats(18)}
		}}},
	}
	for _, c := range gatings() {
		k.cases = append(k.cases, against(c.String(), func(d draw) program {
			x := c.draw(d, 3)
			x.arena = c.whole() // what the forward pass saved is there of every sequence; the call may cover fewer
			saved := d.saved(x.gruForward)
			x.arena = c.arena
			dstate := d.normal(c.rows*c.n, 1)
			return func(b *bench) {
				a := backend.GRUBackward{GRUCell: x.gru(b)}
				a.State = b.in("State", saved["State"])
				a.Gates = b.over("Gates", gradient, saved["Gates"], c.roles(4*c.n, func(t, steps, col int) role {
					if col >= 3*c.n {
						return kept
					}
					return eachStep(zero)(t, steps, col)
				}))
				a.DState = b.over("DState", gradient, dstate, c.roles(c.n, always(free)))
				a.DGates = b.out("DGates", gradient, 3*c.rows*c.n, c.roles(3*c.n, eachStep(zero)))
				b.GRUBackward(a)
			}
		}))
	}
	return k
}

// validGRU is a cell of width 2 over one sequence of two steps, reading two tokens.
func validGRU(b *bench) backend.GRUCell {
	return backend.GRUCell{
		Seq: backend.Sequences{Start: b.index([]int32{0}), End: b.index([]int32{2}), Hi: 1, Rows: 3},
		At:  b.index([]int32{0, 1, -1}), N: 2, M: 2, Pre: b.floats(12), U: b.floats(12),
		State: b.floats(6), Gates: b.floats(24),
	}
}
