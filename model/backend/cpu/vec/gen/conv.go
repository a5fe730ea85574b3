package main

import (
	"fmt"
	"regexp"
	"strings"
)

// convolution is a loop over the steps of a convolution, for one vector of channels after another: what later steps
// read again then stays in registers. Rows of x and dx are n numbers long, those of y and dy stride numbers apart;
// beside them is [4, n]. LOAD(p, o) and STORE(x, p, o) read and write a vector at a pointer and an offset.
type convolution struct{ name, slices, body string }

var convolutions = []convolution{
	{"convForward", "y, w, x", `
w0, w1, w2, w3 := LOAD(w, o), LOAD(w, o+end), LOAD(w, o+2*end), LOAD(w, o+3*end)
var x0, x1, x2 archsimd.Float32x§
i, j := o, o
for range rows {
x3 := LOAD(x, i)
z := w0.MulAdd(x0, w1.Mul(x1)).Add(w2.MulAdd(x2, w3.Mul(x3)))
sigmoidGate(s, z)
a := z.Mul(s)
STORE(a, y, j)
x0, x1, x2 = x1, x2, x3
i, j = i+end, j+far
}
`},
	{"convBackward", "dx, dw, dy, w, x", `
var x1, x2, d1, d2, d3, dw0, dw1, dw2, dw3 archsimd.Float32x§
i, j := o+uintptr(rows-1)*end, o+uintptr(rows-1)*far
x3 := LOAD(x, i)
if rows > 1 {
x2 = LOAD(x, i-end)
}
if rows > 2 {
x1 = LOAD(x, i-2*end)
}
for left := rows; left > 0; left-- {
var x0 archsimd.Float32x§
if left > 3 {
x0 = LOAD(x, i-3*end)
}
z := LOAD(w, o).MulAdd(x0, LOAD(w, o+end).Mul(x1)).Add(LOAD(w, o+2*end).MulAdd(x2, LOAD(w, o+3*end).Mul(x3)))
sigmoidGate(s, z)
d0 := LOAD(dy, j).Mul(s).Mul(z.MulAdd(K.one.Sub(s), K.one))
dw0, dw1, dw2, dw3 = d0.MulAdd(x0, dw0), d0.MulAdd(x1, dw1), d0.MulAdd(x2, dw2), d0.MulAdd(x3, dw3)
a := LOAD(w, o).MulAdd(d3, LOAD(w, o+end).Mul(d2)).Add(LOAD(w, o+2*end).MulAdd(d1, LOAD(w, o+3*end).Mul(d0)))
STORE(a, dx, i)
x1, x2, x3 = x0, x1, x2
d1, d2, d3 = d0, d1, d2
i, j = i-end, j-far
}
STORE(dw0, dw, o)
STORE(dw1, dw, o+end)
STORE(dw2, dw, o+2*end)
STORE(dw3, dw, o+3*end)
`},
}

var (
	loadRE  = regexp.MustCompile(`\bLOAD\((\w+), ([^()]*)\)`)
	storeRE = regexp.MustCompile(`\bSTORE\((\w+), (\w+), ([^()]*)\)`)
)

// convolve writes the loops and the functions that choose among them.
func convolve(w *strings.Builder) {
	for _, c := range convolutions {
		body := func(load, store string) string {
			text := loadRE.ReplaceAllString(strings.TrimSpace(expand(c.body)), load)
			return storeRE.ReplaceAllString(text, store) + "\n"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "//go:nocheckptr\nfunc %sV§(rows, n int, %s unsafe.Pointer, stride int) {\nT", c.name, c.slices)
		b.WriteString("end, far := 4*uintptr(n), 4*uintptr(stride)\no := uintptr(0)\nfor ; o+4*§ <= end; o += 4*§ {\n")
		b.WriteString(body("archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add($1, $2)))",
			"$1.Store((*[§]float32)(unsafe.Add($2, $3)))"))
		b.WriteString("}\nif o < end {\nmask := tailMask§(int(end-o) / 4)\n")
		b.WriteString(body("archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add($1, $2)), mask)",
			"$1.StoreMasked((*[§]float32)(unsafe.Add($2, $3)), mask)"))
		b.WriteString("}\narchsimd.ClearAVXUpperBits()\n}\n\n")
		text := withConstants(b.String())
		w.WriteString(lanes(text, 16))
		w.WriteString(lanes(text, 8))
		choose(w, c.name, c.slices, ", stride int", ", stride")
	}
}

// convolvePortable writes the same names for a build without SIMD.
func convolvePortable(w *strings.Builder) {
	for _, c := range convolutions {
		fmt.Fprintf(w, "func %[1]s(rows, n int, %[2]s []float32, stride int) { %[1]sGo(rows, n, %[2]s, stride) }\n\n",
			c.name, c.slices)
	}
}
