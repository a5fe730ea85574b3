package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A machine is what printers of assembly differ in. Vector registers are numbers, others have names.
type machine interface {
	op(o *op, to int)              // an op, its result in a register
	last(o *op)                    // one that adds the last elements to a sum
	broadcast(from string, to int) // a number, to all lanes
	constant(bits uint32, to int)  // the same of a constant
	keep(r, slot int)              // on the stack
	add(a, b, to string)           // integers
	turns(body func())             // all whole vectors, and the last elements
	join(s *sum, to, from int)     // one accumulator into another
	total(s *sum, r int, at string)
}

// A printer is what they have in common: the text, the loop that is printed, and the table of constants, which all
// loops share.
type printer struct {
	strings.Builder
	known []uint32 // the constants
	*plan
	tail bool // the last elements
	at   int  // which of a sum's accumulators

	move, shift, clear string   // instructions for integers: load or copy, to the left, make 0
	registers          []string // that hold pointers, and how far the parts of slices are done
	end, passing       string   // where the first part ends; for what passes
	offsets            []string // of the parts
}

func (x *printer) line(format string, args ...any) { fmt.Fprintf(x, "\t"+format+"\n", args...) }

func (x *printer) number(bits uint32) int {
	i := slices.Index(x.known, bits)
	if i < 0 {
		i = len(x.known)
		x.known = append(x.known, bits)
	}
	return i
}

// constants prints the table, each number in that many lanes.
func (x *printer) constants(lanes int) {
	x.WriteString("\n")
	for i, b := range x.known {
		for lane := range lanes {
			at := 4 * (lanes*i + lane)
			fmt.Fprintf(x, "DATA loopConstants<>+%d(SB)/4, $0x%08x // %v\n", at, b, math.Float32frombits(b))
		}
	}
	fmt.Fprintf(x, "GLOBL loopConstants<>(SB), RODATA|NOPTR, $%d\n", 4*lanes*len(x.known))
}

// start prints the head of a function for a loop; frame is how much of the stack it takes.
func (x *printer) start(level string, frame int) {
	arguments := x.arguments()
	fmt.Fprintf(x, "\n// func %s%s(%s)\n", x.name, level, strings.Join(arguments, ", "))
	fmt.Fprintf(x, "TEXT ·%s%s(SB), NOSPLIT, $%d-%d\n", x.name, level, frame, x.offset(len(arguments)))
}

func (x *printer) print(m machine) {
	x.line("%s n+0(FP), %s", x.move, x.end)
	x.line("%s $2, %s", x.shift, x.end)
	for i, s := range x.slices {
		x.line("%s %s, %s", x.move, x.argument(s+"P"), x.registers[i])
	}
	for _, o := range x.ops {
		if !o.fixed || o.kind == opConst && o.reg < 0 {
			continue
		}
		to := max(o.reg, 0)
		switch {
		case o.kind == opNumber:
			m.broadcast(x.argument(x.numbers[o.place.slice]+"N"), to)
		case o.kind == opConst:
			m.constant(o.bits, to)
		default:
			m.op(o, to)
		}
		if o.slot >= 0 {
			m.keep(to, o.slot)
		}
	}
	for i, s := range x.sums {
		for k := range x.unroll {
			m.constant(s.init, x.accumulator(i)-k)
		}
	}
	apart := x.end
	if len(x.lengths) > 1 {
		apart = x.passing
		x.line("%s m+8(FP), %s", x.move, apart)
		x.line("%s $2, %s", x.shift, apart)
	}
	x.offsets = x.registers[len(x.slices):][:slices.Max(x.parts())]
	x.line(x.clear, x.offsets[0])
	for i, o := range x.offsets[1:] {
		m.add(x.offsets[i], apart, o)
	}
	x.tail, x.at = false, 0
	m.turns(func() {
		next := x.turn(x.at)
		for _, o := range x.ops {
			switch {
			case o.fixed || o.kind == opSum:
			case next[o] && x.tail:
				m.last(o)
			default:
				m.op(o, o.reg)
			}
		}
	})
	x.tail = false
	if len(x.sums) > 0 {
		x.line("%s %s, %s", x.move, x.argument("sums"), x.passing)
	}
	for i, s := range x.sums {
		r := x.accumulator(i)
		for step := 1; step < x.unroll; step *= 2 {
			for k := 0; k+step < x.unroll; k += 2 * step {
				m.join(s, r-k, r-k-step)
			}
		}
		m.total(s, r, fmt.Sprintf("%d(%s)", 16*i, x.passing))
	}
}
