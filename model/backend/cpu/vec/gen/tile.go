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

// A tile is a kernel of rows × columns, and what printers of kernels have in common. The sums lie in the first vector
// registers, row after row; right and those behind it have a row of B.
type tile struct {
	strings.Builder
	kind                string
	rows, columns, vecs int
	lanes, right        int

	move, jump      string   // instructions
	base            string   // the register of the tile; those below hold what it points at
	a               []string // A's rows
	b, k, lda, from string   // B; its rows; from a row of A to the next; where a row begins
}

// A tileMachine is what they differ in.
type tileMachine interface {
	zero(r int)
	loops()                    // all steps
	choose()                   // goes on to store where nothing is added, and to bias where that is
	row(first int, store bool) // loads or stores the columns that exist of a row
	add(r, to int)             // vectors
	end()
}

func (t *tile) line(format string, args ...any) { fmt.Fprintf(t, "\t"+format+"\n", args...) }

func (t *tile) load(offset int, to string) { t.line("%s %d(%s), %s", t.move, offset, t.base, to) }

func (t *tile) print(m tileMachine) {
	if t.kind == mulTN {
		t.load(offA, t.a[0])
		t.load(offLDA, t.lda)
	} else {
		for r := range t.rows {
			t.load(offA+8*r, t.a[r])
		}
	}
	t.load(offB, t.b)
	t.load(offK, t.k)
	for i := range t.rows * t.vecs {
		m.zero(i)
	}
	m.loops()
	t.WriteString("sums:\n")
	m.choose()
	for r := range t.rows {
		t.load(offC+8*r, t.from)
		m.row(t.right, false)
		for v := range t.vecs {
			m.add(t.right+v, r*t.vecs+v)
		}
	}
	t.WriteString("store:\n")
	for r := range t.rows {
		t.load(offC+8*r, t.from)
		m.row(r*t.vecs, true)
	}
	m.end()
	if t.kind == mul {
		t.WriteString("bias:\n")
		t.load(offBias, t.from)
		m.row(t.right, false)
		for i := range t.rows * t.vecs {
			m.add(t.right+i%t.vecs, i)
		}
		t.line("%s store", t.jump)
	}
	t.WriteString("\n")
}

// table prints the kernels of a level, those of up to most rows and columns, and the table of them, in the order of
// func form.
func (t *tile) table(m tileMachine, level string, rows, columns int) {
	var table strings.Builder
	forms := 0
	for _, t.kind = range []string{mul, mulTN, sqDist} {
		for _, t.rows = range []int{1, 2, 4, 8} {
			for _, t.columns = range []int{8, 16, 32} {
				if t.rows <= rows && t.columns <= columns {
					t.vecs = max(1, t.columns/t.lanes)
					name := fmt.Sprintf("%s%dx%d%s<>(SB)", t.kind, t.rows, t.columns, level)
					fmt.Fprintf(t, "TEXT %s, NOSPLIT|NOFRAME, $0-0\n", name)
					t.print(m)
					fmt.Fprintf(&table, "DATA tiles%s<>+%d(SB)/8, $%s\n", level, 8*forms, name)
				}
				forms++
			}
		}
	}
	fmt.Fprintf(t, "%sGLOBL tiles%s<>(SB), RODATA, $%d\n\n", table.String(), level, 8*forms)
}
