package main

import (
	"fmt"
	"strings"
)

// Offsets of type tile.
const (
	offA, offC, offB      = 0, 64, 128
	offK, offLDA, offAdd  = 136, 144, 152
	offMask0, offMask1    = 160, 168
	offBias               = 176
	first, second, number = 28, 29, 30 // vector registers of B's row, and of A's number
	spare, spares         = 16, 12     // and those that are free
)

// pointers holds A's rows; R10 is B, R11 the steps, R12 the step, R13 the tile.
var pointers = []string{"AX", "BX", "CX", "DX", "SI", "DI", "R8", "R9"}

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

// kernel writes the kernel of rows × columns, 32, 16 or 8 of them. It finds the tile in R13.
func kernel(w *strings.Builder, rows, columns int, name string) {
	vecs, transposed := max(1, columns/16), name == mulTN
	line := func(format string, args ...any) {
		text := fmt.Sprintf("\t"+format+"\n", args...)
		if columns == 8 { // half vectors: more of them are loaded in a cycle
			text = strings.NewReplacer(" Z", " Y").Replace(text)
		}
		w.WriteString(text)
	}
	fmt.Fprintf(w, "TEXT %s%dx%d<>(SB), NOSPLIT|NOFRAME, $0-0\n", name, rows, columns)
	if transposed {
		line("MOVQ %d(R13), AX", offA)
		line("MOVQ %d(R13), BX", offLDA)
	} else {
		for r := range rows {
			line("MOVQ %d(R13), %s", offA+8*r, pointers[r])
		}
	}
	line("MOVQ %d(R13), R10", offB)
	line("MOVQ %d(R13), R11", offK)
	for i := range rows * vecs {
		line("VPXORD Z%d, Z%[1]d, Z%[1]d", i)
	}
	line("XORQ R12, R12")
	fmt.Fprint(w, "loop:\n")
	line("VMOVUPS (R10), Z%d", first)
	if vecs == 2 {
		line("VMOVUPS 64(R10), Z%d", second)
	}
	for r := range rows {
		if name == sqDist {
			for v := range vecs {
				difference := spare + (r*vecs+v)%spares
				line("VSUBPS.BCST (%s)(R12*4), Z%d, Z%d", pointers[r], first+v, difference)
				line("VFMADD231PS Z%d, Z%[1]d, Z%d", difference, r*vecs+v)
			}
			continue
		}
		if transposed {
			line("VBROADCASTSS %d(AX), Z%d", 4*r, number+r%2)
		} else {
			line("VBROADCASTSS (%s)(R12*4), Z%d", pointers[r], number+r%2)
		}
		for v := range vecs {
			line("VFMADD231PS Z%d, Z%d, Z%d", first+v, number+r%2, r*vecs+v)
		}
	}
	if transposed {
		line("ADDQ BX, AX")
	}
	line("ADDQ $%d, R10", 4*columns)
	line("INCQ R12")
	line("CMPQ R12, R11")
	line("JLT loop")
	line("MOVQ %d(R13), AX", offMask0)
	line("KMOVW AX, K1")
	line("MOVQ %d(R13), AX", offMask1)
	line("KMOVW AX, K2")
	line("CMPQ %d(R13), $1", offAdd)
	line("JLT store")
	if name == mul {
		line("JGT bias")
	}
	for r := range rows {
		line("MOVQ %d(R13), AX", offC+8*r)
		for v := range vecs {
			line("VMOVUPS.Z %d(AX), K%d, Z%d", 64*v, v+1, first+v)
			line("VADDPS Z%d, Z%d, Z%[2]d", first+v, r*vecs+v)
		}
	}
	fmt.Fprint(w, "store:\n")
	for r := range rows {
		line("MOVQ %d(R13), AX", offC+8*r)
		for v := range vecs {
			line("VMOVUPS Z%d, K%d, %d(AX)", r*vecs+v, v+1, 64*v)
		}
	}
	// The caller's wrapper goes on with a legacy SSE instruction, which would wait for the wide registers.
	line("VZEROUPPER")
	line("RET")
	if name == mul {
		fmt.Fprint(w, "bias:\n")
		line("MOVQ %d(R13), AX", offBias)
		for v := range vecs {
			line("VMOVUPS.Z %d(AX), K%d, Z%d", 64*v, v+1, first+v)
		}
		for i := range rows * vecs {
			line("VADDPS Z%d, Z%d, Z%[2]d", first+i%vecs, i)
		}
		line("JMP store")
	}
	fmt.Fprintln(w)
}

// assemblyFile is the AVX-512 kernels of products and squared distances. They are assembly because the compiler has
// fifteen vector registers of the thirty-two and broadcasts a number from memory in two instructions, the second on a
// port that the multiplications need: sums of 8×2 vectors and broadcasts straight from memory run 1.5 times as fast.
func assemblyFile() []byte {
	w := new(strings.Builder)
	w.WriteString(header(withSIMD) + "#include \"textflag.h\"\n\n")
	w.WriteString(runTile)
	table := new(strings.Builder)
	forms := 0
	for _, name := range kinds {
		for _, rows := range formRows {
			for _, columns := range formColumns {
				kernel(w, rows, columns, name)
				fmt.Fprintf(table, "DATA tiles<>+%d(SB)/8, $%s%dx%d<>(SB)\n", 8*forms, name, rows, columns)
				forms++
			}
		}
	}
	fmt.Fprintf(w, "%sGLOBL tiles<>(SB), RODATA, $%d\n", table, 8*forms)
	return []byte(w.String())
}

// runTile jumps to a kernel of the table; the kernel returns to runTile's caller.
const runTile = `// func runTile(t *tile, form int)
TEXT ·runTile(SB), NOSPLIT, $0-16
	MOVQ t+0(FP), R13
	MOVQ form+8(FP), AX
	LEAQ tiles<>(SB), BX
	MOVQ (BX)(AX*8), AX
	JMP AX

`
