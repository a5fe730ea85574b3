package main

import (
	"fmt"
	"strings"
)

// Offsets of type tile.
const (
	offA, offC, offB     = 0, 64, 128
	offK, offLDA, offAdd = 136, 144, 152
	offMask0, offMask1   = 160, 168
	offBias, offLanes    = 176, 184
)

// The kinds of kernels, in the order of type product. sqDist is mul with the square of the difference for the product.
const (
	mul    = "mul"
	mulTN  = "mulTN"
	sqDist = "sqDist"
)

// The forms of each kind, in the order of func form.
var (
	kinds       = []string{mul, mulTN, sqDist}
	formRows    = []int{1, 2, 4, 8}
	formColumns = []int{8, 16, 32}
)

// A tileKernel prints the kernel of rows × columns for amd64. It finds the tile in R13. The sums lie in the first
// registers; after them come the vectors of B's row, a number of A, and what is free.
type tileKernel struct {
	strings.Builder
	wide                bool
	name                string
	rows, columns, vecs int
	steps               int // in a turn of the loop
	right, number, free int
}

// pointers holds A's rows; R10 is B, R11 the steps, R12 the step, R13 the tile.
var pointers = []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9"}

func newTileKernel(wide bool, name string, rows, columns int) *tileKernel {
	t := &tileKernel{wide: wide, name: name, rows: rows, columns: columns}
	if wide {
		t.vecs, t.steps = max(1, columns/16), 1
		t.right, t.number, t.free = 28, 30, 16
	} else {
		t.vecs, t.steps = columns/8, 4
		t.right, t.number, t.free = 8, 10, 12
	}
	return t
}

func (t *tileKernel) line(format string, args ...any) {
	text := fmt.Sprintf("\t"+format+"\n", args...)
	if !t.wide || t.columns == 8 { // with AVX-512 half a vector: more of them are loaded in a cycle
		text = strings.NewReplacer(" Z", " Y").Replace(text)
	}
	t.WriteString(text)
}

// bytes are those of a vector.
func (t *tileKernel) bytes() int {
	if t.wide {
		return 64
	}
	return 32
}

func (t *tileKernel) zero(r int) {
	if t.wide {
		t.line("VPXORD Z%d, Z%[1]d, Z%[1]d", r)
	} else {
		t.line("VXORPS Y%d, Y%[1]d, Y%[1]d", r)
	}
}

// step adds the products of a row of B.
func (t *tileKernel) step(u int) {
	for v := range t.vecs {
		t.line("VMOVUPS %d(R10), Z%d", 4*t.columns*u+t.bytes()*v, t.right+v)
	}
	for r := range t.rows {
		from := fmt.Sprintf("%d(%s)(R12*4)", 4*u, pointers[r])
		if t.name == mulTN {
			from = fmt.Sprintf("%d(AX)", 4*r)
		}
		number := t.number + r%2
		if t.name == sqDist && t.wide {
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
			if t.name == sqDist {
				t.line("VSUBPS Z%d, Z%d, Z%d", number, t.right+v, t.free+v)
				left, right = t.free+v, t.free+v
			}
			t.line("VFMADD231PS Z%d, Z%d, Z%d", left, right, r*t.vecs+v)
		}
	}
	if t.name == mulTN {
		t.line("ADDQ BX, AX")
	}
}

// turn is a loop of some steps at a time; it ends with fewer left.
func (t *tileKernel) turn(label string, steps int) {
	if steps > 1 {
		t.line("SUBQ $%d, R11", steps-1)
		t.line("CMPQ R12, R11")
		t.line("JGE %sDone", label)
	}
	fmt.Fprintf(t, "%s:\n", label)
	for u := range steps {
		t.step(u)
	}
	t.line("ADDQ $%d, R10", 4*t.columns*steps)
	t.line("ADDQ $%d, R12", steps)
	t.line("CMPQ R12, R11")
	t.line("JLT %s", label)
	if steps > 1 {
		fmt.Fprintf(t, "%sDone:\n", label)
		t.line("ADDQ $%d, R11", steps-1)
		t.line("CMPQ R12, R11")
		t.line("JGE sums")
	}
}

// row reads or writes the columns that exist of a row of C, or of the bias, in AX.
func (t *tileKernel) row(instruction string, v, r int) {
	store := instruction == "store"
	at, mask := fmt.Sprintf("%d(AX)", t.bytes()*v), fmt.Sprintf("Y%d", 14+v)
	switch {
	case t.wide && store:
		t.line("VMOVUPS Z%d, K%d, %s", r, v+1, at)
	case t.wide:
		t.line("VMOVUPS.Z %s, K%d, Z%d", at, v+1, r)
	case store:
		t.line("VMASKMOVPS Y%d, %s, %s", r, mask, at)
	default:
		t.line("VMASKMOVPS %s, %s, Y%d", at, mask, r)
	}
}

func (t *tileKernel) print() string {
	fmt.Fprintf(t, "TEXT %s%dx%d_%d<>(SB), NOSPLIT|NOFRAME, $0-0\n", t.name, t.rows, t.columns, t.bytes())
	if t.name == mulTN {
		t.line("MOVQ %d(R13), AX", offA)
		t.line("MOVQ %d(R13), BX", offLDA)
	} else {
		for r := range t.rows {
			t.line("MOVQ %d(R13), %s", offA+8*r, pointers[r])
		}
	}
	t.line("MOVQ %d(R13), R10", offB)
	t.line("MOVQ %d(R13), R11", offK)
	for i := range t.rows * t.vecs {
		t.zero(i)
	}
	t.line("XORL R12, R12")
	if t.steps > 1 {
		t.turn("several", t.steps)
	}
	t.turn("loop", 1)
	t.WriteString("sums:\n")
	if t.wide {
		t.line("MOVQ %d(R13), AX", offMask0)
		t.line("KMOVW AX, K1")
		t.line("MOVQ %d(R13), AX", offMask1)
		t.line("KMOVW AX, K2")
	} else {
		t.line("MOVQ %d(R13), AX", offLanes)
		for v := range t.vecs {
			t.line("VMOVUPS %d(AX), Y%d", 32*v, 14+v)
		}
	}
	t.line("CMPQ %d(R13), $1", offAdd)
	t.line("JLT store")
	if t.name == mul {
		t.line("JGT bias")
	}
	for r := range t.rows {
		t.line("MOVQ %d(R13), AX", offC+8*r)
		for v := range t.vecs {
			t.row("load", v, t.right+v)
			t.line("VADDPS Z%d, Z%d, Z%[2]d", t.right+v, r*t.vecs+v)
		}
	}
	t.WriteString("store:\n")
	for r := range t.rows {
		t.line("MOVQ %d(R13), AX", offC+8*r)
		for v := range t.vecs {
			t.row("store", v, r*t.vecs+v)
		}
	}
	// The caller goes on with legacy SSE instructions, which would wait for the wide registers.
	t.line("VZEROUPPER")
	t.line("RET")
	if t.name == mul {
		t.WriteString("bias:\n")
		t.line("MOVQ %d(R13), AX", offBias)
		for v := range t.vecs {
			t.row("load", v, t.right+v)
		}
		for i := range t.rows * t.vecs {
			t.line("VADDPS Z%d, Z%d, Z%[2]d", t.right+i%t.vecs, i)
		}
		t.line("JMP store")
	}
	return t.String() + "\n"
}

// tilesAMD64 is the file of the kernels of products and squared distances, and of two tables of them: for AVX-512 and
// for AVX2, which has those of up to four rows by sixteen columns.
func tilesAMD64() []byte {
	w := new(strings.Builder)
	w.WriteString(assembly + "\n")
	for _, wide := range []bool{true, false} {
		table, level, forms := new(strings.Builder), "AVX2", 0
		if wide {
			level = "AVX512"
		}
		for _, name := range kinds {
			for _, rows := range formRows {
				for _, columns := range formColumns {
					if t := newTileKernel(wide, name, rows, columns); wide || rows <= 4 && columns <= 16 {
						w.WriteString(t.print())
						fmt.Fprintf(table, "DATA tiles%s<>+%d(SB)/8, $%s%dx%d_%d<>(SB)\n", level, 8*forms, name, rows,
							columns, t.bytes())
					}
					forms++
				}
			}
		}
		fmt.Fprintf(w, "%sGLOBL tiles%[2]s<>(SB), RODATA, $%[3]d\n\n"+runTile, table, level, 8*forms)
	}
	return []byte(w.String())
}

// runTile jumps to a kernel of a table; the kernel returns to runTile's caller.
const runTile = `// func runTile%[2]s(t *tile, form int)
TEXT ·runTile%[2]s(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), R13
	MOVQ form+8(FP), AX
	LEAQ tiles%[2]s<>(SB), BX
	MOVQ (BX)(AX*8), AX
	JMP AX

`
