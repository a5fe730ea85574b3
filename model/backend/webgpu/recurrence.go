//go:build cgo || js

package webgpu

import (
	"fmt"

	"mhacsp/model/backend"
)

// widestCell is the most units of a recurrence: its state lies twice in 16 KiB of workgroup memory.
const widestCell = 1024

// cell fails, once, where a recurrence is wider than the kernels.
func (b *Backend) cell(c backend.Cell) bool {
	if c.N > widestCell {
		b.fail("recurrence", fmt.Errorf("width %d, the GPU's kernels take %d at most; take less, or compute on the "+
			"CPU", c.N, widestCell))
	}
	return b.err == nil && c.Seq.Hi > c.Seq.Lo
}

// thetaOf is THETA of a cell's kernels.
func thetaOf(c backend.Cell) int {
	switch {
	case c.Product():
		return 2
	case c.StateTheta():
		return 1
	}
	return 0
}

// stepsPerCall is how many of a loop's steps one dispatch takes, if an invocation has that many turns in each.
func (b *Backend) stepsPerCall(steps, turns, workgroups int) int {
	return max(1, min(steps, b.turnsEach(workgroups)/turns))
}

// cell gives a call copies of what both directions of the recurrence read.
func (p *padded) cell(c *backend.Cell) {
	p.reads("In", &c.In, 2*c.M, 2*c.M)
	p.reads("DeltaU", &c.DeltaU, c.M, c.M)
	p.reads("Rot", &c.Rot, 2*c.M, 2*c.M)
	p.reads("Pre", &c.Pre, c.M, c.M)
	p.reads("WDelta", &c.WDelta, 2*c.N, 2*p.width)
	p.reads("WTheta", &c.WTheta, 2*c.Turn, 2*p.width)
	c.N = p.width
}

// RecurrenceForward runs the time loop of every sequence, all steps in one dispatch unless they are thousands.
func (b *Backend) RecurrenceForward(a backend.RecurrenceForward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	count := a.Seq.Hi - a.Seq.Lo
	if !tiled(a.N) {
		p, rows := b.padTo("recurrence", a.N), a.Seq.Rows
		p.cell(&a.Cell)
		p.reads("Init", &a.Init, 2*count, 2*count)
		p.updates("State", &a.State, 2*rows)
		p.updates("Alpha", &a.Alpha, rows)
		p.updates("Inv", &a.Inv, rows)
		p.updates("Theta", &a.Theta, rows)
		defer p.done()
	}
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	d := &b.packed
	b.pack(d, "packed", false, a.Cell, a.In, a.DeltaU, [...]backend.Vec{a.Rot, a.Pre, a.Steer}[thetaOf(a.Cell)])
	key := b.loopKey(loopKernel, a.Cell)
	s := loopSlices(a.N, false)
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, 2*groupOf(s.each, 8)+groupOf(a.N, loopWorkgroup)*4+2, count)
	for skip := 0; skip < longest; skip += chunk {
		b.formed(key, count, 1, 1, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"turn", a.Turn}, {"normalise", a.Normalise},
			{"skip", skip}, {"steps", chunk}, {"given", a.Init.Given()}, {"onward", a.Continue}, {"delta", d.second},
			{"input", d.first}, {"angle", d.angle}, {"token", d.token}, {"eps", a.Eps},
		}, on{
			{"state", a.State}, {"alpha", a.Alpha}, {"inv", a.Inv}, {"theta", a.Theta}, {"packed", d.all},
			{"weights", d.weights}, {"init", a.Init}, {"ints", indexed},
		})
	}
}

// layout hands out windows of a temporary, each at a multiple of 64 elements.
type layout struct{ n int }

func (l *layout) room(n int) (at int) {
	at = l.n
	l.n += (n + backend.Align - 1) / backend.Align * backend.Align
	return at
}

// packed is what a step reads in addition to the state, in one temporary: weights first, and where the rest is.
type packed struct {
	all, weights         backend.Vec
	wtheta               int
	first, second, angle int // In, DeltaU and the angles; backwards Alpha, Inv and the angles
	token                int // tanh of Pre, with theta product
	made                 packing
}

// packing is what a packed was made of.
type packing struct {
	wdelta, wtheta, first, second, angle, pre, all stamp
	n, turn, firsts, seconds, angles, tokens       int
	delta, theta                                   int
}

// pack lays out what the steps of a recurrence read: the same for prompts and answers, and made once for both.
func (b *Backend) pack(x *packed, name string, back bool, c backend.Cell, first, second, angle backend.Vec) {
	n := c.N
	delta := loopSlices(n, back).room()
	theta := delta
	if !c.StateTheta() {
		theta = 0
	}
	matrices := delta + theta
	var l layout
	weights := l.room(matrices)
	x.wtheta = delta
	var pre backend.Vec
	if c.Product() {
		pre = c.Pre.Slice(0, c.M*n)
	}
	x.first, x.second, x.angle = l.room(first.Len), l.room(second.Len), l.room(angle.Len)
	x.token = l.room(pre.Len)
	x.all = b.temporary(name, l.n)
	x.weights = x.all.Slice(weights, matrices)
	// Next to the weights it is not widened, and a window of the batch's rows would make a bind group for each number.
	x.all.Len = max(l.n, min(x.all.Buf.Len(), windowMax/4))
	made := packing{b.stamp(c.WDelta), b.stamp(c.WTheta),
		b.stamp(first), b.stamp(second), b.stamp(angle), b.stamp(pre), b.stamp(x.all),
		n, c.Turn, first.Len, second.Len, angle.Len, pre.Len, delta, theta}
	if x.made == made {
		return
	}
	b.each("recurrence_pack", l.n, args{
		{"weights", matrices}, {"delta", delta}, {"plain", back}, {"N", n}, {"turn", c.Turn},
		{"count0", first.Len}, {"count1", second.Len}, {"count2", angle.Len}, {"tokens", pre.Len},
		{"at0", x.first}, {"at1", x.second}, {"at2", x.angle}, {"token", x.token},
	}, on{
		{"out", x.all}, {"wdelta", c.WDelta}, {"wtheta", c.WTheta},
		{"source0", first}, {"source1", second}, {"source2", angle}, {"pre", pre},
	})
	made.all = b.stamp(x.all)
	x.made = made
}

// RecurrenceBackward is the backward pass of RecurrenceForward, with a dispatch that sums by drive row.
func (b *Backend) RecurrenceBackward(a backend.RecurrenceBackward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	rows, count := a.Seq.Rows, a.Seq.Hi-a.Seq.Lo
	if !tiled(a.N) {
		p := b.padTo("recurrence", a.N)
		p.cell(&a.Cell)
		p.reads("State", &a.State, 2*rows, 2*rows)
		p.reads("Alpha", &a.Alpha, rows, rows)
		p.reads("Inv", &a.Inv, rows, rows)
		p.reads("Theta", &a.Theta, rows, rows)
		p.updates("DState", &a.DState, 2*rows)
		p.updates("DDelta", &a.DDelta, rows)
		if a.Product() {
			p.updatesHalves("DTheta", &a.DTheta, rows)
		} else {
			p.updates("DTheta", &a.DTheta, rows)
		}
		p.updates("DIn", &a.DIn, 2*rows)
		p.updates("TDelta", &a.TDelta, a.M)
		p.updates("TTheta", &a.TTheta, a.M)
		p.updates("TIn", &a.TIn, 2*a.M)
		p.writes("DInit", &a.DInit, 2*count)
		defer p.done()
	}
	n := a.N
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	if !a.DIn.Given() {
		a.DIn = b.temporary("din", 2*rows*n)
	}
	if !a.DTheta.Given() {
		a.DTheta = b.temporary("dtheta", rows*n)
	}
	k := &b.kept
	b.pack(k, "saved", true, a.Cell, a.Alpha, a.Inv, [...]backend.Vec{a.Rot, a.Theta, a.Theta}[thetaOf(a.Cell)])
	key := b.loopKey(loopBackKernel, a.Cell)
	longest := b.longest(a.Seq)
	products := groupOf(n/2, loopWorkgroup) * (2*groupOf(loopSlices(n, true).each, 8) + 3)
	chunk := b.stepsPerCall(longest, products+groupOf(n, loopWorkgroup)*4+2, count)
	for skip := (longest - 1) / chunk * chunk; skip >= 0; skip -= chunk {
		b.formed(key, count, 1, 1, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"turn", a.Turn}, {"normalise", a.Normalise},
			{"skip", skip}, {"steps", chunk}, {"wtheta", k.wtheta / 4}, {"alpha", k.first}, {"inv", k.second},
			{"angle", k.angle}, {"token", k.token}, {"dtoken", a.DTheta.Len / 2}, {"init", a.DInit.Given()},
			{"bound", a.Bound},
		}, on{
			{"dstate", a.DState}, {"ddelta", a.DDelta}, {"dtheta", a.DTheta}, {"din", a.DIn},
			{"state", a.State}, {"saved", k.all}, {"dinit", a.DInit}, {"ints", indexed},
		})
	}
	if a.Tabled() {
		b.gather(a)
	}
}

// gather sums the drive's gradients by drive row.
func (b *Backend) gather(a backend.RecurrenceBackward) {
	l := b.byRow(a.Seq, a.At, a.M)
	b.turns("recurrence_gather", l.longest/32) // its invocations share a row's list
	// Not a window of its own, for which each number of rows would make a bind group.
	theta := 0
	if a.Product() {
		theta = (a.DToken().Off - a.DTheta.Off) / 4
	}
	b.grid("recurrence_gather", groupOf(a.N, gatherColumns), a.M,
		args{{"first", l.first}, {"rows", l.items}, {"N", a.N}, {"theta", theta}}, on{
			{"sum0", a.TDelta}, {"sum1", a.TTheta}, {"sum2", a.TIn},
			{"term0", a.DDelta}, {"term1", a.DTheta}, {"term2", a.DIn}, {"ints", indexed},
		})
}
