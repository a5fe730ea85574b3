package main

import (
	"fmt"
	"strings"
)

// An avxTile prints kernels for amd64: in R12 the step. After B's row come a number of A, and what is free.
type avxTile struct {
	tile
	wide         bool
	steps        int // in a turn of the loop
	number, free int
}

func (t *avxTile) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !t.wide || t.columns == 8 { // with AVX-512 half a vector: more of them are loaded in a cycle
		text = strings.ReplaceAll(text, " Z", " Y")
	}
	t.tile.line("%s", text)
}

func (t *avxTile) zero(r int) { t.line("VXORPS Z%d, Z%[1]d, Z%[1]d", r) }

func (t *avxTile) step(u int) {
	for v := range t.vecs {
		t.line("VMOVUPS %d(R10), Z%d", 4*t.columns*u+4*t.lanes*v, t.right+v)
	}
	for r := range t.rows {
		from := fmt.Sprintf("%d(%s)(R12*4)", 4*u, t.a[r])
		if t.kind == mulTN {
			from = fmt.Sprintf("%d(AX)", 4*r)
		}
		number := t.number + r%2
		if t.kind == sqDist && t.wide {
			for v := range t.vecs {
				difference := t.free + (r*t.vecs+v)%12
				t.line("VSUBPS.BCST %s, Z%d, Z%d", from, t.right+v, difference)
				t.line("VFMADD231PS Z%d, Z%[1]d, Z%d", difference, r*t.vecs+v)
			}
			continue
		}
		t.line("VBROADCASTSS %s, Z%d", from, number)
		for v := range t.vecs {
			left, right := t.right+v, number
			if t.kind == sqDist {
				t.line("VSUBPS Z%d, Z%d, Z%d", number, t.right+v, t.free+v)
				left, right = t.free+v, t.free+v
			}
			t.line("VFMADD231PS Z%d, Z%d, Z%d", left, right, r*t.vecs+v)
		}
	}
	if t.kind == mulTN {
		t.line("ADDQ BX, AX")
	}
}

func (t *avxTile) loops() {
	t.line("XORL R12, R12")
	turn := func(label string, steps int) {
		t.line("PCALIGN $64") // a loop that begins in the middle of a line of decoded instructions is slower
		fmt.Fprintf(t, "%s:\n", label)
		for u := range steps {
			t.step(u)
		}
		t.line("ADDQ $%d, R10", 4*t.columns*steps)
		t.line("ADDQ $%d, R12", steps)
		t.line("CMPQ R12, R11")
		t.line("JLT %s", label)
	}
	if more := t.steps - 1; more > 0 {
		t.line("SUBQ $%d, R11", more)
		t.line("CMPQ R12, R11")
		t.line("JGE severalDone")
		turn("several", t.steps)
		t.WriteString("severalDone:\n")
		t.line("ADDQ $%d, R11", more)
		t.line("CMPQ R12, R11")
		t.line("JGE sums")
	}
	turn("loop", 1)
}

func (t *avxTile) choose() {
	if t.wide {
		for v, offset := range []int{offMask0, offMask1} {
			t.load(offset, "AX")
			t.line("KMOVW AX, K%d", v+1)
		}
	} else {
		t.load(offLanes, "AX")
		for v := range t.vecs {
			t.line("VMOVUPS %d(AX), Y%d", 32*v, 14+v)
		}
	}
	t.line("CMPQ %d(R13), $1", offAdd)
	t.line("JLT store")
	if t.kind == mul {
		t.line("JGT bias")
	}
}

func (t *avxTile) row(first int, store bool) {
	for v := range t.vecs {
		name, mask, zero := "VMASKMOVPS", fmt.Sprint("Y", 14+v), ""
		if t.wide {
			name, mask, zero = "VMOVUPS", fmt.Sprint("K", v+1), ".Z"
		}
		if at := 4 * t.lanes * v; store {
			t.line("%s Z%d, %s, %d(AX)", name, first+v, mask, at)
		} else {
			t.line("%s%s %d(AX), %s, Z%d", name, zero, at, mask, first+v)
		}
	}
}

func (t *avxTile) add(r, to int) { t.line("VADDPS Z%d, Z%d, Z%[2]d", r, to) }

// end: the caller goes on with legacy SSE instructions, which would wait for the wide registers.
func (t *avxTile) end() {
	t.line("VZEROUPPER")
	t.line("RET")
}

// tilesAMD64 is the file of the kernels of products and squared distances for amd64, and of two tables of them.
func tilesAMD64() []byte {
	common := tile{move: "MOVQ", jump: "JMP", base: "R13", b: "R10", k: "R11", lda: "BX", from: "AX",
		a: []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9"}}
	t := &avxTile{tile: common, wide: true, steps: 1, number: 30, free: 16}
	t.lanes, t.right = 16, 28
	t.WriteString(assembly + "\n")
	t.table(t, "AVX512", 8, 32)
	fmt.Fprintf(t, runTile, "AVX512")
	t.wide, t.steps, t.number, t.free = false, 4, 10, 12
	t.lanes, t.right = 8, 8
	t.table(t, "AVX2", 4, 16)
	fmt.Fprintf(t, runTile, "AVX2")
	return []byte(t.String())
}

// runTile jumps to a kernel of a table; the kernel returns to runTile's caller.
const runTile = `// func runTile%[1]s(t *tile, form int)
TEXT ·runTile%[1]s(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), R13
	MOVQ form+8(FP), AX
	LEAQ tiles%[1]s<>(SB), BX
	MOVQ (BX)(AX*8), AX
	JMP AX

`
