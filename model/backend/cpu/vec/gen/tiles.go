package main

import (
	"fmt"
	"strings"
)

// unroll is the number of steps in a turn of a product kernel's loop.
const unroll = 4

// tile writes the AVX2 product kernel of rows × vecs vectors; AVX-512 has its own in genasm.go.
//
// The shape follows what the compiler makes of it: more than nine live vectors
// beside the loads are spilled, which costs more than any blocking wins. Each A
// value is taken by a load of four floats of which one is broadcast; the loop
// ends early enough that these loads stay inside the row, and a second loop
// takes the last steps one float at a time.
func tile(w *strings.Builder, rows, vecs int) {
	t := tileText{rows: rows, vecs: vecs}
	fmt.Fprintf(&t, "//go:nocheckptr\nfunc mul%dx%d(t *tile) {\nb, k := t.b, t.k\n", rows, 8*vecs)
	for r := range rows {
		fmt.Fprintf(&t, "a%d := t.a[%[1]d]\n", r)
	}
	t.begin()
	value := func(whole bool) func(u, r int) string {
		return func(u, r int) string {
			if whole {
				return fmt.Sprintf("archsimd.LoadFloat32x4((*[4]float32)(unsafe.Add(a%d, o+%d))).Broadcast1To§()",
					r, 4*u)
			}
			return fmt.Sprintf("archsimd.BroadcastFloat32x§(*(*float32)(unsafe.Add(a%d, o)))", r)
		}
	}
	fmt.Fprintf(&t, "o, end := uintptr(0), 4*uintptr(k)\nfor ; o+4*%d <= end; o += 4*%d {\n", unroll+3, unroll)
	for u := range unroll {
		t.step(u, value(true))
	}
	fmt.Fprintf(&t, "b = unsafe.Add(b, 4*§*%d)\n}\nfor ; o < end; o += 4 {\n", unroll*vecs)
	t.step(0, value(false))
	t.end(w)
}

// tileTN writes the kernel of Aᵀ·B: rows rows of C, whose values of A lie side by side in each of A's own rows. The
// last step reads single floats, since a load of four would pass the end of A.
func tileTN(w *strings.Builder, rows, vecs int) {
	t := tileText{rows: rows, vecs: vecs}
	fmt.Fprintf(&t,
		"//go:nocheckptr\nfunc mulTN%dx%d(t *tile) {\na, lda, b, k := t.a[0], t.lda, t.b, t.k\n", rows, 8*vecs)
	t.begin()
	value := func(whole bool) func(u, r int) string {
		return func(_, r int) string {
			if whole {
				return fmt.Sprintf("archsimd.LoadFloat32x4((*[4]float32)(unsafe.Add(a, %d))).Broadcast1To§()", 4*r)
			}
			return fmt.Sprintf("archsimd.BroadcastFloat32x§(*(*float32)(unsafe.Add(a, %d)))", 4*r)
		}
	}
	const next = "a = unsafe.Add(a, lda)\n"
	fmt.Fprintf(&t, "p := 0\nfor ; p+%d < k; p += %d {\n", unroll, unroll)
	for u := range unroll {
		t.step(u, value(true))
		t.WriteString(next)
	}
	fmt.Fprintf(&t, "b = unsafe.Add(b, 4*§*%d)\n}\nfor ; p < k; p++ {\n", unroll*vecs)
	t.step(0, value(false))
	t.WriteString(next)
	t.end(w)
}

// tileText is the text of a product kernel: rows × vecs sums x, kept in registers from begin to end.
type tileText struct {
	strings.Builder
	rows, vecs int
}

func (t *tileText) each(f func(r, v int)) {
	for r := range t.rows {
		for v := range t.vecs {
			f(r, v)
		}
	}
}

// begin starts the sums from nothing, or from C.
func (t *tileText) begin() {
	t.each(func(r, v int) { fmt.Fprintf(t, "var x%d%d archsimd.Float32x§\n", r, v) })
	fmt.Fprint(t, "if t.add != 0 {\n")
	t.each(func(r, v int) {
		fmt.Fprintf(t, "x%d%d = archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(t.c[%d], 4*§*%d)))\n", r, v, r, v)
	})
	fmt.Fprint(t, "}\n")
}

// step adds the products of the panel's row u from b on; value is the expression of A's value for row r in every lane.
func (t *tileText) step(u int, value func(u, r int) string) {
	for v := range t.vecs {
		fmt.Fprintf(t, "b%d%d := archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(b, 4*§*%d)))\n", u, v, u*t.vecs+v)
	}
	for r := range t.rows {
		fmt.Fprintf(t, "v%d%d := %s\n", u, r, value(u, r))
		for v := range t.vecs {
			if v < t.vecs-1 {
				fmt.Fprintf(t, "x%d%d = b%d%d.MulAdd(v%d%d, x%d%d)\n", r, v, u, v, u, r, r, v)
			} else {
				fmt.Fprintf(t, "x%d%d = v%d%d.MulAdd(b%d%d, x%d%d)\n", r, v, u, r, u, v, r, v)
			}
		}
	}
}

// end closes the loop over single steps, stores the sums and writes the kernel to w.
func (t *tileText) end(w *strings.Builder) {
	fmt.Fprintf(t, "b = unsafe.Add(b, 4*§*%d)\n}\n", t.vecs)
	t.each(func(r, v int) {
		fmt.Fprintf(t, "x%d%d.Store((*[§]float32)(unsafe.Add(t.c[%d], 4*§*%d)))\n", r, v, r, v)
	})
	fmt.Fprint(t, "}\n\n")
	w.WriteString(lanes(t.String(), 8))
}

// tiles writes the AVX2 kernels and runTile8, which chooses among them by func form's number.
func tiles(w *strings.Builder) {
	const most = 4 // rows
	choice := new(strings.Builder)
	forms := 0
	for _, name := range []string{mul, mulTN} {
		for _, rows := range formRows {
			for _, columns := range formColumns {
				if vecs := columns / 8; rows <= most && vecs <= 2 {
					if name == mul {
						tile(w, rows, vecs)
					} else {
						tileTN(w, rows, vecs)
					}
					fmt.Fprintf(choice, "case %d: %s%dx%d(t)\n", forms, name, rows, columns)
				}
				forms++
			}
		}
	}
	fmt.Fprintf(w,
		"// runTile8 is runTile with AVX2.\nfunc runTile8(t *tile, form int) {\nswitch form {\n%s}\n}\n\n", choice)
}
