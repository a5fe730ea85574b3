package main

import (
	"fmt"
	"strings"
)

// An arm64 prints loops for NEON: vectors of four numbers. The last ones of a row are taken one at a time, in the
// first lane of a register whose others are 0. What Go's assembler has no name for is written as a WORD, with the name
// that the processor's manual has for it.
type arm64 struct{ printer }

// Vector registers that nothing is kept in: operands from memory go through two of them, and the tail of a sum
// through the third.
const scratch0, scratch1, saved = 30, 31, 29

// The integer registers that pointers and offsets lie in; see also those named below.
var arm64Registers = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22}

// R23 is the end, R24 the table of constants, R25 and R26 are for what passes.
const end64, table64 = "R23", "R24"

// word prints an instruction that Go's assembler does not know.
func (x *arm64) word(code uint32, format string, args ...any) {
	x.line("WORD $0x%08x // "+format, append([]any{code}, args...)...)
}

// three are instructions of vectors d = n op m: Go's name where there is one.
var three = map[string]struct {
	code uint32
	name string
}{
	"fadd": {0x4e20d400, ""}, "fsub": {0x4ea0d400, ""}, "fmul": {0x6e20dc00, ""}, "fdiv": {0x6e20fc00, ""},
	"fmax": {0x4e20f400, ""}, "fmin": {0x4ea0f400, ""}, "fcmgt": {0x6ea0e400, ""}, "fmla": {0, "VFMLA S4"},
	"fmls": {0, "VFMLS S4"}, "add": {0, "VADD S4"}, "and": {0, "VAND B16"}, "orr": {0, "VORR B16"},
	"eor": {0, "VEOR B16"}, "bsl": {0, "VBSL B16"}, "cmeq": {0, "VCMEQ S4"},
}

func (x *arm64) three(name string, d, n, m int) {
	t := three[name]
	if as, lanes, ok := strings.Cut(t.name, " "); ok {
		x.line("%s V%d.%s, V%d.%[3]s, V%[5]d.%[3]s", as, m, lanes, n, d)
		return
	}
	x.word(t.code|uint32(m<<16|n<<5|d), "%s v%d.4s, v%d.4s, v%d.4s", name, d, n, m)
}

// twoOf are instructions of vectors d = op n.
func (x *arm64) twoOf(code uint32, name string, d, n int) {
	x.word(code|uint32(n<<5|d), "%s v%d.4s, v%d.4s", name, d, n)
}

func (x *arm64) copy(d, n int) {
	if d != n {
		x.line("VMOV V%d.B16, V%d.B16", n, d)
	}
}

// constant loads a number of the table into a register.
func (x *arm64) constant(bits uint32, to int) {
	x.line("FMOVQ %d(%s), F%d", 16*x.number(bits), table64, to)
}

// stack is where a number lies on the stack.
func (x *arm64) stack(slot int) string { return fmt.Sprintf("%d(RSP)", 16*slot+16) }

// operand is an op's result, in its register or read into another one.
func (x *arm64) operand(i, scratch int) int {
	switch {
	case x.reg[i] >= 0:
		return x.reg[i]
	case x.slot[i] >= 0:
		x.line("FMOVQ %s, F%d", x.stack(x.slot[i]), scratch)
	default:
		x.constant(x.ops[i].bits, scratch)
	}
	return scratch
}

// element prints the load or the store of a slice's element.
func (x *arm64) element(p place, r int, store bool) {
	base, offset := arm64Registers[p.slice], arm64Registers[len(x.slices)+p.part]
	if x.at > 0 {
		offset = 25
		x.line("ADD $%d, R%d, R25", 16*x.at, arm64Registers[len(x.slices)+p.part])
	}
	code, name, size := uint32(0x3ce06800), "ldr", "q"
	if store {
		code, name = 0x3ca06800, "str"
	}
	if x.tail {
		code, size = code&^0x00800000|0x80000000, "s"
	}
	x.word(code|uint32(offset<<16|base<<5|r), "%s %s%d, [x%d, x%d]", name, size, r, base, offset)
}

// op prints an op into a register.
func (x *arm64) op(i, to int) {
	o := x.ops[i]
	a := func(k int) int { return x.operand(o.args[k], scratch0+k%2) }
	switch o.kind {
	case opCopy:
		x.copy(to, a(0))
	case opLoad:
		x.element(o.place, to, false)
	case opStore:
		x.element(o.place, a(0), true)
	case opAdd, opSub, opMul, opDiv, opMin, opMax, opAnd, opOr, opXor, opAddInt, opEqual:
		n, m := a(0), a(1)
		x.three(map[kind]string{opAdd: "fadd", opSub: "fsub", opMul: "fmul", opDiv: "fdiv", opMin: "fmin",
			opMax: "fmax", opAnd: "and", opOr: "orr", opXor: "eor", opAddInt: "add", opEqual: "cmeq"}[o.kind],
			to, n, m)
	case opLess:
		n, m := a(0), a(1)
		x.three("fcmgt", to, m, n)
	case opMulAdd, opMulSub:
		if x.reg[o.args[2]] >= 0 {
			x.copy(to, x.reg[o.args[2]])
		} else {
			x.copy(to, x.operand(o.args[2], to))
		}
		n, m := a(0), a(1)
		x.three(map[kind]string{opMulAdd: "fmla", opMulSub: "fmls"}[o.kind], to, n, m)
	case opSqrt:
		x.twoOf(0x6ea1f800, "fsqrt", to, a(0))
	case opInverse: // of 8 bits
		x.twoOf(0x4ea1d800, "frecpe", to, a(0))
	case opShl:
		x.line("VSHL $%d, V%d.S4, V%d.S4", o.bits, a(0), to)
	case opSelect: // the mask's register becomes the result
		x.copy(to, x.reg[o.args[0]])
		x.three("bsl", to, x.operand(o.args[1], scratch0), x.operand(o.args[2], scratch1))
	}
}

// loop prints a loop.
func (x *arm64) loop(l *loop) {
	target := processor{registers: saved, unroll: 1}
	if l.pure() {
		target.unroll = 4
	}
	l = l.fused().estimated(2)
	x.plan, x.tail, x.at = l.place(target), false, 0
	parts := l.parts()
	offsets := arm64Registers[len(l.slices):][:parts]
	first := l.firstSlice()
	arguments := first + 8*len(l.slices)
	frame := 0
	if x.slots > 0 {
		frame = 16*x.slots + 16
	}
	fmt.Fprintf(x, "\n// func %sNEON(%s)\n", l.name, l.parameters())
	fmt.Fprintf(x, "TEXT ·%sNEON(SB), NOSPLIT, $%d-%d\n", l.name, frame, l.argumentBytes())
	x.line("MOVD n+0(FP), %s", end64)
	x.line("LSL $2, %s, %[1]s", end64)
	for i, s := range l.slices {
		x.line("MOVD %sP+%d(FP), R%d", s, first+8*i, arm64Registers[i])
	}
	if len(l.sums) > 0 {
		arguments += 8
	}
	if l.coef != "" {
		x.line("MOVD k+%d(FP), R26", arguments)
	}
	x.line("MOVD $loopConstants<>(SB), %s", table64)
	for i, o := range l.ops {
		if !o.fixed || o.kind == opConst && x.reg[i] < 0 {
			continue
		}
		to := max(x.reg[i], 0)
		switch {
		case o.kind == opNumber:
			from := fmt.Sprintf("%d(R26)", 4*o.place.slice)
			if l.coef == "" {
				from = fmt.Sprintf("%sN+%d(FP)", l.numbers[o.place.slice], arguments+4*o.place.slice)
			}
			x.line("FMOVS %s, F%d", from, to)
			x.line("VDUP V%d.S[0], V%[1]d.S4", to)
		case o.kind == opConst:
			x.constant(o.bits, to)
		default:
			x.op(i, to)
		}
		if x.slot[i] >= 0 {
			x.line("FMOVQ F%d, %s", to, x.stack(x.slot[i]))
		}
	}
	for i, s := range l.sums {
		for k := range x.unroll {
			if to := x.accumulator(i) - k; s.init == 0 {
				x.three("eor", to, to, to)
			} else {
				x.constant(s.init, to)
			}
		}
	}
	apart := end64
	if first > 8 {
		apart = "R25"
		x.line("MOVD m+8(FP), R25")
		x.line("LSL $2, R25, R25")
	}
	for i, o := range offsets {
		if i == 0 {
			x.line("MOVD $0, R%d", o)
		} else {
			x.line("ADD R%d, %s, R%d", offsets[i-1], apart, o)
		}
	}
	turn := func(label, after string, size int, body func()) { // while so many bytes are left
		x.line("SUB R%d, %s, R25", offsets[0], end64)
		x.line("CMP $%d, R25", size)
		x.line("BLT %s", after)
		fmt.Fprintf(x, "%s:\n", label)
		body()
		for _, o := range offsets {
			x.line("ADD $%d, R%d", size, o)
		}
		x.line("SUB R%d, %s, R25", offsets[0], end64)
		x.line("CMP $%d, R25", size)
		x.line("BGE %s", label)
		fmt.Fprintf(x, "%s:\n", after)
	}
	if x.unroll > 1 {
		turn("several", "single", 16*x.unroll, func() {
			for x.at = range x.unroll {
				x.body()
			}
			x.at = 0
		})
	}
	turn("loop", "tail", 16, x.body)
	x.tail = true
	turn("one", "done", 4, x.body)
	x.tail = false
	x.finish()
	x.line("RET")
}

// body prints what an element goes through.
func (x *arm64) body() {
	next := x.turn(x.at)
	for i, o := range x.ops {
		switch {
		case o.fixed || o.kind == opSum:
		case next[i] && x.tail: // of the first lane alone
			x.copy(saved, x.reg[i])
			x.op(i, x.reg[i])
			x.line("VMOV V%d.S[0], V%d.S[0]", x.reg[i], saved)
			x.copy(x.reg[i], saved)
		default:
			x.op(i, x.reg[i])
		}
	}
}

// finish joins the accumulators of each sum and writes four partial sums of it.
func (x *arm64) finish() {
	if len(x.sums) == 0 {
		return
	}
	x.line("MOVD sums+%d(FP), R25", x.firstSlice()+8*len(x.slices))
	for i, s := range x.sums {
		r := x.accumulator(i)
		join := map[kind]string{opAdd: "fadd", opMax: "fmax"}[s.join]
		for step := 1; step < x.unroll; step *= 2 {
			for k := 0; k+step < x.unroll; k += 2 * step {
				x.three(join, r-k, r-k, r-k-step)
			}
		}
		x.line("FMOVQ F%d, %d(R25)", r, 16*i)
	}
}

// loopsARM64 is the file of loops for arm64.
func loopsARM64(loops []*loop) []byte {
	x := &arm64{}
	x.WriteString(assembly)
	for _, l := range loops {
		x.loop(l)
	}
	x.table(4)
	return []byte(x.String())
}
