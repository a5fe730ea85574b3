package main

import "slices"

// A wasmLoop is the code of a loop for WebAssembly: vectors of four numbers, the last ones of a row one at a time. Its
// argument points at a command: the function's number, the command's size, n and the number of rows, a pointer for
// what each sum is added to, for each slice, and one for the numbers, then as many distances in bytes, by which a
// pointer goes on from row to row.
type wasmLoop struct {
	*code
	*loop
	pointer map[place]int // locals; those of ops are their registers
	load    int           // the instruction that reads elements: four, or one
}

const (
	lArgs  = iota
	lN     // bytes
	lRows  // left
	lI     // bytes
	lEnd   // of whole vectors
	lFirst // of the pointers
)

// headWords is how many words of a command come before its pointers.
const headWords = 4

// wasmCode compiles a loop. Relaxed, a product and a sum may be one operation, as the engine likes.
func wasmCode(l *loop, relaxed bool) []byte {
	if relaxed {
		l = l.fused()
	}
	x := &wasmLoop{loop: l, pointer: map[place]int{}}
	count, integers := len(l.sums)+len(l.slices), lFirst+len(l.sums)
	for i := range l.slices {
		x.pointer[place{slice: i}] = integers
		integers++
	}
	numbers := integers
	var parts []place // but the first ones
	if len(l.numbers) > 0 {
		integers++
		count++
	}
	for _, o := range l.ops {
		if _, ok := x.pointer[o.place]; !ok && (o.kind == opLoad || o.kind == opStore) {
			x.pointer[o.place] = integers
			parts = append(parts, o.place)
			integers++
		}
	}
	for i, o := range l.ops {
		o.reg = integers + i
	}
	x.code = begin(integers-1, len(l.ops))
	x.set(lN, apply(shl, word(get(lArgs), 2), number(2)))
	x.set(lRows, word(get(lArgs), 3))
	x.set(lEnd, apply(and, get(lN), number(-16)))
	x.repeat(lRows, func() {
		for i := range count {
			x.set(lFirst+i, word(get(lArgs), headWords+i))
		}
		for _, p := range parts {
			first := get(x.pointer[place{slice: p.slice}])
			x.set(x.pointer[p], apply(plus, first, apply(times, get(lN), number(p.part))))
		}
		for _, o := range l.ops {
			switch {
			case !o.fixed:
			case o.kind == opNumber:
				x.set(o.reg, memory(9, 4*o.place.slice, get(numbers))) // v128.load32_splat
			case o.kind == opConst:
				x.set(o.reg, splat(o.bits))
			default:
				x.print(o)
			}
		}
		for _, s := range l.sums {
			x.set(s.was.reg, splat(s.init))
		}
		x.set(lI, number(0))
		x.elements(lEnd, 16, 0)
		x.elements(lN, 4, 92) // v128.load32_zero
		for i, s := range l.sums {
			lane := func(k int) code { return append(vector(31, get(s.was.reg)), byte(k)) }
			pairs := apply(0x92, apply(0x92, lane(0), lane(1)), apply(0x92, lane(2), lane(3))) // f32.add
			total := apply(0x92, slices.Concat(apply(0x2a, get(lFirst+i)), code{2, 0}), pairs) // f32.load
			x.put(apply(0x38, get(lFirst+i), total), code{2, 0})                               // f32.store
		}
		for i := range count { // pointers go on to the next row
			next := apply(plus, word(get(lArgs), headWords+i), word(get(lArgs), headWords+count+i))
			x.put(apply(0x36, get(lArgs), next), code{2}, leb(4*(headWords+i)))
		}
		x.move(lRows, -1)
	})
	return append(*x.code, 0x0b)
}

// elements goes through the elements up to end; load is the instruction that reads as many as a step takes.
func (x *wasmLoop) elements(end, step, load int) {
	x.load = load
	x.code.loop(apply(atLeast, get(lI), get(end)), func() {
		for _, o := range x.ops {
			if !o.fixed && o.kind != opSum {
				x.print(o)
			}
		}
		for _, s := range x.sums {
			x.set(s.was.reg, get(s.next.reg))
		}
		x.move(lI, step)
	})
}

func splat(bits uint32) code { return vector(17, number(int(int32(bits)))) }

// The instructions of ops that do nothing but one.
var wasmInstructions = map[kind]int{opAdd: 228, opSub: 229, opMul: 230, opDiv: 231, opSqrt: 227, opAnd: 78, opOr: 80,
	opXor: 81, opAddInt: 174, opEqual: 55, opLess: 67, opMulAdd: 261, opMulSub: 262}

// print is an op, its result in its local.
func (x *wasmLoop) print(o *op) {
	var args []code
	for _, a := range o.args {
		args = append(args, get(a.reg))
	}
	address := apply(plus, get(x.pointer[o.place]), get(lI))
	var value code
	switch o.kind {
	case opLoad:
		value = memory(x.load, 0, address)
	case opStore:
		if x.load == 0 {
			x.put(memory(11, 0, address, args[0]))
		} else {
			x.put(memory(90, 0, address, args[0]), code{0}) // v128.store32_lane
		}
		return
	case opCopy:
		value = args[0]
	case opInverse:
		value = vector(231, splat(0x3f800000), args[0])
	case opShl:
		value = vector(171, args[0], number(int(o.bits)))
	case opMin, opMax:
		// With a constant the quick forms do as Go does: they return their first operand where it is a NaN.
		instruction := 232
		if o.args[0].fixed {
			instruction = 234
		}
		if o.kind == opMax {
			instruction++
		}
		value = vector(instruction, args[1], args[0])
	case opSelect:
		value = vector(82, args[1], args[2], args[0]) // v128.bitselect
	default:
		value = vector(wasmInstructions[o.kind], args...)
	}
	x.set(o.reg, value)
}

// signed is a number in LEB128.
func signed(n int32) (out []byte) {
	for {
		b := byte(n & 127)
		n >>= 7
		if n == 0 && b&64 == 0 || n == -1 && b&64 != 0 {
			return append(out, b)
		}
		out = append(out, b|128)
	}
}
