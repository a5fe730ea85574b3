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

// word prints an instruction that Go's assembler does not know.
func (x *arm64) word(code uint32, format string, args ...any) {
	x.line("WORD $0x%08x // "+format, append([]any{code}, args...)...)
}

// three are instructions of vectors d = n op m: a code and the manual's name, or Go's name and the kind of lanes.
var three = map[kind]struct {
	code uint32
	name string
}{
	opAdd: {0x4e20d400, "fadd"}, opSub: {0x4ea0d400, "fsub"}, opMul: {0x6e20dc00, "fmul"}, opDiv: {0x6e20fc00, "fdiv"},
	opMax: {0x4e20f400, "fmax"}, opMin: {0x4ea0f400, "fmin"}, opLess: {0x6ea0e400, "fcmgt"},
	opMulAdd: {0, "VFMLA S4"}, opMulSub: {0, "VFMLS S4"}, opAddInt: {0, "VADD S4"}, opAnd: {0, "VAND B16"},
	opOr: {0, "VORR B16"}, opXor: {0, "VEOR B16"}, opSelect: {0, "VBSL B16"}, opEqual: {0, "VCMEQ S4"},
	opSqrt: {0x6ea1f800, "fsqrt"}, opInverse: {0x4ea1d800, "frecpe"}, // of one operand; the estimate has 8 bits
}

func (x *arm64) three(k kind, d, n, m int) {
	t := three[k]
	if name, lanes, ok := strings.Cut(t.name, " "); ok {
		x.line("%s V%d.%s, V%d.%[3]s, V%[5]d.%[3]s", name, m, lanes, n, d)
		return
	}
	x.word(t.code|uint32(m<<16|n<<5|d), "%s v%d.4s, v%d.4s, v%d.4s", t.name, d, n, m)
}

func (x *arm64) copy(d, n int) {
	if d != n {
		x.line("VMOV V%d.B16, V%d.B16", n, d)
	}
}

func (x *arm64) table(bits uint32, to int) { x.line("FMOVQ %d(R24), F%d", 16*x.number(bits), to) }

// operand is an op's result, in its register or read into another one.
func (x *arm64) operand(o *op, scratch int) int {
	switch {
	case o.reg >= 0:
		return o.reg
	case o.slot >= 0:
		x.line("FMOVQ %s, F%d", x.stack(o.slot), scratch)
	default:
		x.table(o.bits, scratch)
	}
	return scratch
}

func (x *arm64) element(p place, r int, store bool) {
	from := x.offsets[p.part]
	if x.at > 0 {
		x.line("ADD $%d, %s, R25", 16*x.at, from)
		from = "R25"
	}
	code, name, size := uint32(0x3ce06800), "ldr", "q"
	if store {
		code, name = 0x3ca06800, "str"
	}
	if x.tail {
		code, size = code&^0x00800000|0x80000000, "s"
	}
	var base, offset int
	fmt.Sscanf(x.registers[p.slice]+from, "R%dR%d", &base, &offset)
	x.word(code|uint32(offset<<16|base<<5|r), "%s %s%d, [x%d, x%d]", name, size, r, base, offset)
}

func (x *arm64) op(o *op, to int) {
	a := func(k int) int { return x.operand(o.args[k], scratch0+k%2) }
	switch o.kind {
	case opCopy:
		x.copy(to, a(0))
	case opLoad:
		x.element(o.place, to, false)
	case opStore:
		x.element(o.place, a(0), true)
	case opLess:
		n, m := a(0), a(1)
		x.three(o.kind, to, m, n)
	case opMulAdd, opMulSub:
		x.copy(to, x.operand(o.args[2], to))
		n, m := a(0), a(1)
		x.three(o.kind, to, n, m)
	case opSqrt, opInverse:
		t, n := three[o.kind], a(0)
		x.word(t.code|uint32(n<<5|to), "%s v%d.4s, v%d.4s", t.name, to, n)
	case opShl:
		x.line("VSHL $%d, V%d.S4, V%d.S4", o.bits, a(0), to)
	case opSelect: // the mask's register becomes the result
		x.copy(to, o.args[0].reg)
		x.three(o.kind, to, x.operand(o.args[1], scratch0), x.operand(o.args[2], scratch1))
	default:
		n, m := a(0), a(1)
		x.three(o.kind, to, n, m)
	}
}

func (x *arm64) loop(l *loop) {
	x.plan = l.fused().plan(processor{registers: saved})
	frame := 0
	if x.slots > 0 {
		frame = 16*x.slots + 16
	}
	x.start("NEON", frame)
	x.line("MOVD $loopConstants<>(SB), R24")
	x.print(x)
	x.line("RET")
}

func (x *arm64) add(a, b, to string) { x.line("ADD %s, %s, %s", a, b, to) }

func (x *arm64) stack(slot int) string { return fmt.Sprintf("%d(RSP)", 16*slot+16) }

func (x *arm64) keep(r, slot int) { x.line("FMOVQ F%d, %s", r, x.stack(slot)) }

func (x *arm64) broadcast(from string, to int) {
	x.line("FMOVS %s, F%d", from, to)
	x.line("VDUP V%d.S[0], V%[1]d.S4", to)
}

func (x *arm64) constant(bits uint32, to int) {
	if bits == 0 {
		x.three(opXor, to, to, to)
	} else {
		x.table(bits, to)
	}
}

func (x *arm64) turns(body func()) {
	turn := func(label, after string, size, elements int) { // while that many bytes are left
		left := func(branch, to string) {
			x.line("SUB %s, %s, R25", x.offsets[0], x.end)
			x.line("CMP $%d, R25", size)
			x.line("%s %s", branch, to)
		}
		left("BLT", after)
		fmt.Fprintf(x, "%s:\n", label)
		for x.at = range elements {
			body()
		}
		x.at = 0
		for _, o := range x.offsets {
			x.line("ADD $%d, %s", size, o)
		}
		left("BGE", label)
		fmt.Fprintf(x, "%s:\n", after)
	}
	if x.unroll > 1 {
		turn("several", "single", 16*x.unroll, x.unroll)
	}
	turn("loop", "tail", 16, 1)
	x.tail = true
	turn("one", "done", 4, 1)
}

// last is of the first lane alone.
func (x *arm64) last(o *op) {
	x.copy(saved, o.reg)
	x.op(o, o.reg)
	x.line("VMOV V%d.S[0], V%d.S[0]", o.reg, saved)
	x.copy(o.reg, saved)
}

func (x *arm64) join(s *sum, to, from int) { x.three(s.join, to, to, from) }

func (x *arm64) total(_ *sum, r int, at string) { x.line("FMOVQ F%d, %s", r, at) }

// loopsARM64 is the file of loops for arm64. In R24 is the table of constants.
func loopsARM64(plain *plainLoops) []byte {
	x := &arm64{printer{move: "MOVD", shift: "LSL", clear: "MOVD $0, %s", end: "R23", passing: "R25"}}
	for _, r := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22} {
		x.registers = append(x.registers, fmt.Sprint("R", r))
	}
	x.WriteString(assembly)
	for _, name := range plain.names {
		x.loop(plain.read(name, 2))
	}
	x.constants(4)
	return []byte(x.String())
}
