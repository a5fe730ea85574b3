package backendtest

import (
	"fmt"
	"math"

	"mhacsp/model/backend"
)

// vocabulary is the number of drive rows of a recurrence that reads tokens.
const vocabulary = 21

const eps = 1e-8

// angle is what the angle of a turn depends on.
type angle int

const (
	byToken angle = iota
	byState
	byProduct
)

// angles are all of them, byToken first.
var angles = [...]angle{byToken, byState, byProduct}

func (a angle) String() string { return [...]string{"token", "state", "product"}[a] }

// recurrence is one setting of the time loop.
type recurrence struct {
	arena
	n, turn int
	angle   angle
	raw     bool // Normalise is not set
	// byRow: the drive has a row per arena row, as in later blocks; otherwise one per token, and its gradient is a
	// table.
	byRow bool
	init  bool // Init is given, DInit asked for
	// bound is that of the gradients of units' states, which are about 1 on entry; 0: none.
	bound float32
}

func (c recurrence) String() string {
	return fmt.Sprintf("%s-n=%d-turn=%d", c.label, c.n, c.turn) +
		option(c.bound > 0, fmt.Sprintf("bound=%g", c.bound)) + option(c.angle != byToken, c.angle.String()) +
		option(c.raw, "unnormalised") + option(c.byRow, "rows") + option(c.init, "init")
}

func recurrences() (list []recurrence) {
	for i, t := range lengths {
		list = append(list, recurrence{arena: alone(t), n: 6, turn: 3, byRow: i%2 == 1},
			recurrence{arena: alone(t), n: 20, turn: 20, angle: byState, byRow: i%2 == 0, init: true},
			recurrence{arena: alone(t), n: 20, turn: 13, angle: byProduct, byRow: i%2 == 1})
	}
	list = append(list, []recurrence{
		{arena: mixed, n: 132, turn: 132}, {arena: mixed, n: 132, turn: 66, angle: byState},
		{arena: mixed, n: 132, turn: 66, angle: byProduct}, {arena: inner, n: 132, turn: 66, byRow: true, init: true},
		{arena: inner, n: 132, turn: 132, angle: byState, init: true},
		{arena: inner, n: 132, turn: 132, angle: byProduct, init: true},
		{arena: mixed, n: 132, turn: 132, angle: byState, byRow: true},
		{arena: mixed, n: 132, turn: 132, angle: byProduct, byRow: true},
		// Wider than the workgroups of a GPU's kernels.
		{arena: inner, n: 264, turn: 264, init: true}, {arena: inner, n: 264, turn: 130, angle: byState},
		{arena: inner, n: 264, turn: 130, angle: byProduct}, {arena: none, n: 20, turn: 10},
	}...)
	for i, angle := range angles {
		list = append(list, recurrence{arena: many, n: 20, turn: 10, angle: angle, byRow: i == 1, init: i == 2})
	}
	few := layOut("few", []int{5, 1, 17, 2, 9}, 1, 4)
	for bits := range 8 {
		for _, angle := range angles {
			for _, n := range []int{6, 20} {
				for _, turn := range []int{0, n / 2, n} {
					list = append(list, recurrence{arena: few, n: n, turn: turn, angle: angle, raw: bits&1 == 0,
						byRow: bits&2 > 0, init: bits&4 > 0})
				}
			}
		}
	}
	return list
}

// bounded are settings in which the gradients of many units' states are cut to a length, and those of others are not.
func bounded() (list []recurrence) {
	few := layOut("few", []int{5, 1, 17, 2, 9}, 1, 4)
	for _, angle := range angles {
		list = append(list, recurrence{arena: few, n: 6, turn: 3, angle: angle, raw: true, byRow: true, bound: 0.7},
			recurrence{arena: few, n: 20, turn: 10, angle: angle, init: true, bound: 2},
			recurrence{arena: few, n: 20, turn: 20, angle: angle, bound: 1e-3},
			recurrence{arena: mixed, n: 132, turn: 66, angle: angle, bound: 0.7},
			recurrence{arena: few, n: 264, turn: 264, angle: angle, bound: 0.7})
	}
	return list
}

// cell holds a recurrence's inputs.
type cell struct {
	recurrence
	m                                                 int
	at                                                []int32
	in, deltaU, rot, pre, wDelta, wTheta, steer, init []float32
}

func (c recurrence) draw(d draw) cell {
	x := cell{recurrence: c}
	x.m, x.at = c.at(d, c.byRow)
	// A g near 0 has no phase that float32 could agree on: a step's input is either well below what the state keeps
	// or above 1, and then the decay may be anything.
	x.in, x.deltaU = d.circle(x.m, c.n), d.normal(x.m*c.n, 0.4)
	for i := range x.deltaU {
		size := 0.05 + 0.2*d.Float32()
		if x.deltaU[i] -= 2; d.IntN(3) == 0 {
			size, x.deltaU[i] = 1.2+d.Float32(), 5*(x.deltaU[i]+2)
		}
		re := i + i/c.n*c.n
		x.in[re] *= size
		x.in[re+c.n] *= size
	}
	fan := math.Sqrt(float64(2 * c.n))
	x.wDelta = d.normal(2*c.n*c.n, 0.3/fan)
	if c.angle != byToken {
		x.pre, x.wTheta = d.normal(x.m*c.n, 0.7), d.normal(2*c.n*c.n, 0.1/fan)
		for i := 2 * c.n * c.turn; i < len(x.wTheta); i++ {
			x.wTheta[i] = junk // only the first Turn rows are read
		}
		if c.angle == byProduct {
			x.steer = d.normal(c.n, 0.7)[:max(1, c.turn)]
			copy(x.steer[c.turn:], filled[float32](c.n-c.turn, junk))
		}
	} else {
		x.rot = d.circle(x.m, c.n)
		for i := range x.rot {
			switch col := i % (2 * c.n); {
			case col >= c.n+c.turn:
				x.rot[i] = 0
			case col >= c.turn && col < c.n:
				x.rot[i] = 1
			}
		}
	}
	if c.init {
		x.init = d.circle(c.hi-c.lo, c.n)
	}
	return x
}

// inputs are the arguments that both directions read; the states and what goes with them are left to the caller.
func (c cell) inputs(b *bench) backend.Cell {
	return backend.Cell{Seq: c.seq(b), At: b.ints(c.at), N: c.n, Turn: c.turn, M: c.m, In: b.in("In", c.in),
		DeltaU: b.in("DeltaU", c.deltaU), Rot: b.in("Rot", c.rot), Pre: b.in("Pre", c.pre),
		WDelta: b.in("WDelta", c.wDelta), WTheta: b.in("WTheta", c.wTheta), Steer: b.in("Steer", c.steer),
		Normalise: !c.raw, Eps: eps}
}

// saves are the arguments of the time loop, but for its states.
func (c cell) saves(b *bench) backend.RecurrenceForward {
	a := backend.RecurrenceForward{Cell: c.inputs(b), Init: b.in("Init", c.init)}
	a.Alpha, a.Inv = c.out(b, "Alpha", forward, c.n, eachStep(free)), c.out(b, "Inv", forward, c.n, eachStep(free))
	if c.angle != byToken {
		a.Theta = c.out(b, "Theta", forward, c.n, func(t, steps, col int) role { // of units that hold there is none
			return writtenIf(t < steps && col < c.turn, free)
		})
	}
	return a
}

// forward runs the time loop over the covered sequences.
func (c cell) forward(b *bench) {
	a := c.saves(b)
	a.State = c.out(b, "State", forward, 2*c.n, behind(writtenIf(c.init != nil, zero)))
	b.RecurrenceForward(a)
}

// onward is a window that continues sequences at their row start+from: earlier rows must stay, and what they hold
// is what the window goes on from.
func (k *kernel) onward(c recurrence, from int32) {
	k.add("onward-from-%d-%v", []any{from, c}, func(d draw) program {
		x := c.draw(d)
		past := d.circle(c.rows, c.n)
		x.start = c.later(from)
		return func(b *bench) {
			a := x.saves(b)
			a.Continue = true
			a.State = b.over("State", forward, past, x.roles(2*c.n, behind(kept)))
			b.RecurrenceForward(a)
		}
	})
}

// stepwise runs sequences of one length step by step, each call a window of one step, as answers are generated.
func (k *kernel) stepwise(c recurrence) {
	k.add("stepwise-%v", []any{c}, func(d draw) program {
		x := c.draw(d)
		return func(b *bench) {
			a := x.saves(b)
			a.State = b.out("State", forward, 2*c.rows*c.n, nil)
			c.stepwise(b, a.Seq, func() {
				b.RecurrenceForward(a)
				a.Init, a.Continue = backend.Vec{}, true
			})
		}
	})
}

func recurrenceForward() kernel {
	k := kernel{call: backend.RecurrenceForward{}, writes: "State Alpha Inv Theta", optional: "Init Steer"}
	k = casesOf(k, recurrences(), func(c recurrence, d draw) program { return c.draw(d).forward })
	few, equal := layOut("few", []int{8, 9, 12, 17}, 1, 3), layOut("equal", []int{6, 6, 6}, 0, 3)
	for _, angle := range angles {
		k.onward(recurrence{arena: few, n: 20, turn: 10, angle: angle}, 1)
		k.onward(recurrence{arena: few, n: 6, turn: 6, angle: angle}, 7)
		k.stepwise(recurrence{arena: equal, n: 20, turn: 10, angle: angle, init: true})
	}
	return k
}

func recurrenceBackward() kernel {
	k := kernel{call: backend.RecurrenceBackward{}, writes: "DDelta DTheta DIn DInit TDelta TTheta TIn",
		optional: "DInit Steer"}
	return casesOf(k, append(recurrences(), bounded()...), func(c recurrence, d draw) program {
		// What the forward pass saved, of every sequence; the call may cover fewer.
		past := c
		past.arena = c.whole()
		x := past.draw(d)
		saved := d.saved(x.forward)
		x.arena = c.arena
		dstate := d.normal(2*c.rows*c.n, 1)
		tdelta, ttheta, tin := d.normal(x.m*c.n, 0.1), d.normal(x.m*c.n, 0.1), d.normal(2*x.m*c.n, 0.1)
		return func(b *bench) {
			a := backend.RecurrenceBackward{Cell: x.inputs(b), Bound: c.bound}
			a.State, a.Alpha = b.in("State", saved["State"]), b.in("Alpha", saved["Alpha"])
			a.Inv, a.Theta = b.in("Inv", saved["Inv"]), b.in("Theta", saved["Theta"])
			a.DState = b.over("DState", gradient, dstate, c.roles(2*c.n, always(free)))
			a.DDelta = c.out(b, "DDelta", gradient, c.n, eachStep(zero))
			if c.angle != byToken || c.byRow {
				roles := c.roles(c.n, func(t, steps, col int) role {
					return writtenIf(t < steps && col < c.turn, zero)
				})
				if c.angle == byProduct {
					roles = append(roles, filled((-len(roles))&(backend.Align-1), kept)...)
					roles = append(roles, roles...) // the second half is filled as the first
				}
				a.DTheta = b.out("DTheta", gradient, len(roles), roles)
			}
			if c.byRow {
				a.DIn = c.out(b, "DIn", gradient, 2*c.n, eachStep(zero))
			} else {
				a.TDelta = b.add("TDelta", gradient, tdelta, c.table(x.m, x.at, c.n, c.n))
				a.TTheta = b.add("TTheta", gradient, ttheta, c.table(x.m, x.at, c.n, c.turn))
				a.TIn = b.add("TIn", gradient, tin, c.table(x.m, x.at, 2*c.n, 2*c.n))
			}
			if c.init {
				a.DInit = b.out("DInit", gradient, 2*(c.hi-c.lo)*c.n, nil)
			}
			b.RecurrenceBackward(a)
		}
	})
}
