package main

import (
	"fmt"
	"regexp"
	"strings"
)

// The loops of heads.go for four heads and 16 lanes. Rows are short, so every loop takes its last vector masked like the others,
// first(n) being the lanes below n, and what is the same for a head is read by num from memory in every lane; at(name) are places
// for the lanes of a 4×4 matrix. A number goes by
// an integer register: a float32 would take a legacy SSE one, for which Intel's processors wait.
var headLoops = []string{`
func growHeads(n int, tree, dist unsafe.Pointer, line, stride uintptr, e, f unsafe.Pointer) {
	t := consts
	for k := uintptr(0); k < 4; k++ {
		b, fk := num(e, 4*k), num(f, 4*k)
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask, old := first(left), first(left-1)
			c := load(tree, k*line+o, old)
			diff := c.Sub(b)
			d := diff.AsInt32x16().Or(K.signBit.AsInt32x16()).AsFloat32x16()
			exp(x, d)
			log1p01(l, x)
			y := b.Merge(c, c.Less(b)).Add(l).Masked(old)
			store(tree, k*line+o, y, mask)
			store(dist, k*stride+o, fk.MulAdd(y, load(dist, k*stride+o, mask)), mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}
`, `
func mixSoftmaxHeads(n, m int, dst, x unsafe.Pointer, stride uintptr, w unsafe.Pointer) {
	t := consts
	var s0, s1, s2, s3 archsimd.Float32x16
	for o, left := uintptr(0), n; left > n-m; o, left = o+64, left-16 {
		mask, to := first(left), first(left+m-n)
		x0, x1, x2, x3 := load(x, o, mask), load(x, stride+o, mask), load(x, 2*stride+o, mask), load(x, 3*stride+o, mask)
		` + each(`
		y$ := num(w, 16*$).Mul(x0)
		y$ = num(w, 16*$+4).MulAdd(x1, y$)
		y$ = num(w, 16*$+8).MulAdd(x2, y$)
		y$ = num(w, 16*$+12).MulAdd(x3, y$)
		neg(z$, y$)
		exp(p$, z$)
		p$ = p$.Masked(mask)
		store(dst, $*stride+o, p$, to)
		s$ = s$.Add(p$)
		`) + `
	}
	totals(sum, s0, s1, s2, s3)
	var inv [4]float32
	archsimd.LoadFloat32x4((*[4]float32)(t.one[:4])).Div(sum).Store(&inv)
	for k := uintptr(0); k < 4; k++ {
		f := num(unsafe.Pointer(&inv), 4*k)
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first(left)
			store(dst, k*stride+o, load(dst, k*stride+o, mask).Mul(f), mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}
`, `
func softmaxGramHeads(n int, g, p, x unsafe.Pointer, stride uintptr, gram unsafe.Pointer) {
	var m0, m1, m2, m3 archsimd.Float32x16
	for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
		mask := first(left)
		` + each(`
		m$ = load(p, $*stride+o, mask).MulAdd(load(g, $*stride+o, mask), m$)
		`) + `
	}
	totals(sum, m0, m1, m2, m3)
	var mean [4]float32
	sum.Store(&mean)
	for k := uintptr(0); k < 4; k++ {
		mk := num(unsafe.Pointer(&mean), 4*k)
		var s0, s1, s2, s3 archsimd.Float32x16
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first(left)
			d := mk.Sub(load(g, k*stride+o, mask)).Mul(load(p, k*stride+o, mask))
			store(g, k*stride+o, d, mask)
			` + each(`
			s$ = d.MulAdd(load(x, $*stride+o, mask), s$)
			`) + `
		}
		totals(row, s0, s1, s2, s3)
		row.Store((*[4]float32)(unsafe.Add(gram, 16*k)))
	}
	archsimd.ClearAVXUpperBits()
}
`, `
func unmixHeads(n, m int, g, mixed unsafe.Pointer, stride uintptr, tree, dtree, pull unsafe.Pointer, line uintptr, w, f, dots unsafe.Pointer) {
	var dot, back [4][16]float32
	for l := uintptr(0); l < 4; l++ {
		fl := num(f, 4*l)
		w0, w1, w2, w3 := num(w, 4*l), num(w, 16+4*l), num(w, 32+4*l), num(w, 48+4*l)
		var along, sum, zero archsimd.Float32x16
		for o, left := uintptr(0), n; left > n-m; o, left = o+64, left-16 {
			mask, old, to := first(left), first(left-1), first(left+m-n)
			d := load(mixed, o, mask).Mul(w0)
			d = load(mixed, stride+o, mask).MulAdd(w1, d)
			d = load(mixed, 2*stride+o, mask).MulAdd(w2, d)
			d = load(mixed, 3*stride+o, mask).MulAdd(w3, d)
			along = d.MulAdd(load(tree, l*line+o, mask), along)
			store(dtree, l*line+o, d.Mul(fl), mask)
			d = d.Add(d).Masked(old)
			store(g, l*stride+o, zero.Sub(d), to)
			store(pull, l*line+o, load(pull, l*line+o, old).Add(d), old)
			sum = sum.Add(d)
		}
		along.Store(&dot[l])
		sum.Store(&back[l])
	}
	` + each(`
	a$, b$ := archsimd.LoadFloat32x16(&dot[$]), archsimd.LoadFloat32x16(&back[$])
	`) + `
	totals(all, a0, a1, a2, a3)
	all.Store((*[4]float32)(dots))
	totals(own, b0, b1, b2, b3)
	var add [4]float32
	own.Store(&add)
	archsimd.ClearAVXUpperBits()
	for l := range uintptr(4) {
		*(*float32)(unsafe.Add(pull, l*line+4*uintptr(n-1))) += add[l]
	}
}
`, `
func ratiosHeads(n int, share, tree unsafe.Pointer, line uintptr) {
	t := consts
	for k := uintptr(0); k < 4; k++ {
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first(left)
			d := load(tree, k*line+o+4, mask).Sub(load(tree, k*line+o, mask))
			exp(y, d)
			store(share, k*line+o, y, mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}
`, `
func fuseHeads(a, c, b unsafe.Pointer) {
	t, p := consts, &places
	four := archsimd.Mask32x16FromBits(15)
	cs := load(c, 0, four)
	s := cs.Permute(at(row)).Mul(archsimd.LoadFloat32x16((*[16]float32)(b))).Mul(cs.Permute(at(column)))
	m := s.Max(s.Permute(at(swap1)))
	m = m.Max(m.Permute(at(swap2)))
	d := s.Sub(m)
	exp(e, d)
	sum := e.Add(e.Permute(at(swap1)))
	sum = sum.Add(sum.Permute(at(swap2)))
	e.Div(sum).Store((*[16]float32)(a))
	archsimd.ClearAVXUpperBits()
}
`, `
func fuseBackHeads(db, dc, a, da, c, b unsafe.Pointer) {
	p := &places
	four := archsimd.Mask32x16FromBits(15)
	cs := load(c, 0, four)
	ck, cl := cs.Permute(at(row)), cs.Permute(at(column))
	x, dx := archsimd.LoadFloat32x16((*[16]float32)(a)), archsimd.LoadFloat32x16((*[16]float32)(da))
	mean := x.Mul(dx)
	mean = mean.Add(mean.Permute(at(swap1)))
	mean = mean.Add(mean.Permute(at(swap2)))
	ds := x.Mul(dx.Sub(mean))
	ds.Mul(ck).MulAdd(cl, archsimd.LoadFloat32x16((*[16]float32)(db))).Store((*[16]float32)(db))
	ds = ds.Mul(archsimd.LoadFloat32x16((*[16]float32)(b)))
	along, across := ds.Mul(cl), ds.Mul(ck)
	along = along.Add(along.Permute(at(swap1)))
	along = along.Add(along.Permute(at(swap2)))
	across = across.Add(across.Permute(at(swap4)))
	across = across.Add(across.Permute(at(swap8)))
	store(dc, 0, along.Permute(at(first)).Add(across), four)
	archsimd.ClearAVXUpperBits()
}
`}

// each is text once for each head, $ its number.
func each(text string) string {
	var b strings.Builder
	for k := range 4 {
		b.WriteString(strings.ReplaceAll(text, "$", fmt.Sprint(k)))
	}
	return b.String()
}

var (
	loadRE  = regexp.MustCompile(`\bload\((\w+), ([^,()]+), (\w+)\)`)
	atRE    = regexp.MustCompile(`\bat\((\w+)\)`)
	numRE   = regexp.MustCompile(`\bnum\((\w+|unsafe.Pointer\(&\w+\)), ([^,()]+)\)`)
	storeRE = regexp.MustCompile(`(?m)^(\s*)store\((\w+), ([^,()]+), (.*), (\w+)\)$`)
)

// writeHeads writes the loops to w.
func writeHeads(w *strings.Builder) {
	for _, s := range headLoops {
		s = storeRE.ReplaceAllString(s, "$1$4.StoreMasked((*[16]float32)(unsafe.Add($2, $3)), $5)")
		s = loadRE.ReplaceAllString(s, "archsimd.LoadMaskedFloat32x16((*[16]float32)(unsafe.Add($1, $2)), $3)")
		s = numRE.ReplaceAllString(s, "archsimd.BroadcastInt32x16(*(*int32)(unsafe.Add($1, $2))).AsFloat32x16()")
		s = strings.ReplaceAll(s, "first(", "first16(")
		s = atRE.ReplaceAllString(s, "archsimd.LoadUint32x16(&p.$1)")
		w.WriteString("//go:nocheckptr" + lanes(expand(s), 16) + "\n")
	}
}
