package main

import (
	"fmt"
	"strings"
)

// A neonTile prints kernels for arm64. B's row lies in V16 to V19, numbers of A in V20 to V23, differences in V24 and
// V25.
type neonTile struct{ tile }

// vectors is a list of registers from one on, for a row.
func (t *neonTile) vectors(first int) string {
	var list []string
	for v := range t.vecs {
		list = append(list, fmt.Sprintf("V%d.S4", first+v))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (t *neonTile) zero(r int) { t.line("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", r) }

// step adds the products of a row of B; lane is where A's number lies in its register.
func (t *neonTile) step(lane int) {
	t.line("VLD1.P %d(R4), %s", 16*t.vecs, t.vectors(16))
	for r := range t.rows {
		number, at := 20+r, lane
		if t.kind == mulTN {
			number, at = 20, r
		}
		if t.kind == sqDist {
			t.line("VDUP V%d.S[%d], V24.S4", number, at)
		}
		for v := range t.vecs {
			sum := r*t.vecs + v
			if t.kind == sqDist {
				t.line("WORD $0x%08x // fsub v25.4s, v24.4s, v%d.4s", 0x4ea0d400|(16+v)<<16|24<<5|25, 16+v)
				t.line("VFMLA V25.S4, V25.S4, V%d.S4", sum)
				continue
			}
			code := 0x4f801000 | (at&1)<<21 | number<<16 | (at>>1)<<11 | (16+v)<<5 | sum
			t.line("WORD $0x%08x // fmla v%d.4s, v%d.4s, v%d.s[%d]", code, sum, 16+v, number, at)
		}
	}
}

// turn is a loop of some steps at a time; it ends with fewer left in R5.
func (t *neonTile) turn(label, after string, steps int) {
	t.line("CMP $%d, R5", steps)
	t.line("BLT %s", after)
	fmt.Fprintf(t, "%s:\n", label)
	load := map[int]string{1: "FMOVS", 2: "FMOVD", 4: "FMOVQ"}
	for r := 0; r < t.rows && t.kind != mulTN; r++ {
		t.line("%s.P %d(R%d), F%d", load[steps], 4*steps, r, 20+r)
	}
	for u := range steps {
		if t.kind == mulTN {
			t.line("%s (R0), F20", load[t.rows])
			t.line("ADD R6, R0")
		}
		t.step(u)
	}
	t.line("SUB $%d, R5", steps)
	t.line("CMP $%d, R5", steps)
	t.line("BGE %s", label)
}

func (t *neonTile) loops() {
	t.turn("several", "single", 4)
	t.WriteString("single:\n")
	t.turn("loop", "sums", 1)
}

func (t *neonTile) choose() {
	t.load(offAdd, "R8")
	t.line("CBZ R8, store")
	if t.kind == mul {
		t.line("CMP $2, R8")
		t.line("BEQ bias")
	}
}

func (t *neonTile) row(first int, store bool) {
	if store {
		t.line("VST1 %s, (R9)", t.vectors(first))
	} else {
		t.line("VLD1 (R9), %s", t.vectors(first))
	}
}

func (t *neonTile) add(r, to int) {
	t.line("WORD $0x%08x // fadd v%d.4s, v%[2]d.4s, v%d.4s", 0x4e20d400|r<<16|to<<5|to, to, r)
}

func (t *neonTile) end() { t.line("RET") }

// tilesARM64 is the file of the kernels of products and squared distances for arm64, and of the table of them.
func tilesARM64() []byte {
	t := &neonTile{tile{move: "MOVD", jump: "B", base: "R7", a: []string{"R0", "R1", "R2", "R3"}, b: "R4", k: "R5",
		lda: "R6", from: "R9", lanes: 4, right: 16}}
	t.WriteString(assembly + "\n")
	t.table(t, "NEON", 4, 16)
	t.WriteString(runTileNEON)
	return []byte(t.String())
}

// runTileNEON jumps to a kernel of the table; the kernel returns to its caller.
const runTileNEON = `// func runTileNEON(t *tile, form int)
TEXT ·runTileNEON(SB), NOSPLIT|NOFRAME, $0-16
	MOVD t+0(FP), R7
	MOVD form+8(FP), R8
	MOVD $tilesNEON<>(SB), R9
	MOVD (R9)(R8<<3), R9
	JMP (R9)
`
