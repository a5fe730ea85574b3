package backendtest

import "mhacsp/model/backend"

// lstm are the arguments that both directions read; what the forward pass writes is left to the caller.
func (x gates) lstm(b *bench) backend.LSTMCell {
	return backend.LSTMCell{Seq: x.seq(b), At: b.ints(x.at), N: x.n, M: x.m, Pre: b.in("Pre", x.pre),
		W: b.in("W", x.w)}
}

func (x gates) lstmForward(b *bench) {
	a := backend.LSTMForward{LSTMCell: x.lstm(b)}
	a.State, a.Memory = x.out(b, "State", forward, x.n, behind(zero)), x.out(b, "Memory", forward, x.n, behind(zero))
	a.Gates = x.out(b, "Gates", forward, 4*x.n, eachStep(free))
	b.LSTMForward(a)
}

func lstmForward() kernel {
	k := kernel{call: backend.LSTMForward{}, writes: "State Memory Gates"}
	return casesOf(k, gatings(), func(c gated, d draw) program { return c.draw(d, 4).lstmForward })
}

func lstmBackward() kernel {
	k := kernel{call: backend.LSTMBackward{}, writes: "Gates"}
	return casesOf(k, gatings(), func(c gated, d draw) program {
		x, saved := c.past(d, 4, gates.lstmForward)
		dstate := d.normal(c.rows*c.n, 1)
		return func(b *bench) {
			a := backend.LSTMBackward{LSTMCell: x.lstm(b)}
			a.State, a.Memory = b.in("State", saved["State"]), b.in("Memory", saved["Memory"])
			a.Gates = b.over("Gates", gradient, saved["Gates"], c.roles(4*c.n, eachStep(zero)))
			a.DState = b.over("DState", gradient, dstate, c.roles(c.n, always(free)))
			b.LSTMBackward(a)
		}
	})
}
