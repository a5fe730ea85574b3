package main

// A wasmLoop is the code of a loop for WebAssembly: vectors of four numbers, the last ones of a row one at a time. Its
// argument points at a command: the function's number, the command's size, n and the number of rows, a pointer for
// each slice and one for the numbers, then as many distances in bytes, by which a pointer goes on from row to row.
type wasmLoop struct {
	code
	*loop
	pointer map[place]int // locals
	local   []int         // of ops
	tail    bool
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
	x := &wasmLoop{loop: l, pointer: map[place]int{}, local: make([]int, len(l.ops))}
	count, integers := len(l.slices), lFirst
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
	for i := range l.ops {
		x.local[i] = integers + i
	}
	x.op(2)
	x.op(leb(integers - 1)...)
	x.op(i32)
	x.op(leb(len(l.ops))...)
	x.op(v128)
	word := func(i int) {
		x.get(lArgs)
		x.op(0x28)
		x.at(2, 4*i)
	}
	word(2)
	x.number(2)
	x.op(0x74)
	x.set(lN)
	word(3)
	x.set(lRows)
	x.get(lN)
	x.number(-16)
	x.op(and)
	x.set(lEnd)
	x.repeat(lRows, func() {
		for i := range count {
			word(headWords + i)
			x.set(lFirst + i)
		}
		for _, p := range parts {
			x.get(x.pointer[place{slice: p.slice}])
			x.get(lN)
			x.number(p.part)
			x.op(times, plus)
			x.set(x.pointer[p])
		}
		for i, o := range l.ops {
			switch {
			case !o.fixed:
			case o.kind == opNumber:
				x.get(numbers)
				x.vector(9) // v128.load32_splat
				x.at(2, 4*o.place.slice)
				x.set(x.local[i])
			case o.kind == opConst:
				x.splat(o.bits)
				x.set(x.local[i])
			default:
				x.print(i)
			}
		}
		x.number(0)
		x.set(lI)
		for _, end := range []int{lEnd, lN} {
			x.tail = end == lN
			x.op(0x02, 0x40, 0x03, 0x40) // block, loop
			x.get(lI)
			x.get(end)
			x.op(0x4f, 0x0d, 1) // leave where i ≥ end, unsigned
			for i, o := range l.ops {
				if !o.fixed {
					x.print(i)
				}
			}
			step := 16
			if x.tail {
				step = 4
			}
			x.move(lI, step)
			x.op(0x0c, 0, 0x0b, 0x0b)
		}
		for i := range count { // the next row
			x.get(lArgs)
			word(headWords + i)
			word(headWords + count + i)
			x.op(plus, 0x36)
			x.at(2, 4*(headWords+i))
		}
		x.move(lRows, -1)
	})
	x.op(0x0b)
	return x.code
}

// splat pushes a constant, in every lane.
func (x *wasmLoop) splat(bits uint32) {
	x.op(0x41)
	x.op(signed(int32(bits))...)
	x.vector(17) // i32x4.splat
}

// address pushes where the present elements of a slice are.
func (x *wasmLoop) address(p place) {
	x.get(x.pointer[p])
	x.get(lI)
	x.op(plus)
}

// The instructions of ops that do nothing but one.
var wasmInstructions = map[kind]int{opAdd: 228, opSub: 229, opMul: 230, opDiv: 231, opSqrt: 227, opAnd: 78, opOr: 80,
	opXor: 81, opAddInt: 174, opEqual: 55, opLess: 67, opMulAdd: 261, opMulSub: 262}

// print is an op, its result in its local.
func (x *wasmLoop) print(i int) {
	o := x.ops[i]
	arg := func(k int) { x.get(x.local[o.args[k]]) }
	switch o.kind {
	case opLoad:
		x.address(o.place)
		if x.tail {
			x.vector(92) // v128.load32_zero
		} else {
			x.vector(0)
		}
		x.at(2, 0)
	case opStore:
		x.address(o.place)
		arg(0)
		if x.tail {
			x.vector(90) // v128.store32_lane
			x.at(2, 0)
			x.op(0)
		} else {
			x.vector(11)
			x.at(2, 0)
		}
		return
	case opCopy:
		arg(0)
	case opInverse:
		x.splat(0x3f800000)
		arg(0)
		x.vector(231)
	case opShl:
		arg(0)
		x.number(int(o.bits))
		x.vector(171)
	case opMin, opMax:
		// With a constant the quick forms do as Go does: they return their first operand where it is a NaN.
		instruction := 232
		if x.ops[o.args[0]].fixed {
			instruction = 234
		}
		if o.kind == opMax {
			instruction++
		}
		arg(1)
		arg(0)
		x.vector(instruction)
	case opSelect:
		arg(1)
		arg(2)
		arg(0)
		x.vector(82) // v128.bitselect
	default:
		for k := range o.args {
			arg(k)
		}
		x.vector(wasmInstructions[o.kind])
	}
	x.set(x.local[i])
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
