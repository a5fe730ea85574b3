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

// RecurrenceForward runs the time loop of every sequence in one dispatch, after two that lay out what it reads.
func (b *Backend) RecurrenceForward(a backend.RecurrenceForward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	n, count := a.N, a.Seq.Hi-a.Seq.Lo
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	drive := b.temporary("drive", 5*a.M*n)
	b.each("recurrence_drive", a.M*n, words(a.M, n, a.StateTheta()), drive, a.In, a.DeltaU, turns(a.Cell, a.Rot, a.Pre))
	if !a.Continue {
		b.each("recurrence_start", 2*n*count, words(start, a.Seq.Lo, count, 2*n, a.Init.Given(), false), a.State, a.Init, indexed)
	}
	products := 1
	if a.StateTheta() {
		products = 2
	}
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, unitsPerLane(n)*(2+products*(n/2+2))+1)
	for skip := 0; skip < longest; skip += chunk {
		b.grid("recurrence_forward", count, 1, words(start, end, at, a.Seq.Lo, n, a.Turn, a.StateTheta(), a.Normalise, skip, chunk, a.Eps),
			a.State, a.Alpha, a.Inv, a.Theta, drive, a.WDelta, a.WTheta, indexed)
	}
}

// RecurrenceBackward is the backward pass of RecurrenceForward, one dispatch for all steps and up to three that sum by
// drive row.
func (b *Backend) RecurrenceBackward(a backend.RecurrenceBackward) {
	a.Check()
	if !b.cell(a.Cell) {
		return
	}
	n, rows, count := a.N, a.Seq.Rows, a.Seq.Hi-a.Seq.Lo
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	saved, weights := b.temporary("saved", 5*rows*n), b.temporary("weights", 4*n*n)
	b.Copy(weights, a.WDelta.Slice(0, 2*n*n))
	if a.StateTheta() {
		b.Copy(weights.Slice(2*n*n, 2*n*n), a.WTheta.Slice(0, 2*n*a.Turn))
	}
	if !a.DIn.Given() {
		a.DIn = b.temporary("din", 2*rows*n)
	}
	if !a.DTheta.Given() {
		a.DTheta = b.temporary("dtheta", rows*n)
	}
	b.each("recurrence_saved", rows*n, words(rows, n, a.Turn, a.StateTheta(), at), saved, a.Alpha, a.Inv, turns(a.Cell, a.Rot, a.Theta), indexed)
	longest := b.longest(a.Seq)
	chunk := b.stepsPerCall(longest, unitsPerLane(n)*(3+n+a.Turn)+1)
	for skip := (longest - 1) / chunk * chunk; skip >= 0; skip -= chunk {
		b.grid("recurrence_backward", count, 1, words(start, end, a.Seq.Lo, n, a.Turn, a.StateTheta(), a.Normalise, skip, chunk),
			a.DState, a.DDelta, a.DTheta, a.DIn, a.State, saved, weights, indexed)
	}
	if a.Tabled() {
		b.turns("recurrence_table", rows+count)
		sum := func(table, src backend.Vec, width int) {
			b.each("recurrence_table", a.M*width, words(start, end, at, a.Seq.Lo, a.Seq.Hi, a.M, width), table, src, indexed)
		}
		sum(a.TDelta, a.DDelta, n)
		sum(a.TTheta, a.DTheta, n)
		sum(a.TIn, a.DIn, 2*n)
	}
	if a.DInit.Given() {
		b.each("recurrence_start", 2*n*count, words(start, a.Seq.Lo, count, 2*n, true, true), a.DState, a.DInit, indexed)
	}
}
