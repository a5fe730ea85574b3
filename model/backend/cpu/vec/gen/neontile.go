package main

import (
	"fmt"
	"strings"
)

// A neonTile prints the kernel of rows × columns for arm64. It finds the tile in R7. The sums lie in V0 to V15, B's
// row in V16 to V19, numbers of A in V20 to V23, differences in V24 and V25.
type neonTile struct {
	strings.Builder
	name                string
	rows, columns, vecs int
}

func (t *neonTile) line(format string, args ...any) { fmt.Fprintf(t, "\t"+format+"\n", args...) }

// step adds the products of a row of B; lane is where A's number lies in its register.
func (t *neonTile) step(lane int) {
	registers := make([]string, t.vecs)
	for v := range registers {
		registers[v] = fmt.Sprintf("V%d.S4", 16+v)
	}
	t.line("VLD1.P %d(R4), [%s]", 16*t.vecs, strings.Join(registers, ", "))
	for r := range t.rows {
		number, at := 20+r, lane
		if t.name == mulTN {
			number, at = 20, r
		}
		if t.name == sqDist {
			t.line("VDUP V%d.S[%d], V24.S4", number, at)
			for v := range t.vecs {
				t.line("WORD $0x%08x // fsub v25.4s, v24.4s, v%d.4s", 0x4ea0d400|(16+v)<<16|24<<5|25, 16+v)
				t.line("VFMLA V25.S4, V25.S4, V%d.S4", r*t.vecs+v)
			}
			continue
		}
		for v := range t.vecs {
			sum := r*t.vecs + v
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
	switch {
	case t.name == mulTN:
		for range steps {
			t.line("%s (R0), F20", load[t.rows])
			t.line("ADD R6, R0")
			t.step(0)
		}
	default:
		for r := range t.rows {
			t.line("%s.P %d(R%d), F%d", load[steps], 4*steps, r, 20+r)
		}
		for u := range steps {
			t.step(u)
		}
	}
	t.line("SUB $%d, R5", steps)
	t.line("CMP $%d, R5", steps)
	t.line("BGE %s", label)
	fmt.Fprintf(t, "%s:\n", after)
}

func (t *neonTile) print() string {
	fmt.Fprintf(t, "TEXT %s%dx%d<>(SB), NOSPLIT|NOFRAME, $0-0\n", t.name, t.rows, t.columns)
	if t.name == mulTN {
		t.line("MOVD %d(R7), R0", offA)
		t.line("MOVD %d(R7), R6", offLDA)
	} else {
		for r := range t.rows {
			t.line("MOVD %d(R7), R%d", offA+8*r, r)
		}
	}
	t.line("MOVD %d(R7), R4", offB)
	t.line("MOVD %d(R7), R5", offK)
	for i := range t.rows * t.vecs {
		t.line("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", i)
	}
	t.turn("several", "single", 4)
	t.turn("loop", "sums", 1)
	t.line("MOVD %d(R7), R8", offAdd)
	t.line("CBZ R8, store")
	each := func(instruction string) string {
		registers := make([]string, t.vecs)
		for v := range registers {
			registers[v] = fmt.Sprintf("V%d.S4", 16+v)
		}
		return fmt.Sprintf("%s (R9), [%s]", instruction, strings.Join(registers, ", "))
	}
	add := func(from func(r int)) {
		for r := range t.rows {
			from(r)
			for v := range t.vecs {
				sum := r*t.vecs + v
				t.line("WORD $0x%08x // fadd v%d.4s, v%[2]d.4s, v%d.4s", 0x4e20d400|(16+v)<<16|sum<<5|sum, sum, 16+v)
			}
		}
	}
	if t.name == mul {
		t.line("CMP $2, R8")
		t.line("BEQ bias")
	}
	add(func(r int) {
		t.line("MOVD %d(R7), R9", offC+8*r)
		t.line("%s", each("VLD1"))
	})
	t.WriteString("store:\n")
	for r := range t.rows {
		registers := make([]string, t.vecs)
		for v := range registers {
			registers[v] = fmt.Sprintf("V%d.S4", r*t.vecs+v)
		}
		t.line("MOVD %d(R7), R9", offC+8*r)
		t.line("VST1 [%s], (R9)", strings.Join(registers, ", "))
	}
	t.line("RET")
	if t.name == mul {
		t.WriteString("bias:\n")
		t.line("MOVD %d(R7), R9", offBias)
		t.line("%s", each("VLD1"))
		add(func(int) {})
		t.line("B store")
	}
	return t.String() + "\n"
}

// tilesARM64 is the file of the kernels of products and squared distances for arm64, and of the table of them.
func tilesARM64() []byte {
	w, table, forms := new(strings.Builder), new(strings.Builder), 0
	w.WriteString(assembly + "\n")
	for _, name := range kinds {
		for _, rows := range formRows {
			for _, columns := range formColumns {
				if rows <= 4 && columns <= 16 {
					t := &neonTile{name: name, rows: rows, columns: columns, vecs: columns / 4}
					w.WriteString(t.print())
					fmt.Fprintf(table, "DATA tilesNEON<>+%d(SB)/8, $%s%dx%d<>(SB)\n", 8*forms, name, rows, columns)
				}
				forms++
			}
		}
	}
	fmt.Fprintf(w, "%sGLOBL tilesNEON<>(SB), RODATA, $%d\n\n%s", table, 8*forms, runTileNEON)
	return []byte(w.String())
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
