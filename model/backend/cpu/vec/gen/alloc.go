package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A plan says where each op's result lies. Ops are printed in the order of the text, so a register is free again after
// the last op that reads it.
type plan struct {
	*loop
	processor
	reg   []int // a vector register, or a mask's where the processor has such; -1: in memory
	slot  []int // of a number in memory: its place on the stack; -1: a constant of the table
	slots int
}

// A printer is what the printers of assembly have in common: the text, the loop that is printed, and the table of
// constants, which all loops share.
type printer struct {
	strings.Builder
	consts []uint32
	*plan
	tail bool // the last elements
	at   int  // which of a sum's accumulators
}

func (x *printer) line(format string, args ...any) { fmt.Fprintf(x, "\t"+format+"\n", args...) }

// number is that of a constant in the table.
func (x *printer) number(bits uint32) int {
	i := slices.Index(x.consts, bits)
	if i < 0 {
		i = len(x.consts)
		x.consts = append(x.consts, bits)
	}
	return i
}

// table prints the constants, each in so many lanes.
func (x *printer) table(lanes int) {
	x.WriteString("\n")
	for i, b := range x.consts {
		for lane := range lanes {
			at := 4 * (lanes*i + lane)
			fmt.Fprintf(x, "DATA loopConstants<>+%d(SB)/4, $0x%08x // %v\n", at, b, math.Float32frombits(b))
		}
	}
	fmt.Fprintf(x, "GLOBL loopConstants<>(SB), RODATA|NOPTR, $%d\n", 4*lanes*len(x.consts))
}

// A processor is what the allocator must know of one.
type processor struct {
	registers int  // for vectors; the first holds nothing before the loop
	masks     int  // registers of masks' own; 0: masks lie in vectors
	operands  bool // an operand may be read from memory, the last one; else it goes through a register set apart
	unroll    int  // accumulators that a sum has
}

// place fits a loop into registers: what an element needs first, then as many constants and numbers as there is room
// for, those that are read most. A constant that an instruction reads from memory by the way needs none. A loop that
// does not fit is refused.
func (l *loop) place(x processor) *plan {
	uses := map[int]int{}
	for _, o := range l.ops {
		for k, a := range o.args {
			switch {
			case o.fixed || !l.ops[a].fixed:
			case k == 0 && o.kind != opMulAdd && o.kind != opMulSub:
				uses[a] += 2 // takes an instruction of its own
			default:
				uses[a]++
			}
		}
	}
	var resident []int
	for i, o := range l.ops {
		if uses[i] > 1 || uses[i] == 1 && !(x.operands && o.kind == opConst) {
			resident = append(resident, i)
		}
	}
	slices.SortStableFunc(resident, func(a, b int) int { return uses[b] - uses[a] })
	for most := len(resident); most >= 0; most-- {
		p := &plan{loop: l, processor: x, reg: make([]int, len(l.ops)), slot: make([]int, len(l.ops))}
		if p.fit(resident[:most]) {
			return p
		}
	}
	panic(fmt.Sprintf("%s does not fit in %d registers: split it, or put its statements in another order",
		l.name, x.registers))
}

// accumulator is the first register of a sum; the others are below it.
func (p *plan) accumulator(sum int) int { return p.registers - 1 - sum*p.unroll }

// turn gives the sums the accumulators of one of several elements that are printed in a row, and is the set of ops
// that add to a sum.
func (p *plan) turn(at int) map[int]bool {
	next := map[int]bool{}
	for i, o := range p.ops {
		if o.kind == opSum {
			to := p.sums[o.place.slice].next
			p.reg[i] = p.accumulator(o.place.slice) - at
			p.reg[to], next[to] = p.reg[i], true
		}
	}
	return next
}

// fit places a loop with some constants and numbers in registers.
func (p *plan) fit(resident []int) bool {
	last := make([]int, len(p.ops))
	for i, o := range p.ops {
		p.reg[i], p.slot[i] = -1, -1
		for _, a := range o.args {
			last[a] = i
		}
	}
	free := newPool(p.registers - len(p.sums)*p.unroll - len(resident))
	masks := newPool(p.masks)
	if len(free) == 0 {
		return false
	}
	for k, i := range resident {
		p.reg[i] = len(free) + k
	}
	updates := map[int]int{} // the op that makes a sum's next value
	for i, s := range p.sums {
		updates[s.next] = p.accumulator(i)
	}
	for i, o := range p.ops {
		switch {
		case o.kind == opSum:
			p.reg[i] = p.accumulator(o.place.slice)
			if last[i] != p.sums[o.place.slice].next {
				panic(p.name + ": a sum is read after it was added to")
			}
		case o.fixed && o.kind != opConst && p.reg[i] < 0:
			p.slot[i] = p.slots
			p.slots++
		}
	}
	dies := func(i, a int) bool {
		x := p.ops[a]
		return last[a] == i && !x.fixed && x.kind != opSum
	}
	mask := func(o op) bool { return p.masks > 0 && (o.kind == opLess || o.kind == opEqual) }
	for i, o := range p.ops {
		if o.fixed || o.kind == opSum {
			continue
		}
		r, updated := updates[i]
		from := free
		if mask(o) {
			from = masks
		}
		if !updated && o.kind != opStore && p.apart(o) {
			if r = p.takeOver(o, func(a int) bool { return dies(i, a) && !mask(p.ops[a]) }); r < 0 {
				if r = from.take(); r < 0 {
					return false
				}
			}
		}
		for _, a := range o.args {
			switch {
			case !dies(i, a):
			case mask(p.ops[a]):
				masks[p.reg[a]] = true
			default:
				free[p.reg[a]] = true
			}
		}
		if o.kind == opStore {
			continue
		}
		if !updated && !p.apart(o) {
			if r = from.take(); r < 0 {
				return false
			}
		}
		p.reg[i] = r
		if !updated {
			from[r] = last[i] == 0 // nobody may read it
		}
	}
	return true
}

// A pool is which registers are free.
type pool []bool

func newPool(n int) pool {
	p := make(pool, max(n, 0))
	for i := range p {
		p[i] = true
	}
	return p
}

func (p pool) take() int {
	i := slices.Index(p, true)
	if i >= 0 {
		p[i] = false
	}
	return i
}

// apart reports whether an op takes two instructions of which the first writes the result, so that this must not lie
// where an operand does, unless takeOver says so.
func (p *plan) apart(o op) bool {
	switch o.kind {
	case opMulAdd, opMulSub:
		return true
	case opSelect:
		return !p.operands || p.reg[o.args[2]] < 0
	case opAdd, opSub, opMul, opDiv, opMin, opMax, opAnd, opOr, opXor, opAddInt:
		return p.operands && p.reg[o.args[0]] < 0
	}
	return false
}

// takeOver is the register of an operand that the result of such an op takes over, -1 for none.
func (p *plan) takeOver(o op, dies func(int) bool) int {
	alone := func(k int) bool { // and is none of the other operands
		n := 0
		for _, a := range o.args {
			if a == o.args[k] {
				n++
			}
		}
		return n == 1 && dies(o.args[k])
	}
	memory := func(k int) bool { return p.reg[o.args[k]] < 0 }
	switch {
	case o.kind == opSelect && !p.operands && alone(0):
		return p.reg[o.args[0]]
	case o.kind != opMulAdd && o.kind != opMulSub:
	case alone(2):
		return p.reg[o.args[2]]
	case p.operands && alone(0) && !(memory(1) && memory(2)):
		return p.reg[o.args[0]]
	case p.operands && alone(1) && !(memory(0) && memory(2)):
		return p.reg[o.args[1]]
	}
	return -1
}
