package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A processor is what the allocator must know of one.
type processor struct {
	registers int  // for vectors; the first holds nothing before the loop
	masks     int  // registers of masks' own; 0: masks lie in vectors
	operands  bool // an operand may be read from memory, the last one; else it goes through a register set apart
	unroll    int  // accumulators that a sum has; plan sets it
}

// A plan is a loop whose ops have registers. Ops are printed in the order of the text, so a register is free again
// after the last op that reads it.
type plan struct {
	*loop
	processor
	slots int // on the stack
}

// plan fits a loop into registers: what an element needs first, then as many constants and numbers as there is room
// for, those that are read most. A constant that an instruction reads from memory by the way needs none. A loop that
// does not fit is refused.
func (l *loop) plan(x processor) *plan {
	x.unroll = 1
	if len(l.sums) == 1 && !slices.ContainsFunc(l.ops, func(o *op) bool { return o.kind == opStore }) {
		x.unroll = 4 // one sum and no more: four accumulators of it hide how long an addition takes
	}
	uses := map[*op]int{}
	for _, o := range l.ops {
		for k, a := range o.args {
			switch {
			case o.fixed || !a.fixed:
			case k == 0 && o.kind != opMulAdd && o.kind != opMulSub:
				uses[a] += 2 // takes an instruction of its own
			default:
				uses[a]++
			}
		}
	}
	resident := slices.DeleteFunc(slices.Clone(l.ops), func(o *op) bool {
		return uses[o] == 0 || uses[o] == 1 && x.operands && o.kind == opConst
	})
	slices.SortStableFunc(resident, func(a, b *op) int { return cmp.Compare(uses[b], uses[a]) })
	for most := len(resident); most >= 0; most-- {
		if p := (&plan{loop: l, processor: x}); p.fit(resident[:most]) {
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
func (p *plan) turn(at int) map[*op]bool {
	next := map[*op]bool{}
	for i, s := range p.sums {
		s.was.reg = p.accumulator(i) - at
		s.next.reg, next[s.next] = s.was.reg, true
	}
	return next
}

// fit places a loop with some constants and numbers in registers.
func (p *plan) fit(resident []*op) bool {
	for i, o := range p.ops {
		o.reg, o.slot, o.last = -1, -1, 0
		for _, a := range o.args {
			a.last = i
		}
	}
	free := newPool(p.registers - len(p.sums)*p.unroll - len(resident))
	masks := newPool(p.masks)
	if len(free) == 0 {
		return false
	}
	for k, o := range resident {
		o.reg = len(free) + k
	}
	updates := p.turn(0)
	for _, s := range p.sums {
		if p.ops[s.was.last] != s.next {
			panic(p.name + ": a sum is read after it was added to")
		}
	}
	for i, o := range p.ops {
		if o.fixed || o.kind == opSum {
			if o.kind != opConst && o.reg < 0 {
				o.slot = p.slots
				p.slots++
			}
			continue
		}
		dies := func(a *op) bool { return a.last == i && !a.fixed && a.kind != opSum }
		pool := func(o *op) pool {
			if p.isMask(o) {
				return masks
			}
			return free
		}
		needs := !updates[o] && o.kind != opStore // a register
		first := needs && p.apart(o)
		if first {
			if o.reg = p.takeOver(o, func(a *op) bool { return dies(a) && !p.isMask(a) }); o.reg < 0 {
				o.reg = pool(o).take()
			}
		}
		for _, a := range o.args {
			if dies(a) {
				pool(a)[a.reg] = true
			}
		}
		if needs && !first {
			o.reg = pool(o).take()
		}
		if needs && o.reg < 0 {
			return false
		}
		if needs {
			pool(o)[o.reg] = o.last == 0 // nobody may read it
		}
	}
	return true
}

func (p *plan) isMask(o *op) bool { return p.masks > 0 && (o.kind == opLess || o.kind == opEqual) }

// A pool is which registers are free.
type pool []bool

func newPool(n int) pool { return slices.Repeat(pool{true}, max(n, 0)) }

func (p pool) take() int { return slices.Index(p, true) }

// apart reports whether an op takes two instructions of which the first writes the result, so that this must not lie
// where an operand does, unless takeOver says so.
func (p *plan) apart(o *op) bool {
	switch o.kind {
	case opMulAdd, opMulSub:
		return true
	case opSelect:
		return !p.operands || o.args[2].reg < 0
	case opAdd, opSub, opMul, opDiv, opMin, opMax, opAnd, opOr, opXor, opAddInt:
		return p.operands && o.args[0].reg < 0
	}
	return false
}

// takeOver is the register of an operand that the result of such an op takes over, -1 for none.
func (p *plan) takeOver(o *op, dies func(*op) bool) int {
	alone := func(k int) bool { // and is none of the other operands
		others := slices.Delete(slices.Clone(o.args), k, k+1)
		return dies(o.args[k]) && !slices.Contains(others, o.args[k])
	}
	memory := func(k int) bool { return o.args[k].reg < 0 }
	switch {
	case o.kind == opSelect && !p.operands && alone(0):
		return o.args[0].reg
	case o.kind != opMulAdd && o.kind != opMulSub:
	case alone(2):
		return o.args[2].reg
	case p.operands && alone(0) && !(memory(1) && memory(2)):
		return o.args[0].reg
	case p.operands && alone(1) && !(memory(0) && memory(2)):
		return o.args[1].reg
	}
	return -1
}
