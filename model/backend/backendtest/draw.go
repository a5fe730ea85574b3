package backendtest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"mhacsp/model/backend"
)

// lengths are the sequence lengths of "Numbers that hold everywhere" in .github/testing.md.
var lengths = [...]int{1, 2, 3, 63, 64, 65, 128}

// draw makes a case's inputs, the same at every run.
type draw struct {
	*rand.Rand
	yard backend.Backend
}

func newDraw(seed string, yard backend.Backend) draw {
	h := fnv.New64a()
	h.Write([]byte(seed))
	return draw{rand.New(rand.NewPCG(h.Sum64(), 1)), yard}
}

func (d draw) normal(n int, std float64) []float32 {
	return each(n, func(int) float32 { return float32(d.NormFloat64() * std) })
}

// deep is n numbers from −12 to −8, whose softplus 1 + e^x alone has not in float32.
func (d draw) deep(n int) []float32 {
	return each(n, func(int) float32 { return float32(-12 + 4*d.Float64()) })
}

// circle is rows of n complex numbers of magnitude 1, [rows, 2n].
func (d draw) circle(rows, n int) []float32 {
	x := make([]float32, 2*rows*n)
	for r := range rows {
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * d.Float64())
			x[2*r*n+i], x[(2*r+1)*n+i] = float32(cos), float32(sin)
		}
	}
	return x
}

// index is n numbers from 0 to below−1.
func (d draw) index(n, below int) []int32 {
	return each(n, func(int) int32 { return int32(d.IntN(below)) })
}

// saved runs p on the reference and returns its tensors, rounded to float32, by name: what a forward pass leaves
// for the backward pass.
func (d draw) saved(p program) map[string][]float32 {
	tensors, after, err := execute(p, d.yard)
	if err != nil {
		panic(fmt.Sprintf("backendtest: the reference failed: %v", err))
	}
	x := map[string][]float32{}
	for i, t := range tensors {
		x[t.name] = after[i][margin:][:len(t.before)]
	}
	return x
}

// option is a part of a case's name, where it is on.
func option(on bool, name string) string {
	if on {
		return "-" + name
	}
	return ""
}

func filled[T any](n int, v T) []T { return slices.Repeat([]T{v}, n) }

// writtenIf is the role of an element that is written where a condition holds, and else has another role.
func writtenIf(holds bool, other role) role {
	if holds {
		return written
	}
	return other
}

// each is n elements, one after another.
func each[T any](n int, of func(i int) T) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = of(i)
	}
	return x
}

// named is the roles of [rows, width] of which only the rows in list are added to; −1 is none.
func named(rows, width int, list []int32) []role {
	x := filled(rows*width, kept)
	for _, r := range list {
		if r >= 0 {
			copy(x[int(r)*width:], filled(width, written))
		}
	}
	return x
}

// arena lays sequences out on rows (package backend) of which a call covers lo ≤ s < hi.
type arena struct {
	label      string // in a case's name
	start, end []int32
	rows       int
	lo, hi     int
}

func layOut(label string, lengths []int, lo, hi int) arena {
	a := arena{label: label, lo: lo, hi: hi}
	for _, t := range lengths {
		a.start, a.end = append(a.start, int32(a.rows)), append(a.end, int32(a.rows+t))
		a.rows += t + 1
	}
	return a
}

// alone is one sequence of t steps.
func alone(t int) arena { return layOut(fmt.Sprintf("T=%d", t), []int{t}, 0, 1) }

// The arenas of most time loops: every kind of length, out of order; calls on some of its sequences, and on none; more
// sequences than a piece of the processor's work has, and more rows than a chunk of it.
var (
	mixed       = layOut("mixed", []int{128, 1, 64, 2, 65, 3, 63}, 0, 7)
	inner, none = mixed.part("inner", 2, 6), mixed.part("none", 3, 3)
	many        = manyBelow(20)
)

// manyBelow is 150 sequences, each shorter than that many steps.
func manyBelow(steps int) arena {
	return layOut("many", each(150, func(s int) int { return 1 + s*7%(steps-1) }), 0, 150)
}

// part covers some of the sequences.
func (a arena) part(label string, lo, hi int) arena {
	a.label, a.lo, a.hi = label, lo, hi
	return a
}

// whole covers every sequence.
func (a arena) whole() arena { return a.part(a.label, 0, len(a.start)) }

func (a arena) steps(s int) int { return int(a.end[s] - a.start[s]) }

// longest is the number of steps of the longest covered sequence.
func (a arena) longest() (most int) {
	for s := a.lo; s < a.hi; s++ {
		most = max(most, a.steps(s))
	}
	return most
}

func (a arena) seq(b *bench) backend.Sequences {
	return backend.Sequences{Start: b.ints(a.start), End: b.ints(a.end), Lo: a.lo, Hi: a.hi, Rows: a.rows}
}

// later is the row of each sequence that is t steps behind its first.
func (a arena) later(t int32) []int32 {
	return each(len(a.start), func(s int) int32 { return a.start[s] + t })
}

// stepwise calls step for each step of sequences of one length, with seq a window of that step of all.
func (a arena) stepwise(b *bench, seq backend.Sequences, step func()) {
	for t := range int32(a.steps(0)) {
		b.UploadInts(seq.Start, a.later(t))
		b.UploadInts(seq.End, a.later(t+1))
		step()
	}
}

// at is the drive row of each step, one of m: a token, or byRow the row itself.
func (a arena) at(d draw, byRow bool) (m int, x []int32) {
	m, x = vocabulary, filled(a.rows, int32(-1))
	if byRow {
		m = a.rows
	}
	for s := range a.start {
		for r := a.start[s]; r < a.end[s]; r++ {
			x[r] = r
			if !byRow {
				x[r] = int32(d.IntN(vocabulary))
			}
		}
	}
	return m, x
}

// table is the roles of [m, width]: the first columns of the drive rows, at, that the covered steps read gain.
func (a arena) table(m int, at []int32, width, columns int) []role {
	used := make([]bool, m)
	for s := a.lo; s < a.hi; s++ {
		for _, r := range at[a.start[s]:a.end[s]] {
			used[r] = true
		}
	}
	return each(m*width, func(i int) role { return writtenIf(used[i/width] && i%width < columns, kept) })
}

// roles are the roles of [rows, width]: kept outside the covered sequences; of the state after t of a covered
// sequence's steps, or of its step t+1, what of says.
func (a arena) roles(width int, of func(t, steps, col int) role) []role {
	x := filled(a.rows*width, kept)
	for s := a.lo; s < a.hi; s++ {
		for t := range a.steps(s) + 1 {
			for col := range width {
				x[(int(a.start[s])+t)*width+col] = of(t, a.steps(s), col)
			}
		}
	}
	return x
}

// squares are the roles of [sequences, heads, size, size], all of a sequence's steps or the lower triangle; the rest,
// of which there is some, is zero.
func (a arena) squares(heads int, all bool) (size int, list []role) {
	size = max(2, a.longest()+1)
	return size, each(max(1, a.hi-a.lo)*heads*size*size, func(at int) role {
		s, i, j := a.lo+at/(heads*size*size), at/size%size, at%size
		return writtenIf(s < a.hi && max(i, j) < a.steps(s) && (all || j <= i), zero)
	})
}

// out is an output of width numbers a row.
func (a arena) out(b *bench, name string, bound float64, width int, of func(t, steps, col int) role) backend.Vec {
	return b.out(name, bound, a.rows*width, a.roles(width, of))
}

// eachStep is the role of a tensor with a row per step; the row after the last step has role last.
func eachStep(last role) func(t, steps, col int) role {
	return func(t, steps, _ int) role { return writtenIf(t < steps, last) }
}

// behind is the role of a tensor with a row per state; that of a sequence's first, before its first step, is first.
func behind(first role) func(t, steps, col int) role {
	return func(t, _, _ int) role { return writtenIf(t > 0, first) }
}

// sums are the roles of n elements that a gradient is added to: where nothing is covered nothing is added.
func (a arena) sums(n int) []role {
	if a.lo == a.hi {
		return filled(n, kept)
	}
	return nil
}

// always is one role throughout.
func always(r role) func(t, steps, col int) role { return func(int, int, int) role { return r } }
