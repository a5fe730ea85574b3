//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"

	"mhacsp/model/backend"
)

// widestCell is the most units of a recurrence: its state lies twice in 16 KiB of workgroup memory.
const widestCell = 1024

// cell fails, once, where a recurrence is wider than the kernels.
func (b *Backend) cell(c backend.Cell) bool {
	if c.N > widestCell {
		b.fail("recurrence", fmt.Errorf("width %d, the GPU's kernels take %d at most", c.N, widestCell))
	}
	return b.err == nil && c.Seq.Hi > c.Seq.Lo
}

// turns is what the angle of a cell is read from.
func turns(c backend.Cell, token, state backend.Vec) backend.Vec {
	if c.StateTheta() {
		return state
	}
	return token
}

// unitsPerLane is the most units that an invocation of the recurrence's workgroups owns.
func unitsPerLane(n int) int {
	const workgroup = 64 // at least
	return (n + workgroup - 1) / workgroup
}

// stepsPerCall splits a time loop of so many steps, each with so many loop turns an invocation, for adapters that bound
// the turns.
func (b *Backend) stepsPerCall(steps, turns int) int {
	if !b.info.Software {
		return steps
	}
	return max(1, min(steps, b.turnsAllowed()/turns))
}

// RecurrenceForward runs the time loop of every sequence.
func (b *Backend) RecurrenceForward(a backend.RecurrenceForward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	n, count := a.N, a.Seq.Hi-a.Seq.Lo
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	if n%4 == 0 && !b.soft {
		b.loopForward(a, start, end, at)
		return
	}
	if !a.Continue {
		b.each("recurrence_start", 2*n*count, args{
			{"start", start}, {"lo", a.Seq.Lo}, {"count", count}, {"width", 2 * n},
			{"given", a.Init.Given()}, {"gather", false},
		}, on{{"state", a.State}, {"init", a.Init}, {"ints", indexed}})
	}
	if n%4 == 0 {
		b.stepsForward(a, start, at)
		return
	}
	drive := b.temporary("drive", 5*a.M*n)
	b.each("recurrence_drive", a.M*n,
		args{{"M", a.M}, {"N", n}, {"state_theta", a.StateTheta()}},
		on{{"drive", drive}, {"input", a.In}, {"delta", a.DeltaU}, {"angle", turns(a.Cell, a.Rot, a.Pre)}})
	products := 1
	if a.StateTheta() {
		products = 2
	}
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, unitsPerLane(n)*(2+products*(n/2+2))+1)
	for skip := 0; skip < longest; skip += chunk {
		b.grid("recurrence_forward", count, 1, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"N", n}, {"turn", a.Turn},
			{"state_theta", a.StateTheta()}, {"normalise", a.Normalise}, {"skip", skip}, {"steps", chunk},
			{"eps", a.Eps},
		}, on{
			{"state", a.State}, {"alpha", a.Alpha}, {"inv", a.Inv}, {"theta", a.Theta}, {"drive", drive},
			{"wdelta", a.WDelta}, {"wtheta", a.WTheta}, {"ints", indexed},
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

const (
	stepRows         = 8 // sequences an invocation of recurrence_step owns
	stepBackwardRows = 4 // and one of recurrence_step_backward
)

// packed is what a step reads beside the state, in one temporary that begins with the weights, and where the rest begins.
type packed struct {
	all, weights         backend.Vec
	wtheta               int
	first, second, angle int // In, DeltaU and the angles; backwards Alpha, Inv and the angles
	made                 packing
}

// packing is what a packed was made of.
type packing struct {
	wdelta, wtheta, first, second, angle, all stamp
	n, turn, firsts, seconds, angles          int
}

// pack lays out what the steps of a recurrence read: the same for prompts and answers, and made once for both.
func (b *Backend) pack(x *packed, name string, back bool, c backend.Cell, first, second, angle backend.Vec) {
	n := c.N
	matrices := 2 * n * n
	if c.StateTheta() {
		matrices += 2 * n * n
		if back {
			matrices = 2*n*n + 2*n*((c.Turn+3)/4*4)
		}
	}
	var l layout
	weights := l.room(matrices)
	x.wtheta = 2 * n * n
	x.first, x.second, x.angle = l.room(first.Len), l.room(second.Len), l.room(angle.Len)
	x.all = b.temporary(name, l.n)
	x.weights = x.all.Slice(weights, matrices)
	made := packing{b.stamp(c.WDelta), b.stamp(c.WTheta), b.stamp(first), b.stamp(second), b.stamp(angle), b.stamp(x.all),
		n, c.Turn, first.Len, second.Len, angle.Len}
	if x.made == made {
		return
	}
	total := l.n
	if b.soft {
		// Copies cost a software adapter less than reading and writing by kernels.
		b.fill(x.all, x.first, first)
		b.fill(x.all, x.second, second)
		b.fill(x.all, x.angle, angle)
		first, second, angle, total = backend.Vec{}, backend.Vec{}, backend.Vec{}, matrices
	}
	b.each("recurrence_pack", total, args{
		{"weights", matrices}, {"plain", back}, {"N", n}, {"turn", c.Turn}, {"firsts", first.Len}, {"seconds", second.Len},
		{"thirds", angle.Len}, {"first", x.first}, {"second", x.second}, {"third", x.angle},
	}, on{
		{"out", x.all}, {"wdelta", c.WDelta}, {"wtheta", c.WTheta}, {"source1", first}, {"source2", second}, {"source3", angle},
	})
	made.all = b.stamp(x.all)
	x.made = made
}

// fill copies src to a window of a temporary.
func (b *Backend) fill(temporary backend.Vec, at int, src backend.Vec) {
	b.Copy(temporary.Slice(at, src.Len), src)
}

// drive lays out what forward steps read.
func (b *Backend) drive(a backend.Cell) *packed {
	b.pack(&b.packed, "packed", false, a, a.In, a.DeltaU, turns(a, a.Rot, a.Pre))
	return &b.packed
}

// keep lays out what backward steps read of the forward pass beside the states.
func (b *Backend) keep(a backend.Cell) *packed {
	b.pack(&b.kept, "saved", true, a, a.Alpha, a.Inv, turns(a, a.Rot, a.Theta))
	return &b.kept
}

// stepsForward makes a dispatch a step, each over the sequences that are long enough.
func (b *Backend) stepsForward(a backend.RecurrenceForward, start, at int) {
	n := a.N
	d := b.drive(a.Cell)
	order, live := b.order(a.Seq)
	for t, many := range live {
		b.lane(pipelineKey{kernel: "recurrence_step", theta: a.StateTheta()}, n/4*groupOf(many, stepRows), args{
			{"start", start}, {"at", at}, {"order", order}, {"live", many}, {"step", t}, {"N", n},
			{"turn", a.Turn}, {"normalise", a.Normalise}, {"delta", d.second / 4}, {"input", d.first / 4},
			{"angle", d.angle / 4}, {"eps", a.Eps},
		}, on{
			{"state", a.State}, {"alpha", a.Alpha}, {"inv", a.Inv}, {"theta", a.Theta}, {"packed", d.all},
			{"ints", indexed},
		})
	}
}

// loopWorkgroup is the workgroup of recurrence_loop and recurrence_loop_backward.
const loopWorkgroup = 256

// loopForward makes all steps in one dispatch.
func (b *Backend) loopForward(a backend.RecurrenceForward, start, end, at int) {
	n := a.N
	d := b.drive(a.Cell)
	slices := max(1, loopWorkgroup/(n/4))
	sums := 4 * loopWorkgroup
	if a.StateTheta() {
		sums *= 2
	}
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, 2*groupOf(2*n, slices)+groupOf(n, loopWorkgroup)*2*(slices+1)+2)
	for skip := 0; skip < longest; skip += chunk {
		b.formed(pipelineKey{kernel: "recurrence_loop", state: 2 * n, sums: sums, theta: a.StateTheta()}, a.Seq.Hi-a.Seq.Lo, 1, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"N", n}, {"turn", a.Turn},
			{"normalise", a.Normalise}, {"slices", slices}, {"skip", skip}, {"steps", chunk},
			{"given", a.Init.Given()}, {"onward", a.Continue}, {"delta", d.second}, {"input", d.first},
			{"angle", d.angle}, {"eps", a.Eps},
		}, on{
			{"state", a.State}, {"alpha", a.Alpha}, {"inv", a.Inv}, {"theta", a.Theta}, {"packed", d.all},
			{"weights", d.weights}, {"init", a.Init}, {"ints", indexed},
		})
	}
}

// gatherQuads is the quads that a workgroup of recurrence_gather owns, gatherSlices how many invocations of a GPU's share one.
const gatherQuads, gatherSlices = 8, 32

// RecurrenceBackward is the backward pass of RecurrenceForward, with up to three dispatches that sum by drive row.
func (b *Backend) RecurrenceBackward(a backend.RecurrenceBackward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	n, rows, count := a.N, a.Seq.Rows, a.Seq.Hi-a.Seq.Lo
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	if !a.DIn.Given() {
		a.DIn = b.temporary("din", 2*rows*n)
	}
	if !a.DTheta.Given() {
		a.DTheta = b.temporary("dtheta", rows*n)
	}
	switch {
	case n%4 != 0:
		b.anyBackward(a, start, end, at)
	case b.soft:
		b.stepsBackward(a, start, end, at)
	default:
		b.loopBackward(a, start, end, at)
	}
	switch {
	case a.Tabled() && n%4 == 0:
		b.turns("recurrence_gather", rows)
		rows, first := b.byDriveRow(a.Cell)
		slices := gatherSlices
		if b.soft {
			slices = 1
		}
		b.formed(pipelineKey{kernel: "recurrence_gather", lanes: gatherQuads * slices, slices: slices}, groupOf(n, gatherQuads), a.M,
			args{{"first", first}, {"rows", rows}, {"N", n}}, on{
				{"tdelta", a.TDelta}, {"ttheta", a.TTheta}, {"tin", a.TIn}, {"ddelta", a.DDelta},
				{"dtheta", a.DTheta}, {"din", a.DIn}, {"ints", indexed},
			})
	case a.Tabled():
		b.turns("recurrence_table", rows+count)
		sum := func(table, src backend.Vec, width int) {
			b.each("recurrence_table", a.M*width, args{
				{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"hi", a.Seq.Hi}, {"M", a.M},
				{"width", width},
			}, on{{"table", table}, {"src", src}, {"ints", indexed}})
		}
		sum(a.TDelta, a.DDelta, n)
		sum(a.TTheta, a.DTheta, n)
		sum(a.TIn, a.DIn, 2*n)
	}
	if a.DInit.Given() && (b.soft || n%4 != 0) {
		b.each("recurrence_start", 2*n*count, args{
			{"start", start}, {"lo", a.Seq.Lo}, {"count", count}, {"width", 2 * n}, {"given", true},
			{"gather", true},
		}, on{{"state", a.DState}, {"init", a.DInit}, {"ints", indexed}})
	}
}

// anyBackward takes any width: all steps in one dispatch, after one that lays out what they read.
func (b *Backend) anyBackward(a backend.RecurrenceBackward, start, end, at int) {
	n, rows, count := a.N, a.Seq.Rows, a.Seq.Hi-a.Seq.Lo
	saved, weights := b.temporary("saved", 5*rows*n), b.temporary("weights", 4*n*n)
	b.Copy(weights, a.WDelta.Slice(0, 2*n*n))
	if a.StateTheta() {
		b.Copy(weights.Slice(2*n*n, 2*n*n), a.WTheta.Slice(0, 2*n*a.Turn))
	}
	b.each("recurrence_saved", rows*n,
		args{{"rows", rows}, {"N", n}, {"turn", a.Turn}, {"state_theta", a.StateTheta()}, {"at", at}}, on{
			{"saved", saved}, {"alpha", a.Alpha}, {"inv", a.Inv}, {"angle", turns(a.Cell, a.Rot, a.Theta)},
			{"ints", indexed},
		})
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, unitsPerLane(n)*(3+n+a.Turn)+1)
	for skip := (longest - 1) / chunk * chunk; skip >= 0; skip -= chunk {
		b.grid("recurrence_backward", count, 1, args{
			{"start", start}, {"end", end}, {"lo", a.Seq.Lo}, {"N", n}, {"turn", a.Turn},
			{"state_theta", a.StateTheta()}, {"normalise", a.Normalise}, {"skip", skip}, {"steps", chunk},
		}, on{
			{"dstate", a.DState}, {"ddelta", a.DDelta}, {"dtheta", a.DTheta}, {"din", a.DIn},
			{"state", a.State}, {"saved", saved}, {"weights", weights}, {"ints", indexed},
		})
	}
}

// stepsBackward makes a dispatch a step, the last one first, and one that completes the gradients of the first states.
func (b *Backend) stepsBackward(a backend.RecurrenceBackward, start, end, at int) {
	n := a.N
	k := b.keep(a.Cell)
	order, live := b.order(a.Seq)
	step := func(next, many int, finish bool) {
		b.lane(pipelineKey{kernel: "recurrence_step_backward", theta: a.StateTheta()}, n/4*groupOf(many, stepBackwardRows), args{
			{"start", start}, {"end", end}, {"at", at}, {"order", order}, {"live", many}, {"next", next},
			{"N", n}, {"turn", a.Turn}, {"normalise", a.Normalise}, {"finish", finish},
			{"wtheta", k.wtheta / 4}, {"alpha", k.first / 4}, {"inv", k.second / 4}, {"angle", k.angle / 4},
		}, on{
			{"dstate", a.DState}, {"ddelta", a.DDelta}, {"dtheta", a.DTheta}, {"din", a.DIn},
			{"state", a.State}, {"saved", k.all}, {"ints", indexed},
		})
	}
	for t, many := range slices.Backward(live) {
		step(t+1, many, false)
	}
	step(0, live[0], true)
}

// loopBackward makes all steps in one dispatch.
func (b *Backend) loopBackward(a backend.RecurrenceBackward, start, end, at int) {
	n := a.N
	k := b.keep(a.Cell)
	slices := max(1, loopWorkgroup/(n/2))
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, groupOf(n/2, loopWorkgroup)*(2*groupOf(n, slices)+3)+groupOf(n, loopWorkgroup)*(slices+2)+2)
	for skip := (longest - 1) / chunk * chunk; skip >= 0; skip -= chunk {
		b.formed(pipelineKey{kernel: "recurrence_loop_backward", state: 2 * n, sums: max(2*n, 4*loopWorkgroup), theta: a.StateTheta()}, a.Seq.Hi-a.Seq.Lo, 1, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"N", n}, {"turn", a.Turn},
			{"normalise", a.Normalise}, {"slices", slices}, {"skip", skip}, {"steps", chunk},
			{"wtheta", k.wtheta / 4}, {"alpha", k.first}, {"inv", k.second}, {"angle", k.angle},
			{"init", a.DInit.Given()},
		}, on{
			{"dstate", a.DState}, {"ddelta", a.DDelta}, {"dtheta", a.DTheta}, {"din", a.DIn},
			{"state", a.State}, {"saved", k.all}, {"dinit", a.DInit}, {"ints", indexed},
		})
	}
}
