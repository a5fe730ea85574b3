package backendtest

import (
	"fmt"
	"math"

	"mhacsp/model/backend"
)

// slotting is one setting of the memory of positions.
type slotting struct {
	arena
	n      int
	period int  // of the units' rates: above n none repeats, below it some do
	byRow  bool // In has a row per arena row, otherwise one per token
	init   bool // Init is given, DInit asked for
	unit   bool // Normalise
	rates  bool // DOmega is asked for
}

func (c slotting) String() string {
	return fmt.Sprintf("%s-n=%d-period=%d", c.label, c.n, c.period) + option(c.byRow, "rows") +
		option(c.init, "init") + option(c.unit, "unit") + option(c.rates, "rates")
}

func slottings() (list []slotting) {
	for i, t := range lengths { // the ablations
		list = append(list, slotting{arena: alone(t), n: []int{1, 20}[i%2], period: 7, byRow: i%3 == 1, init: i%4 > 1,
			unit: i%2 == 0, rates: i%3 != 1})
	}
	for i, t := range lengths {
		for k, n := range []int{1, 5, 20} {
			list = append(list, slotting{arena: alone(t), n: n, period: []int{7, n, 3}[k], byRow: (i+k)%2 == 1,
				init: (i+k)%3 == 1})
		}
	}
	return append(list, []slotting{
		{arena: mixed, n: 68, period: 68, unit: true}, {arena: mixed, n: 68, period: 96, rates: true},
		{arena: inner, n: 68, period: 34, init: true, unit: true, rates: true},
		{arena: inner, n: 5, period: 5, byRow: true, rates: true},
		{arena: inner, n: 264, period: 130, init: true, unit: true},
		{arena: many, n: 20, period: 20, unit: true, rates: true}, {arena: mixed, n: 68, period: 68},
		{arena: mixed, n: 2, period: 131, byRow: true, init: true}, {arena: inner, n: 68, period: 34, init: true},
		{arena: inner, n: 68, period: 68, byRow: true}, {arena: inner, n: 5, period: 5},
		// Wider than the workgroups of a GPU's kernels.
		{arena: inner, n: 264, period: 130, init: true}, {arena: many, n: 20, period: 20},
		{arena: none, n: 20, period: 20},
	}...)
}

// rates are the angles by which n units turn at each step, 2π(j+1)/period: above 2π where n is the longer.
func rates(n, period int) []float32 {
	return each(n, func(j int) float32 { return float32(2 * math.Pi * float64(j+1) / float64(period)) })
}

// slots holds the inputs of a memory of positions.
type slots struct {
	slotting
	m               int
	at              []int32
	omega, in, init []float32
}

func (c slotting) draw(d draw) slots {
	x := slots{slotting: c, omega: rates(c.n, c.period)}
	x.m, x.at = c.at(d, c.byRow)
	x.in = d.normal(2*x.m*c.n, 1)
	if c.init {
		x.init = d.normal(2*(c.hi-c.lo)*c.n, 2)
	}
	return x
}

// inputs are the arguments that both directions read; the states are left to the caller.
func (x slots) inputs(b *bench) backend.Slots {
	return backend.Slots{Seq: x.seq(b), At: b.ints(x.at), N: x.n, M: x.m, Omega: b.in("Omega", x.omega),
		In: b.in("In", x.in), Normalise: x.unit, Eps: 1e-8}
}

func (x slots) forward(b *bench) {
	a := backend.SlotsForward{Slots: x.inputs(b), Init: b.in("Init", x.init)}
	a.State = x.out(b, "State", forward, 2*x.n, behind(writtenIf(x.init != nil, zero)))
	b.SlotsForward(a)
}

// onwardSlots is a window that continues sequences at their row start+from: earlier rows must stay, and what they
// hold is what the window goes on from.
func (k *kernel) onwardSlots(c slotting, from int32) {
	k.add("onward-from-%d-%v", []any{from, c}, func(d draw) program {
		x := c.draw(d)
		past := d.normal(2*c.rows*c.n, 1)
		x.start = c.later(from)
		return func(b *bench) {
			a := backend.SlotsForward{Slots: x.inputs(b), Continue: true}
			a.State = b.over("State", forward, past, x.roles(2*c.n, behind(kept)))
			b.SlotsForward(a)
		}
	})
}

// stepwiseSlots runs sequences of one length step by step, each call a window of one step, as answers are generated.
func (k *kernel) stepwiseSlots(c slotting) {
	k.add("stepwise-%v", []any{c}, func(d draw) program {
		x := c.draw(d)
		return func(b *bench) {
			a := backend.SlotsForward{Slots: x.inputs(b), Init: b.in("Init", x.init)}
			a.State = b.out("State", forward, 2*c.rows*c.n, nil)
			c.stepwise(b, a.Seq, func() {
				b.SlotsForward(a)
				a.Init, a.Continue = backend.Vec{}, true
			})
		}
	})
}

func slotsForward() kernel {
	k := kernel{call: backend.SlotsForward{}, writes: "State", optional: "Init"}
	k = casesOf(k, slottings(), func(c slotting, d draw) program { return c.draw(d).forward })
	few, equal := layOut("few", []int{8, 9, 12, 17}, 1, 3), layOut("equal", []int{6, 6, 6}, 0, 3)
	k.onwardSlots(slotting{arena: few, n: 20, period: 20}, 1)
	k.onwardSlots(slotting{arena: few, n: 68, period: 68, byRow: true}, 7)
	k.onwardSlots(slotting{arena: few, n: 68, period: 68, unit: true}, 7)
	k.stepwiseSlots(slotting{arena: equal, n: 20, period: 7, init: true})
	k.stepwiseSlots(slotting{arena: equal, n: 20, period: 7, init: true, unit: true})
	return k
}

func slotsBackward() kernel {
	k := kernel{call: backend.SlotsBackward{}, writes: "DState TIn DInit DOmega", optional: "DInit DOmega"}
	return casesOf(k, slottings(), func(c slotting, d draw) program {
		// What the forward pass left, of every sequence; the call may cover fewer.
		past := c
		past.arena = c.whole()
		x := past.draw(d)
		state := d.saved(x.forward)["State"]
		x.arena = c.arena
		dstate, tin := d.normal(2*c.rows*c.n, 1), d.normal(2*x.m*c.n, 0.1)
		return func(b *bench) {
			a := backend.SlotsBackward{Slots: x.inputs(b)}
			a.State = b.in("State", state)
			a.DState = b.add("DState", gradient, dstate, c.roles(2*c.n, eachStep(writtenIf(c.unit, kept))))
			a.TIn = b.add("TIn", gradient, tin, c.table(x.m, x.at, 2*c.n, 2*c.n))
			if c.init {
				a.DInit = b.out("DInit", gradient, 2*(c.hi-c.lo)*c.n, nil)
			}
			if c.rates {
				a.DOmega = b.add("DOmega", gradient, filled[float32](c.n, 1), nil)
			}
			b.SlotsBackward(a)
		}
	})
}
