package main

import (
	"fmt"
	"regexp"
	"strings"
)

// convolution is a loop over the rows of a convolution, one after another as they lie in memory: those of x and dx
// are n numbers long, those of y and dy stride numbers apart, and w, dw and ring are [4, n].
//
// The text is for a vector of channels at o. LOAD and STORE read and write one at a pointer; x0 to x3 are what the
// step reads, oldest first. A row's vectors are masked where they are not whole, and where a step before the first is
// read.
type convolution struct {
	name, slices string
	back         bool // last row first
	body         string
}

var convolutions = []convolution{
	{"convForward", "y, w, x", false, convSum + `
sigmoidGate(s, z)
a := z.Mul(s)
STORE(a, yRow, o)
`},
	{"convBackward", "dx, dw, dy, w, x, ring", true, convSum + `
sigmoidGate(s, z)
d0 := LOAD(yRow, o).Mul(s).Mul(z.MulAdd(K.one.Sub(s), K.one))
a := LOAD(w, o).MulAdd(LOAD(ring, o+at3), LOAD(w, o+end).Mul(LOAD(ring, o+at2)))
a = a.Add(LOAD(w, o+2*end).MulAdd(LOAD(ring, o+at1), LOAD(w, o+3*end).Mul(d0)))
STORE(d0, ring, o+at0)
STORE(a, dxRow, o)
a0 := d0.MulAdd(x0, LOAD(dw, o))
a1 := d0.MulAdd(x1, LOAD(dw, o+end))
a2 := d0.MulAdd(x2, LOAD(dw, o+2*end))
a3 := d0.MulAdd(x3, LOAD(dw, o+3*end))
STORE(a0, dw, o)
STORE(a1, dw, o+end)
STORE(a2, dw, o+2*end)
STORE(a3, dw, o+3*end)
`},
}

const convSum = `
z := LOAD(w, o).MulAdd(x0, LOAD(w, o+end).Mul(x1)).Add(LOAD(w, o+2*end).MulAdd(x2, LOAD(w, o+3*end).Mul(x3)))`

var (
	loadRE  = regexp.MustCompile(`\bLOAD\((\w+), ([^()]*)\)`)
	storeRE = regexp.MustCompile(`\bSTORE\((\w+), (\w+), ([^()]*)\)`)
)

// write writes the loop for both widths of vectors and the function that chooses.
func (c convolution) write(w *strings.Builder) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("//go:nocheckptr")
	line("func %sV§(rows, n int, %s unsafe.Pointer, stride int) {", c.name, c.slices)
	b.WriteString("T")
	line("end, far := 4*uintptr(n), 4*uintptr(stride)\nfor i := range rows {")
	if c.back {
		line("row := rows - 1 - i")
		line("dxRow, yRow := unsafe.Add(dx, uintptr(row)*end), unsafe.Add(dy, uintptr(row)*far)")
		line("at := func(k int) uintptr { return uintptr((row+k)%%4) * end } // dz of this step and those behind it")
		line("at0, at1, at2, at3 := at(0), at(1), at(2), at(3)")
	} else {
		line("row := i")
		line("yRow := unsafe.Add(y, uintptr(row)*far)")
	}
	line("x3P := unsafe.Add(x, uintptr(row)*end)")
	line("o := uintptr(0)")
	line("if row > 2 {")
	line("x0P, x1P, x2P := unsafe.Add(x3P, -3*int(end)), unsafe.Add(x3P, -2*int(end)), unsafe.Add(x3P, -int(end))")
	line("for ; o+4*§ <= end; o += 4*§ {")
	load := "archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add($1, $2)))"
	text := func(load, store string) {
		s := loadRE.ReplaceAllString(strings.TrimSpace(expand(c.body)), load)
		b.WriteString(storeRE.ReplaceAllString(s, store) + "\n")
	}
	for j := range 4 {
		line("x%d := %s", j, loadRE.ReplaceAllString(fmt.Sprintf("LOAD(x%dP, o)", j), load))
	}
	text(load, "$1.Store((*[§]float32)(unsafe.Add($2, $3)))")
	line("}\n}")
	line("for ; o < end; o += 4*§ {")
	line("mask := tailMask§(min(int(end-o)/4, §))")
	load = "archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add($1, $2)), mask)"
	line("x3 := %s", loadRE.ReplaceAllString("LOAD(x3P, o)", load))
	for j := range 3 {
		line("var x%d archsimd.Float32x§", j)
		from := loadRE.ReplaceAllString(fmt.Sprintf("LOAD(x3P, o-%d*end)", 3-j), load)
		line("if row >= %d {\nx%d = %s\n}", 3-j, j, from)
	}
	text(load, "$1.StoreMasked((*[§]float32)(unsafe.Add($2, $3)), mask)")
	line("}\n}\narchsimd.ClearAVXUpperBits()\n}\n")
	s := withConstants(b.String())
	w.WriteString(lanes(s, 16))
	w.WriteString(lanes(s, 8))
	choose(w, c.name, c.slices, ", stride int", ", stride")
}

// convolve writes the loops and the functions that choose among them.
func convolve(w *strings.Builder) {
	for _, c := range convolutions {
		c.write(w)
	}
}

// convolvePortable writes the same names for a build without SIMD.
func convolvePortable(w *strings.Builder) {
	for _, c := range convolutions {
		fmt.Fprintf(w, "func %[1]s(rows, n int, %[2]s []float32, stride int) { %[1]sGo(rows, n, %[2]s, stride) }\n\n",
			c.name, c.slices)
	}
}
