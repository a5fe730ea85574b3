package main

import (
	"fmt"
	"strings"
)

// sweep is a loop over a matrix with rows of n numbers, two vectors of columns at a time, that goes down all rows
// before the next columns: what the columns add up stays in registers. rank makes each row f·row + c_i·w first; combine
// adds q_i·row up in dst.
type sweep struct {
	name          string
	rank, combine bool
}

var sweeps = []sweep{{"combine", false, true}, {"rank", true, false}, {"rankCombine", true, true}}

func (s sweep) params() (pointers, scalars string) {
	switch {
	case !s.rank:
		return "dst, q, m", ""
	case !s.combine:
		return "m, c, w", "f"
	}
	return "dst, q, m, c, w", "f"
}

// write writes the loop for both widths of vectors and the function that chooses.
func (s sweep) write(w *strings.Builder) {
	pointers, scalar := s.params()
	extra, names := "", ""
	if scalar != "" {
		extra, names = ", f float32", ", f"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "//go:nocheckptr\nfunc %sV§(rows, n int, %s unsafe.Pointer%s) {\n", s.name, pointers, extra)
	if s.rank {
		b.WriteString("fV := archsimd.BroadcastFloat32x§(f)\n")
	}
	b.WriteString("o, end := uintptr(0), 4*uintptr(n)\n")
	block := func(vectors int, masked bool) {
		load, store := "archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(%s, %s)))", "%s.Store((*[§]float32)(unsafe.Add(%s, %s)))\n"
		if masked {
			load, store = "archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(%s, %s)), mask)", "%s.StoreMasked((*[§]float32)(unsafe.Add(%s, %s)), mask)\n"
		}
		const number = "%sV := archsimd.BroadcastInt32x§(*(*int32)(unsafe.Add(%s, 4*i))).AsFloat32x§()\n"
		offset := func(v int) string { return []string{"o", "o+4*§"}[v] }
		for v := range vectors {
			if s.combine {
				fmt.Fprintf(&b, "var a%d archsimd.Float32x§\n", v)
			}
			if s.rank {
				fmt.Fprintf(&b, "w%d := "+load+"\n", v, "w", offset(v))
			}
		}
		b.WriteString("row := m\nfor i := range rows {\n")
		if s.rank {
			fmt.Fprintf(&b, number, "c", "c")
		}
		if s.combine {
			fmt.Fprintf(&b, number, "q", "q")
		}
		for v := range vectors {
			fmt.Fprintf(&b, "x%d := "+load+"\n", v, "row", offset(v))
			if s.rank {
				fmt.Fprintf(&b, "x%[1]d = cV.MulAdd(w%[1]d, x%[1]d.Mul(fV))\n", v)
				fmt.Fprintf(&b, store, fmt.Sprint("x", v), "row", offset(v))
			}
			if s.combine {
				fmt.Fprintf(&b, "a%[1]d = qV.MulAdd(x%[1]d, a%[1]d)\n", v)
			}
		}
		b.WriteString("row = unsafe.Add(row, end)\n}\n")
		if s.combine {
			for v := range vectors {
				fmt.Fprintf(&b, store, fmt.Sprint("a", v), "dst", offset(v))
			}
		}
	}
	b.WriteString("for ; o+8*§ <= end; o += 8*§ {\n")
	block(2, false)
	b.WriteString("}\nfor ; o+4*§ <= end; o += 4*§ {\n")
	block(1, false)
	b.WriteString("}\nif o < end {\nmask := tailMask§(int(end-o) / 4)\n")
	block(1, true)
	b.WriteString("}\narchsimd.ClearAVXUpperBits()\n}\n\n")
	w.WriteString(lanes(b.String(), 16))
	w.WriteString(lanes(b.String(), 8))
	choose(w, s.name, pointers, extra, names)
}

// choose writes the function of a name that picks the loop of the level.
func choose(w *strings.Builder, name, slices, extra, names string) {
	fmt.Fprintf(w, `func %[1]s(rows, n int, %[2]s []float32%[3]s) {
	switch active {
	case levelAVX512: %[1]sV16(rows, n%[4]s)
	case levelAVX2: %[1]sV8(rows, n%[4]s)
	default: %[1]sGo(rows, n, %[2]s%[5]s)
	}
}

`, name, slices, extra, addresses(strings.Split(slices, ", "))+names, names)
}

// inners multiplies vectors by all rows of one matrix or two, a row at a time.
const inners = `func storeSum§(to unsafe.Pointer, x archsimd.Float32x§) {
	TOTAL
	q = q.AddPairs(q)
	*(*int32)(to) = q.AddPairs(q).AsInt32x4().GetElem(0)
}

//go:nocheckptr
func innersV§(rows, n int, dst, m, x, k, y unsafe.Pointer) {
	end := 4*uintptr(n)
	whole := end / (4*§) * (4*§)
	mask := tailMask§(max(1, int(end-whole) / 4))
	for range rows {
		var a, b archsimd.Float32x§
		o := uintptr(0)
		for ; o < whole; o += 4*§ {
			a = archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(m, o))).MulAdd(archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(x, o))), a)
			if k != nil {
				b = archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(k, o))).MulAdd(archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(y, o))), b)
			}
		}
		if o < end {
			a = archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(m, o)), mask).MulAdd(archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(x, o)), mask), a)
			if k != nil {
				b = archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(k, o)), mask).MulAdd(archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(y, o)), mask), b)
			}
		}
		storeSum§(dst, a.Add(b))
		dst, m = unsafe.Add(dst, 4), unsafe.Add(m, end)
		if k != nil {
			k = unsafe.Add(k, end)
		}
	}
	archsimd.ClearAVXUpperBits()
}

`

// matrices writes the loops over small matrices.
func matrices(w *strings.Builder) {
	for _, s := range sweeps {
		s.write(w)
	}
	w.WriteString(lanes(strings.Replace(inners, "TOTAL", "h := x.GetLo().Add(x.GetHi())\nq := h.GetLo().Add(h.GetHi())", 1), 16))
	w.WriteString(lanes(strings.Replace(inners, "TOTAL", "q := x.GetLo().Add(x.GetHi())", 1), 8))
	choose(w, "inners", "dst, m, x, k, y", "", "")
}

// matricesPortable writes the same names for a build without SIMD.
func matricesPortable(w *strings.Builder) {
	const passOn = "func %[1]s(rows, n int, %[2]s []float32%[3]s) { %[1]sGo(rows, n, %[2]s%[4]s) }\n\n"
	for _, s := range sweeps {
		pointers, scalar := s.params()
		if scalar != "" {
			fmt.Fprintf(w, passOn, s.name, pointers, ", f float32", ", f")
		} else {
			fmt.Fprintf(w, passOn, s.name, pointers, "", "")
		}
	}
	fmt.Fprintf(w, passOn, "inners", "dst, m, x, k, y", "", "")
}
