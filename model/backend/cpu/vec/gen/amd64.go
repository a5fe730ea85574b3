package main

import (
	"fmt"
	"strings"
)

// An amd64 prints loops for processors with AVX2 and FMA, or with AVX-512: wide. Vectors have 8 or 16 numbers. The
// last ones of a row are read and written by a mask: K1, or Y15.
type amd64 struct {
	printer
	wide  bool
	merge string // before a result of which only some lanes are written
}

// The integer registers that pointers and offsets lie in. AX is for what passes.
var amd64Registers = []string{"BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

func (x *amd64) vector(r int) string {
	if x.wide {
		return fmt.Sprint("Z", r)
	}
	return fmt.Sprint("Y", r)
}

func (x *amd64) level() string {
	if x.wide {
		return "AVX512"
	}
	return "AVX2"
}

func (x *amd64) bytes() int {
	if x.wide {
		return 64
	}
	return 32
}

// constant is where the table has a number: in eight lanes.
func (x *amd64) constant(bits uint32) string {
	return fmt.Sprintf("loopConstants<>+%d(SB)", 32*x.number(bits))
}

// operand is an op's result, in a register or in memory; suffix is what an instruction's name then needs.
func (x *amd64) operand(i int) (text, suffix string) {
	switch {
	case x.reg[i] >= 0:
		return x.vector(x.reg[i]), ""
	case x.slot[i] >= 0:
		return fmt.Sprintf("number%d-%d(SP)", x.slot[i], x.bytes()*(x.slots-x.slot[i])), ""
	}
	if x.wide {
		suffix = ".BCST"
	}
	return x.constant(x.ops[i].bits), suffix
}

// move puts an op's result into a register.
func (x *amd64) move(i int, to string) {
	from, suffix := x.operand(i)
	switch {
	case from == to:
	case suffix != "" || x.reg[i] < 0 && x.slot[i] < 0:
		x.line("VBROADCASTSS %s, %s", from, to)
	default:
		x.line("VMOVUPS %s, %s", from, to)
	}
}

// two prints an instruction of two operands; only the second may be in memory.
func (x *amd64) two(name string, a, b int, to string) {
	first := to
	if x.reg[a] >= 0 {
		first, _ = x.operand(a)
	} else {
		x.move(a, to)
	}
	second, suffix := x.operand(b)
	x.line("%s%s %s, %s, %s%s", name, suffix, second, first, x.merge, to)
}

// product prints a·b + c, or c − a·b.
func (x *amd64) product(name string, a, b, c int, to string) {
	if x.reg[a] < 0 {
		a, b = b, a // the one in memory, if any, is b
	}
	as, _ := x.operand(a)
	bs, suffix := x.operand(b)
	cs, of := x.operand(c)
	switch {
	case to == as && x.reg[c] >= 0 && to != cs:
		x.line("%s132PS%s %s, %s, %s%s", name, suffix, bs, cs, x.merge, to)
	case to == as && to != cs:
		x.line("%s213PS%s %s, %s, %s%s", name, of, cs, bs, x.merge, to)
	case to == bs && to != cs:
		x.line("%s213PS%s %s, %s, %s%s", name, of, cs, as, x.merge, to)
	default:
		x.move(c, to)
		x.line("%s231PS%s %s, %s, %s%s", name, suffix, bs, as, x.merge, to)
	}
}

// result is the register that an op's result goes to.
func (x *amd64) result(i int) string {
	if o := x.ops[i]; x.wide && (o.kind == opLess || o.kind == opEqual) {
		return fmt.Sprint("K", x.reg[i]+2)
	}
	return x.vector(x.reg[i])
}

// op prints an op into a register.
func (x *amd64) op(i int, to string) {
	o := x.ops[i]
	arg := func(k int) int { return o.args[k] }
	both := func(narrow, wide string) string {
		if x.wide {
			return wide
		}
		return narrow
	}
	switch o.kind {
	case opCopy:
		x.move(arg(0), to)
	case opLoad:
		switch {
		case !x.tail:
			x.line("VMOVUPS %s, %s", x.address(o.place), to)
		case x.wide:
			x.line("VMOVUPS.Z %s, K1, %s", x.address(o.place), to)
		default:
			x.line("VMASKMOVPS %s, Y15, %s", x.address(o.place), to)
		}
	case opStore:
		from, _ := x.operand(arg(0))
		switch {
		case !x.tail:
			x.line("VMOVUPS %s, %s", from, x.address(o.place))
		case x.wide:
			x.line("VMOVUPS %s, K1, %s", from, x.address(o.place))
		default:
			x.line("VMASKMOVPS %s, Y15, %s", from, x.address(o.place))
		}
	case opAdd, opMul, opAnd, opOr, opXor, opAddInt:
		a, b := arg(0), arg(1)
		if x.reg[a] < 0 {
			a, b = b, a
		}
		x.two(map[kind]string{opAdd: "VADDPS", opMul: "VMULPS", opAnd: both("VPAND", "VPANDD"),
			opOr: both("VPOR", "VPORD"), opXor: both("VPXOR", "VPXORD"), opAddInt: "VPADDD"}[o.kind], a, b, to)
	case opSub, opDiv:
		x.two(map[kind]string{opSub: "VSUBPS", opDiv: "VDIVPS"}[o.kind], arg(0), arg(1), to)
	case opMin, opMax: // of a NaN and a number the instruction takes its second operand
		x.two(map[kind]string{opMin: "VMINPS", opMax: "VMAXPS"}[o.kind], arg(0), arg(1), to)
	case opMulAdd:
		x.product("VFMADD", arg(0), arg(1), arg(2), to)
	case opMulSub:
		x.product("VFNMADD", arg(0), arg(1), arg(2), to)
	case opSqrt:
		from, suffix := x.operand(arg(0))
		x.line("VSQRTPS%s %s, %s", suffix, from, to)
	case opInverse: // 14 bits, or 12 with AVX2
		from, _ := x.operand(arg(0))
		x.line("%s %s, %s", both("VRCPPS", "VRCP14PS"), from, to)
	case opShl:
		from, _ := x.operand(arg(0))
		x.line("VPSLLD $%d, %s, %s", o.bits, from, to)
	case opLess, opEqual:
		x.compare(o, to)
	case opSelect:
		yes, suffix := x.operand(arg(1))
		no := to
		if x.reg[arg(2)] >= 0 {
			no, _ = x.operand(arg(2))
		} else {
			x.move(arg(2), to)
		}
		if x.wide {
			x.line("VBLENDMPS%s %s, %s, K%d, %s", suffix, yes, no, x.reg[arg(0)]+2, to)
		} else {
			x.line("VBLENDVPS Y%d, %s, %s, %s", x.reg[arg(0)], yes, no, to)
		}
	}
}

func (x *amd64) compare(o op, to string) {
	a, b := o.args[0], o.args[1]
	less, equal := 17, "VPCMPEQD"
	if x.reg[a] < 0 {
		a, b, less = b, a, 30 // greater
	}
	as, _ := x.operand(a)
	bs, suffix := x.operand(b)
	if o.kind == opEqual {
		x.line("%s%s %s, %s, %s", equal, suffix, bs, as, to)
	} else {
		x.line("VCMPPS%s $%d, %s, %s, %s", suffix, less, bs, as, to)
	}
}

// address is where an element of a slice lies.
func (x *amd64) address(p place) string {
	offset := amd64Registers[len(x.slices)+p.part]
	if n := x.at * x.bytes(); n > 0 && !x.tail {
		return fmt.Sprintf("%d(%s)(%s*1)", n, amd64Registers[p.slice], offset)
	}
	return fmt.Sprintf("(%s)(%s*1)", amd64Registers[p.slice], offset)
}

// parts is how many parts of slices the loop reads or writes.
func (l *loop) parts() int {
	n := 1
	for _, o := range l.ops {
		n = max(n, o.place.part+1)
	}
	return n
}

// loop prints a loop.
func (x *amd64) loop(l *loop) {
	target := processor{registers: 15, operands: true, unroll: 1}
	switch {
	case x.wide:
		target.registers, target.masks = 32, 6
	case len(l.sums) > 0:
		target.registers = 14 // Y14 keeps what a sum was
	}
	if l.pure() {
		target.unroll = 4
	}
	l = l.fused().estimated(1)
	x.plan, x.tail, x.at = l.place(target), false, 0
	parts, bytes := l.parts(), x.bytes()
	end := amd64Registers[len(l.slices)+parts]
	offsets := amd64Registers[len(l.slices):][:parts]
	first := l.firstSlice()
	arguments := first + 8*len(l.slices)

	fmt.Fprintf(x, "\n// func %s%s(%s)\n", l.name, x.level(), l.parameters())
	frame := bytes * x.slots
	size := l.argumentBytes()
	fmt.Fprintf(x, "TEXT ·%s%s(SB), NOSPLIT, $%d-%d\n", l.name, x.level(), frame, size)
	x.line("MOVQ n+0(FP), %s", end)
	x.line("SHLQ $2, %s", end)
	for i, s := range l.slices {
		x.line("MOVQ %sP+%d(FP), %s", s, first+8*i, amd64Registers[i])
	}
	if len(l.sums) > 0 {
		arguments += 8
	}
	if l.coef != "" {
		x.line("MOVQ k+%d(FP), AX", arguments)
	}
	for i, o := range l.ops {
		if !o.fixed || o.kind == opConst && x.reg[i] < 0 {
			continue
		}
		to := x.vector(0)
		if x.reg[i] >= 0 {
			to = x.vector(x.reg[i])
		}
		switch {
		case o.kind == opNumber && l.coef != "":
			x.line("VBROADCASTSS %d(AX), %s", 4*o.place.slice, to)
		case o.kind == opNumber:
			x.line("VBROADCASTSS %sN+%d(FP), %s", l.numbers[o.place.slice], arguments+4*o.place.slice, to)
		case o.kind == opConst && o.bits == 0:
			x.line("VXORPS %s, %s, %s", to0(to), to0(to), to0(to))
		case o.kind == opConst:
			x.line("VBROADCASTSS %s, %s", x.constant(o.bits), to)
		default:
			x.op(i, to)
		}
		if x.slot[i] >= 0 {
			at, _ := x.operand(i)
			x.line("VMOVUPS %s, %s", to, at)
		}
	}
	for i, s := range l.sums {
		for k := range x.unroll {
			to := x.vector(x.accumulator(i) - k)
			if s.init == 0 {
				x.line("%s %s, %s, %s", map[bool]string{false: "VXORPS", true: "VPXORD"}[x.wide], to, to, to)
			} else {
				x.line("VBROADCASTSS %s, %s", x.constant(s.init), to)
			}
		}
	}
	apart := end
	if first > 8 {
		apart = "AX"
		x.line("MOVQ m+8(FP), AX")
		x.line("SHLQ $2, AX")
	}
	for i, o := range offsets {
		if i == 0 {
			x.line("XORL %s, %[1]s", o)
		} else {
			x.line("LEAQ (%s)(%s*1), %s", offsets[i-1], apart, o)
		}
	}
	if x.unroll > 1 {
		x.line("SUBQ $%d, %s", x.unroll*bytes, end)
		x.line("JLT single")
		fmt.Fprintf(x, "several:\n")
		for x.at = range x.unroll {
			x.body()
		}
		x.at = 0
		for _, o := range offsets {
			x.line("ADDQ $%d, %s", x.unroll*bytes, o)
		}
		x.line("CMPQ %s, %s", offsets[0], end)
		x.line("JLE several")
		fmt.Fprintf(x, "single:\n")
		x.line("ADDQ $%d, %s", (x.unroll-1)*bytes, end)
	} else {
		x.line("SUBQ $%d, %s", bytes, end)
	}
	x.line("CMPQ %s, %s", offsets[0], end)
	x.line("JGT tail")
	x.line("PCALIGN $32")
	fmt.Fprintf(x, "loop:\n")
	x.body()
	for _, o := range offsets {
		x.line("ADDQ $%d, %s", bytes, o)
	}
	x.line("CMPQ %s, %s", offsets[0], end)
	x.line("JLE loop")
	fmt.Fprintf(x, "tail:\n")
	x.line("ADDQ $%d, %s", bytes, end)
	x.line("SUBQ %s, %s", offsets[0], end)
	x.line("JEQ done")
	if x.wide {
		x.line("SHRQ $2, %s", end)
		x.line("MOVL $-1, AX")
		x.line("BZHIL %s, AX, AX", end)
		x.line("KMOVW AX, K1")
	} else {
		x.line("LEAQ loopMask<>+32(SB), AX")
		x.line("SUBQ %s, AX", end)
		x.line("VMOVUPS (AX), Y15")
	}
	x.tail = true
	x.body()
	x.tail = false
	fmt.Fprintf(x, "done:\n")
	x.finish()
	x.line("VZEROUPPER")
	x.line("RET")
}

// to0 is the register's lower half: what is written there clears the rest.
func to0(r string) string { return "X" + strings.TrimLeft(r, "YZ") }

// body prints what an element goes through.
func (x *amd64) body() {
	next := x.turn(x.at)
	for i, o := range x.ops {
		switch to := x.result(i); {
		case o.fixed || o.kind == opSum:
		case !next[i] || !x.tail:
			x.op(i, to)
		case x.wide:
			x.merge = "K1, " // lanes that do not exist stay
			x.op(i, to)
			x.merge = ""
		default:
			x.line("VMOVUPS %s, Y14", to)
			x.op(i, to)
			x.line("VBLENDVPS Y15, %s, Y14, %[1]s", to)
		}
	}
}

// finish joins the accumulators of each sum and writes four partial sums of it.
func (x *amd64) finish() {
	if len(x.sums) == 0 {
		return
	}
	x.line("MOVQ sums+%d(FP), AX", x.firstSlice()+8*len(x.slices))
	for i, s := range x.sums {
		r := x.accumulator(i)
		join := map[kind]string{opAdd: "VADDPS", opMax: "VMAXPS"}[s.join]
		for step := 1; step < x.unroll; step *= 2 {
			for k := 0; k+step < x.unroll; k += 2 * step {
				x.line("%s %s, %s, %[3]s", join, x.vector(r-k-step), x.vector(r-k))
			}
		}
		if x.wide {
			x.line("VEXTRACTF64X4 $1, Z%d, Y0", r)
			x.line("%s Y0, Y%d, Y%[2]d", join, r)
		}
		x.line("%s $1, Y%d, X0", map[bool]string{false: "VEXTRACTF128", true: "VEXTRACTF32X4"}[x.wide], r)
		x.line("%s X0, X%d, X%[2]d", join, r)
		x.line("VMOVUPS X%d, %d(AX)", r, 16*i)
	}
}

// loopsAMD64 is the file of loops for amd64.
func loopsAMD64(loops []*loop) []byte {
	x := &amd64{}
	x.WriteString(assembly)
	for _, l := range loops {
		for _, x.wide = range []bool{true, false} {
			x.loop(l)
		}
	}
	x.table(8)
	x.WriteString("\n")
	for i := range 4 {
		fmt.Fprintf(x, "DATA loopMask<>+%d(SB)/8, $-1\n", 8*i)
	}
	x.WriteString("GLOBL loopMask<>(SB), RODATA|NOPTR, $64\n")
	return []byte(x.String())
}
