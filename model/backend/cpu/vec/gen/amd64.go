package main

import (
	"fmt"
	"slices"
)

// An amd64 prints loops for processors with AVX2 and FMA, or with AVX-512: wide. Vectors have 8 or 16 numbers. The
// last ones of a row are read and written by a mask: K1, or Y15.
type amd64 struct {
	printer
	wide   bool
	letter string // of a register's name
	bytes  int    // of a vector
	merge  string // before a result of which only some lanes are written
}

func (x *amd64) vector(r int) string { return fmt.Sprint(x.letter, r) }

func (x *amd64) table(bits uint32) string {
	return fmt.Sprintf("loopConstants<>+%d(SB)", 32*x.number(bits))
}

func (x *amd64) stack(slot int) string {
	return fmt.Sprintf("number%d-%d(SP)", slot, x.bytes*(x.slots-slot))
}

// operand is an op's result, in a register or in memory; suffix is what an instruction's name then needs.
func (x *amd64) operand(o *op) (text, suffix string) {
	switch {
	case o.reg >= 0:
		return x.vector(o.reg), ""
	case o.slot >= 0:
		return x.stack(o.slot), ""
	case x.wide:
		suffix = ".BCST"
	}
	return x.table(o.bits), suffix
}

func (x *amd64) copy(o *op, to string) {
	from, _ := x.operand(o)
	switch {
	case from == to:
	case o.reg < 0 && o.slot < 0:
		x.line("VBROADCASTSS %s, %s", from, to)
	default:
		x.line("VMOVUPS %s, %s", from, to)
	}
}

// register is where an op's result lies, or is put if it lies in memory.
func (x *amd64) register(o *op, to string) string {
	if o.reg >= 0 {
		return x.vector(o.reg)
	}
	x.copy(o, to)
	return to
}

// product prints a·b + c, or c − a·b.
func (x *amd64) product(name string, a, b, c *op, to string) {
	if a.reg < 0 {
		a, b = b, a // the one in memory, if any, is b
	}
	as, _ := x.operand(a)
	bs, suffix := x.operand(b)
	cs, of := x.operand(c)
	switch {
	case to == as && c.reg >= 0 && to != cs:
		x.line("%s132PS%s %s, %s, %s%s", name, suffix, bs, cs, x.merge, to)
	case to == as && to != cs:
		x.line("%s213PS%s %s, %s, %s%s", name, of, cs, bs, x.merge, to)
	case to == bs && to != cs:
		x.line("%s213PS%s %s, %s, %s%s", name, of, cs, as, x.merge, to)
	default:
		x.copy(c, to)
		x.line("%s231PS%s %s, %s, %s%s", name, suffix, bs, as, x.merge, to)
	}
}

// amd64Two are instructions of two operands. The last two take their second one where either is a NaN.
var amd64Two = map[kind]string{opAdd: "VADDPS", opMul: "VMULPS", opAnd: "VPAND", opOr: "VPOR", opXor: "VPXOR",
	opAddInt: "VPADDD", opSub: "VSUBPS", opDiv: "VDIVPS", opEqual: "VPCMPEQD", opLess: "VCMPPS", opMin: "VMINPS",
	opMax: "VMAXPS"}

func (x *amd64) op(o *op, r int) {
	to := x.vector(r)
	var from, suffix string
	if len(o.args) > 0 {
		from, suffix = x.operand(o.args[0])
	}
	switch o.kind {
	case opCopy:
		x.copy(o.args[0], to)
	case opLoad:
		x.element(x.address(o.place), to, ".Z")
	case opStore:
		x.element(from, x.address(o.place), "")
	case opMulAdd:
		x.product("VFMADD", o.args[0], o.args[1], o.args[2], to)
	case opMulSub:
		x.product("VFNMADD", o.args[0], o.args[1], o.args[2], to)
	case opSqrt:
		x.line("VSQRTPS%s %s, %s", suffix, from, to)
	case opInverse: // 14 bits, or 12 with AVX2
		x.line("%s %s, %s", map[bool]string{false: "VRCPPS", true: "VRCP14PS"}[x.wide], from, to)
	case opShl:
		x.line("VPSLLD $%d, %s, %s", o.bits, from, to)
	case opSelect:
		yes, suffix := x.operand(o.args[1])
		if no := x.register(o.args[2], to); x.wide {
			x.line("VBLENDMPS%s %s, %s, K%d, %s", suffix, yes, no, o.args[0].reg+2, to)
		} else {
			x.line("VBLENDVPS %s, %s, %s, %s", from, yes, no, to)
		}
	default:
		name, predicate := amd64Two[o.kind], ""
		switch {
		case x.wide && (o.kind == opLess || o.kind == opEqual):
			to = fmt.Sprint("K", r+2)
		case x.wide && (o.kind == opAnd || o.kind == opOr || o.kind == opXor):
			name += "D"
		}
		if o.kind == opLess {
			predicate = "$17, "
		}
		first := x.register(o.args[0], to)
		second, suffix := x.operand(o.args[1])
		x.line("%s%s %s%s, %s, %s%s", name, suffix, predicate, second, first, x.merge, to)
	}
}

func (x *amd64) address(p place) string {
	base, offset := x.registers[p.slice], x.offsets[p.part]
	if n := x.at * x.bytes; n > 0 {
		return fmt.Sprintf("%d(%s)(%s*1)", n, base, offset)
	}
	return fmt.Sprintf("(%s)(%s*1)", base, offset)
}

// element prints a load, whose missing lanes are 0, or a store.
func (x *amd64) element(from, to, zero string) {
	switch {
	case !x.tail:
		x.line("VMOVUPS %s, %s", from, to)
	case x.wide:
		x.line("VMOVUPS%s %s, K1, %s", zero, from, to)
	default:
		x.line("VMASKMOVPS %s, Y15, %s", from, to)
	}
}

func (x *amd64) loop(l *loop) {
	level, target := "AVX2", processor{registers: 15, operands: true}
	x.letter, x.bytes = "Y", 32
	switch {
	case x.wide:
		level, target.registers, target.masks = "AVX512", 32, 6
		x.letter, x.bytes = "Z", 64
	case len(l.sums) > 0:
		target.registers = 14 // Y14 keeps what a sum was
	}
	x.plan = l.fused().plan(target)
	x.end = x.registers[len(l.slices)+slices.Max(l.parts())]
	x.start(level, x.bytes*x.slots)
	x.print(x)
	x.line("VZEROUPPER")
	x.line("RET")
}

func (x *amd64) add(a, b, to string) { x.line("LEAQ (%s)(%s*1), %s", a, b, to) }

func (x *amd64) keep(r, slot int) { x.line("VMOVUPS %s, %s", x.vector(r), x.stack(slot)) }

func (x *amd64) broadcast(from string, to int) { x.line("VBROADCASTSS %s, %s", from, x.vector(to)) }

func (x *amd64) constant(bits uint32, to int) {
	if bits == 0 { // what is written to the lower half clears the rest
		x.line("VXORPS X%d, X%[1]d, X%[1]d", to)
	} else {
		x.broadcast(x.table(bits), to)
	}
}

// turns keeps end as many bytes below the end as a turn takes.
func (x *amd64) turns(body func()) {
	first := x.offsets[0]
	turn := func(label string, size int) {
		fmt.Fprintf(x, "%s:\n", label)
		for x.at = range size / x.bytes {
			body()
		}
		x.at = 0
		for _, o := range x.offsets {
			x.line("ADDQ $%d, %s", size, o)
		}
		x.line("CMPQ %s, %s", first, x.end)
		x.line("JLE %s", label)
	}
	x.line("SUBQ $%d, %s", x.unroll*x.bytes, x.end)
	if x.unroll > 1 {
		x.line("JLT single")
		turn("several", x.unroll*x.bytes)
		x.WriteString("single:\n")
		x.line("ADDQ $%d, %s", (x.unroll-1)*x.bytes, x.end)
	}
	x.line("CMPQ %s, %s", first, x.end)
	x.line("JGT tail")
	x.line("PCALIGN $32")
	turn("loop", x.bytes)
	x.WriteString("tail:\n")
	x.line("ADDQ $%d, %s", x.bytes, x.end)
	x.line("SUBQ %s, %s", first, x.end)
	x.line("JEQ done")
	if x.wide {
		x.line("SHRQ $2, %s", x.end)
		x.line("MOVL $-1, AX")
		x.line("BZHIL %s, AX, AX", x.end)
		x.line("KMOVW AX, K1")
	} else {
		x.line("LEAQ loopMask<>+32(SB), AX")
		x.line("SUBQ %s, AX", x.end)
		x.line("VMOVUPS (AX), Y15")
	}
	x.tail = true
	body()
	x.WriteString("done:\n")
}

// last lets stay what a sum has in lanes that do not exist.
func (x *amd64) last(o *op) {
	if x.wide {
		x.merge = "K1, "
		x.op(o, o.reg)
		x.merge = ""
		return
	}
	x.line("VMOVUPS Y%d, Y14", o.reg)
	x.op(o, o.reg)
	x.line("VBLENDVPS Y15, Y%d, Y14, Y%[1]d", o.reg)
}

func (x *amd64) join(s *sum, to, from int) {
	x.line("%s %s, %s, %[3]s", amd64Two[s.join], x.vector(from), x.vector(to))
}

func (x *amd64) total(s *sum, r int, at string) {
	half := "VEXTRACTF128"
	if x.wide {
		half = "VEXTRACTF32X4"
		x.line("VEXTRACTF64X4 $1, Z%d, Y0", r)
		x.line("%s Y0, Y%d, Y%[2]d", amd64Two[s.join], r)
	}
	x.line("%s $1, Y%d, X0", half, r)
	x.line("%s X0, X%d, X%[2]d", amd64Two[s.join], r)
	x.line("VMOVUPS X%d, %s", r, at)
}

func loopsAMD64(plain *plainLoops) []byte {
	x := &amd64{printer: printer{move: "MOVQ", shift: "SHLQ", clear: "XORL %s, %[1]s", passing: "AX"}}
	x.registers = []string{"BX", "CX", "DX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}
	x.WriteString(assembly)
	for _, name := range plain.names {
		for _, x.wide = range []bool{true, false} {
			x.loop(plain.read(name, 1))
		}
	}
	x.constants(8)
	x.WriteString("\n")
	for i := range 4 {
		fmt.Fprintf(x, "DATA loopMask<>+%d(SB)/8, $-1\n", 8*i)
	}
	x.WriteString("GLOBL loopMask<>(SB), RODATA|NOPTR, $64\n")
	return []byte(x.String())
}
