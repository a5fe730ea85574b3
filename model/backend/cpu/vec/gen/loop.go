package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// A kind is what an op does with its operands, lane by lane.
type kind uint8

const (
	opConst  kind = iota // the float32 of bits
	opNumber             // a parameter: its index is in place
	opLoad               // the element of a slice
	opStore              // the operand becomes the element of a slice
	opSum                // an accumulator as it was before this element: its index is in place
	opCopy
	opAdd
	opSub
	opMul
	opDiv
	opMulAdd // a·b + c, rounded once
	opMulSub // c − a·b, rounded once
	opSqrt
	opInverse // 1/a, which may be an estimate
	opMin     // the second where either is a NaN
	opMax
	opAnd
	opOr
	opXor
	opAddInt
	opShl   // by bits
	opLess  // a mask: a < b
	opEqual // a mask: a = b, as integers
	opSelect
)

// An op is one step that every element of a loop goes through; its operands are earlier ones.
type op struct {
	kind  kind
	args  []*op
	bits  uint32
	place place
	fixed bool // the same for all elements

	// Where a printer keeps the result; the allocator decides.
	reg  int // a vector register, or a mask's where the processor has such, or a local; -1: in memory
	slot int // of a number in memory: its place on the stack; -1: a constant of the table
	last int // which op is the last to read it
}

// A place is an element of a slice parameter: of its part, the first n values or the second and so on. Where m is a
// parameter, parts begin m elements apart.
type place struct{ slice, part int }

// A sum is an accumulator of a loop: it starts at init, and goes from the value was to the value next.
type sum struct {
	init      uint32
	was, next *op
	join      kind // opAdd or opMax: how two accumulators become one
}

// A loop is a plain loop as data. Printers change it for their needs.
type loop struct {
	name    string
	lengths []string // n, or n and m
	slices  []string
	numbers []string // float32 parameters
	results []string // their types
	ops     []*op
	sums    []*sum
	doc     *ast.CommentGroup
}

// drop takes away ops whose result nobody reads, stores that are written over, and sums that stay what they are.
func (l *loop) drop() {
	l.sums = slices.DeleteFunc(l.sums, func(s *sum) bool { return s.next == s.was })
	read := map[*op]bool{}
	for i, s := range l.sums {
		s.was.place.slice, read[s.next] = i, true
	}
	for _, o := range slices.Backward(l.ops) {
		if read[o] || o.kind == opStore && len(o.args) > 0 {
			read[o] = true
			for _, a := range o.args {
				read[a] = true
			}
		}
	}
	l.ops = slices.DeleteFunc(l.ops, func(o *op) bool { return !read[o] })
}

// fused makes one of a product and the sum that alone reads it: rounded once.
func (l *loop) fused() *loop {
	users := map[*op]int{}
	for _, o := range l.ops {
		for _, a := range o.args {
			users[a]++
		}
	}
	for _, s := range l.sums {
		users[s.next]++
	}
	at := func(o *op) int { return slices.Index(l.ops, o) }
	for _, o := range l.ops {
		product := func(k int) bool {
			x := o.args[k]
			return x.kind == opMul && !x.fixed && users[x] == 1
		}
		fuse := func(to kind, k int) {
			x := o.args[k]
			o.kind, o.args = to, []*op{x.args[0], x.args[1], o.args[1-k]}
		}
		switch {
		case o.fixed:
		case o.kind == opAdd && product(1) && (!product(0) || at(o.args[0]) < at(o.args[1])):
			fuse(opMulAdd, 1)
		case o.kind == opAdd && product(0):
			fuse(opMulAdd, 0)
		case o.kind == opSub && product(1):
			fuse(opMulSub, 1)
		}
	}
	l.drop()
	return l
}

func (l *loop) parts() []int {
	parts := make([]int, len(l.slices))
	for _, o := range l.ops {
		if o.kind == opLoad || o.kind == opStore {
			parts[o.place.slice] = max(parts[o.place.slice], o.place.part+1)
		}
	}
	return parts
}

// arguments are the names and types of those of the loop's assembly: the lengths, the slices' pointers, a pointer to
// four partial sums for each sum, and numbers. P and N behind names: g alone means a register to Go's assembler.
func (l *loop) arguments() (list []string) {
	add := func(kind string, names ...string) {
		for _, n := range names {
			list = append(list, n+kind)
		}
	}
	add(" int", l.lengths...)
	add("P *float32", l.slices...)
	if len(l.sums) > 0 {
		add(fmt.Sprintf("sums *[%d][4]float32", len(l.sums)), "")
	}
	add("N float32", l.numbers...)
	return list
}

// offset is how many bytes the first i arguments take: numbers, the last ones, four each.
func (l *loop) offset(i int) int { return 8*i - 4*max(0, i+len(l.numbers)-len(l.arguments())) }

// argument is where an argument of the assembly is, in its terms.
func (l *loop) argument(name string) string {
	named := func(a string) bool { return strings.HasPrefix(a, name+" ") }
	return fmt.Sprintf("%s+%d(FP)", name, l.offset(slices.IndexFunc(l.arguments(), named)))
}
