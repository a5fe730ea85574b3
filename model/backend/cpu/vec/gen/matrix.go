package main

import (
	"fmt"
	"strings"
)

// sweep is a loop over a matrix with rows of n numbers, two vectors of columns at a time, that goes down all rows
// before the next columns: what the columns add up stays in registers. rank first makes of each row, in the matrix
// to, f·row + c_i·w; combine adds q_i times the row up in dst.
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
		return "to, m, c, w", "f"
	}
	return "dst, q, to, m, c, w", "f"
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
		load := "archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(%s, %s)))"
		store := "%s.Store((*[§]float32)(unsafe.Add(%s, %s)))\n"
		if masked {
			load = "archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(%s, %s)), mask)"
			store = "%s.StoreMasked((*[§]float32)(unsafe.Add(%s, %s)), mask)\n"
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
		b.WriteString("row := m\n")
		if s.rank {
			b.WriteString("made := to\n")
		}
		b.WriteString("for i := range rows {\n")
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
				fmt.Fprintf(&b, store, fmt.Sprint("x", v), "made", offset(v))
			}
			if s.combine {
				fmt.Fprintf(&b, "a%[1]d = qV.MulAdd(x%[1]d, a%[1]d)\n", v)
			}
		}
		if s.rank {
			b.WriteString("made = unsafe.Add(made, end)\n")
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

// inners writes the loop that multiplies a vector by the rows of one matrix, or two vectors by those of two, four rows
// at a time: their sums then take a few instructions together.
func inners(w *strings.Builder, name string, operands ...string) {
	var b strings.Builder
	slices := "dst, " + strings.Join(operands, ", ")
	fmt.Fprintf(&b, "//go:nocheckptr\nfunc %sV§(rows, n int, %s unsafe.Pointer) {\n", name, slices)
	b.WriteString("end := 4*uintptr(n)\nwhole := end / (4*§) * (4*§)\nmask := tailMask§(max(1, int(end-whole) / 4))\n")
	group := func(rows int) {
		for r := range rows {
			fmt.Fprintf(&b, "var a%d archsimd.Float32x§\n", r)
		}
		step := func(load string) {
			for i := 0; i < len(operands); i += 2 {
				fmt.Fprintf(&b, "%sV := "+load+"\n", operands[i+1], operands[i+1], "")
				for r := range rows {
					fmt.Fprintf(&b, "a%d = %sV.MulAdd("+load+", a%d)\n", r, operands[i+1], operands[i],
						fmt.Sprintf("+%d*end", r), r)
				}
			}
		}
		b.WriteString("o := uintptr(0)\nfor ; o < whole; o += 4*§ {\n")
		step("archsimd.LoadFloat32x§((*[§]float32)(unsafe.Add(%s, o%s)))")
		b.WriteString("}\nif o < end {\n")
		step("archsimd.LoadMaskedFloat32x§((*[§]float32)(unsafe.Add(%s, o%s)), mask)")
		b.WriteString("}\n")
		if rows == 4 {
			b.WriteString("quarter§(a0).AddPairs(quarter§(a1)).AddPairs(quarter§(a2).AddPairs(quarter§(a3)))" +
				".Store((*[4]float32)(dst))\n")
		} else {
			b.WriteString("q := quarter§(a0)\nq = q.AddPairs(q)\n" +
				"*(*int32)(dst) = q.AddPairs(q).AsInt32x4().GetElem(0)\n")
		}
		fmt.Fprintf(&b, "dst = unsafe.Add(dst, %d)\n", 4*rows)
		for i := 0; i < len(operands); i += 2 {
			fmt.Fprintf(&b, "%[1]s = unsafe.Add(%[1]s, %[2]d*end)\n", operands[i], rows)
		}
	}
	b.WriteString("for ; rows >= 4; rows -= 4 {\n")
	group(4)
	b.WriteString("}\nfor ; rows > 0; rows-- {\n")
	group(1)
	b.WriteString("}\narchsimd.ClearAVXUpperBits()\n}\n\n")
	w.WriteString(strings.ReplaceAll(lanes(b.String(), 16), "quarter16", "quarter"))
	w.WriteString(lanes(b.String(), 8))
	choose(w, name, slices, "", "")
}

// quarters is what span_simd.go has for sixteen lanes.
const quarters = `func quarter8(x archsimd.Float32x8) archsimd.Float32x4 { return x.GetLo().Add(x.GetHi()) }

`

// matrices writes the loops over small matrices.
func matrices(w *strings.Builder) {
	for _, s := range sweeps {
		s.write(w)
	}
	w.WriteString(quarters)
	inners(w, "inners", "m", "x")
	inners(w, "innersOfTwo", "m", "x", "k", "y")
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
	fmt.Fprintf(w, passOn, "inners", "dst, m, x", "", "")
	fmt.Fprintf(w, passOn, "innersOfTwo", "dst, m, x, k, y", "", "")
}
