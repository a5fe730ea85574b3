package backendtest

import "mhacsp/model/backend"

// gru are the arguments that both directions read; what the forward pass writes is left to the caller.
func (x gates) gru(b *bench) backend.GRUCell {
	return backend.GRUCell{Seq: x.seq(b), At: b.ints(x.at), N: x.n, M: x.m, Pre: b.in("Pre", x.pre), U: b.in("U", x.w)}
}

func (x gates) gruForward(b *bench) {
	a := backend.GRUForward{GRUCell: x.gru(b)}
	a.State = x.out(b, "State", forward, x.n, behind(zero))
	a.Gates = x.out(b, "Gates", forward, 3*x.n, eachStep(free))
	a.Hidden = x.out(b, "Hidden", forward, x.n, eachStep(free))
	b.GRUForward(a)
}

func gruForward() kernel {
	k := kernel{call: backend.GRUForward{}, writes: "State Gates Hidden"}
	return casesOf(k, gatings(), func(c gated, d draw) program { return c.draw(d, 3).gruForward })
}

func gruBackward() kernel {
	k := kernel{call: backend.GRUBackward{}, writes: "Gates Hidden"}
	return casesOf(k, gatings(), func(c gated, d draw) program {
		x, saved := c.past(d, 3, gates.gruForward)
		dstate := d.normal(c.rows*c.n, 1)
		return func(b *bench) {
			a := backend.GRUBackward{GRUCell: x.gru(b)}
			a.State = b.in("State", saved["State"])
			a.Gates = b.over("Gates", gradient, saved["Gates"], c.roles(3*c.n, eachStep(zero)))
			a.Hidden = b.over("Hidden", gradient, saved["Hidden"], c.roles(c.n, eachStep(zero)))
			a.DState = b.over("DState", gradient, dstate, c.roles(c.n, always(free)))
			b.GRUBackward(a)
		}
	})
}
