//go:build goexperiment.simd && amd64 && !go1.27

package vec

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// The functions here trust the lengths that panel.go has checked: below them are loads and stores through bare
// pointers.

// tile is the argument of a kernel: up to 8 rows of C against 32, 16 or 8 columns of a packed panel.
// gen/assembly.go knows the offsets.
type tile struct {
	a, c [8]unsafe.Pointer // the rows' starts; of timesTransposed a[0], where the rows' numbers lie side by side
	b    unsafe.Pointer    // the panel
	k    int               // rows of the panel, at least 1
	lda  uintptr           // timesTransposed: bytes from one row of A to the next
	add  uint64            // 0, addC or addBias
	mask [2]uint64         // the columns of each vector that exist; the AVX2 kernels take all
	bias unsafe.Pointer    // of the kernels of times with AVX-512: what is added to each row
}

// What a kernel adds to A·B, if anything.
const (
	addC    = 1
	addBias = 2
)

// runTile runs an AVX-512 kernel, by its place in the table at the end of tile_amd64.s.
//
//go:noescape
func runTile(t *tile, form int)

// A form is a kernel's number: those of a kind come one after another, for 1, 2, 4 and 8 rows by 8, 16 and 32 columns.
// gen/assembly.go has the same order.
func form(kind product, columns int) int { return int(kind)*12 + bits.Len(uint(columns)) - 4 }

// tileRows tells, where so many rows are left, how many the next kernel has: their logarithm. A kernel may have more
// rows than are left; they are computed and thrown away. One of timesTransposed may not: it would read beyond A.
var tileRows = [...][16]uint8{
	times:           {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3},
	timesTransposed: {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 3},
	squares:         {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3},
}

// manner is what a product does beside A·B.
type manner struct {
	add  bool      // to C, in place of overwriting it
	bias []float32 // not nil: what is added to each row, with AVX-512
	next *ahead    // not nil: what is asked for meanwhile
}

// tiles computes a product with B's first k rows and n columns, tile by tile. A bias is for AVX-512 alone.
//
//go:nocheckptr
func (p *Panel) tiles(kind product, c []float32, cr rows, a []float32, ar rows, lda, m, k, n int, how manner) {
	var spare [32]float32 // rows that are thrown away
	wide, most := p.level == levelAVX512, 4
	if wide {
		most = 8
	}
	sizes := &tileRows[kind]
	t := tile{k: k, lda: 4 * uintptr(lda)}
	switch {
	case how.bias != nil:
		t.add = addBias
	case how.add:
		t.add = addC
	}
	if kind == times && n == p.n && p.hasPair() {
		n -= 2
		p.timesPair(c, cr, a, ar, m, k, how)
	}
	for j, off := 0, 0; j < n; {
		w := p.width(p.n - j)
		columns, first := min(w, n-j), form(kind, w)
		t.b = unsafe.Pointer(&p.data[off])
		to, from := at(c, j), at(a, 0)
		if how.bias != nil {
			t.bias = at(how.bias, j)
		}
		t.mask[0], t.mask[1] = 1<<min(columns, 16)-1, 1<<max(columns-16, 0)-1
		for i := 0; i < m; {
			log := sizes[min(most, m-i)&15] // & spares the check of bounds
			size := 1 << (log & 3)
			left := min(size, m-i)
			for r := range left {
				t.c[r] = unsafe.Add(to, 4*cr.start(i+r))
			}
			if kind == timesTransposed {
				t.a[0] = unsafe.Add(from, 4*ar.start(i))
			} else {
				for r := range left {
					t.a[r] = unsafe.Add(from, 4*ar.start(i+r))
				}
				for r := left; r < size; r++ {
					t.a[r], t.c[r] = t.a[left-1], unsafe.Pointer(&spare)
				}
			}
			kernel := first + 3*int(log)
			switch {
			case wide:
				runTile(&t, kernel)
			case columns == w:
				runTile8(&t, kernel)
			default:
				t.runEdge8(kernel, left, columns)
			}
			i += left
			if how.next != nil {
				how.next.ask(j*m+i*columns, n*m)
			}
		}
		j, off = j+w, off+p.k*w
	}
	if !wide { // the others clear them at their end
		archsimd.ClearAVXUpperBits()
	}
}

// runEdge8 is runTile8 for a panel that is not full: AVX2 has no masks, so its columns are computed apart and copied.
//
//go:nocheckptr
func (t *tile) runEdge8(form, rows, columns int) {
	var sums [4][16]float32
	apart, edge := *t, newEdge(columns)
	for r := range rows {
		apart.c[r] = unsafe.Pointer(&sums[r])
		if t.add != 0 {
			edge.copy(apart.c[r], t.c[r])
		}
	}
	runTile8(&apart, form)
	for r := range rows {
		edge.copy(t.c[r], apart.c[r])
	}
}

// edge copies the columns of a panel that is not full: 1 to 15 values, by vector instructions. The runtime's copy has
// legacy SSE ones, which wait for the wide registers on Intel's processors.
type edge struct {
	whole, tail bool
	mask        archsimd.Mask32x8
}

func newEdge(cols int) edge {
	e := edge{whole: cols >= 8, tail: cols%8 > 0}
	if e.tail {
		e.mask = tailMask8(cols % 8)
	}
	return e
}

//go:nocheckptr
func (e *edge) copy(dst, src unsafe.Pointer) {
	if e.whole {
		archsimd.LoadFloat32x8((*[8]float32)(src)).Store((*[8]float32)(dst))
		dst, src = unsafe.Add(dst, 32), unsafe.Add(src, 32)
	}
	if e.tail {
		archsimd.LoadMaskedFloat32x8((*[8]float32)(src), e.mask).StoreMasked((*[8]float32)(dst), e.mask)
	}
}

func copyPanel(dst []float32, w int, src []float32, lds, k, cols int) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case active == levelPortable:
		copyPanelGo(dst, w, src, lds, k, cols)
	case active == levelAVX512 && w > 8:
		copyPanel16(d, s, w, lds, k, cols)
	default:
		copyPanel8(d, s, w, lds, k, cols)
	}
}

// copyPanels is copyPanel for some panels without a gap, k·w values each; it is told that all their columns exist.
func copyPanels(dst []float32, w int, src []float32, lds, k, panels int) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case active == levelPortable:
		copyPanelsGo(dst, w, src, lds, k, panels)
	case active == levelAVX512 && w > 8:
		copyPanels16(d, s, w, lds, k, panels)
	default:
		copyPanels8(d, s, w, lds, k, panels)
	}
}

// transpose sets dst[j·ldd+i] = src[i·lds+j] for i < m and j < n: blocks of 4×4
// by interleaving, eight rows of src at a time where there are as many.
//
//go:nocheckptr
func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if active == levelPortable || m < 4 || n < 4 {
		transposeGo(dst, ldd, src, lds, m, n)
		return
	}
	ldS, ldD := 4*uintptr(lds), 4*uintptr(ldd)
	// The last squares of a row or column start early enough to be whole: what they have in common with others is
	// written twice.
	i := 0
	for ; i+8 <= m; i += 8 {
		for j := 0; ; j = min(j+4, n-4) {
			s, d := unsafe.Pointer(&src[i*lds+j]), unsafe.Pointer(&dst[j*ldd+i])
			r0, r1 := rows8(s, 4*ldS), rows8(unsafe.Add(s, ldS), 4*ldS)
			r2, r3 := rows8(unsafe.Add(s, 2*ldS), 4*ldS), rows8(unsafe.Add(s, 3*ldS), 4*ldS)
			lo01, hi01 := r0.InterleaveLoGrouped(r1).AsInt64x4(), r0.InterleaveHiGrouped(r1).AsInt64x4()
			lo23, hi23 := r2.InterleaveLoGrouped(r3).AsInt64x4(), r2.InterleaveHiGrouped(r3).AsInt64x4()
			lo01.InterleaveLoGrouped(lo23).Store((*[4]int64)(d))
			lo01.InterleaveHiGrouped(lo23).Store((*[4]int64)(unsafe.Add(d, ldD)))
			hi01.InterleaveLoGrouped(hi23).Store((*[4]int64)(unsafe.Add(d, 2*ldD)))
			hi01.InterleaveHiGrouped(hi23).Store((*[4]int64)(unsafe.Add(d, 3*ldD)))
			if j == n-4 {
				break
			}
		}
	}
	for ; i < m; i += 4 {
		i = min(i, m-4)
		for j := 0; ; j = min(j+4, n-4) {
			s, d := unsafe.Pointer(&src[i*lds+j]), unsafe.Pointer(&dst[j*ldd+i])
			r0 := archsimd.LoadInt32x4((*[4]int32)(s))
			r1 := archsimd.LoadInt32x4((*[4]int32)(unsafe.Add(s, ldS)))
			r2 := archsimd.LoadInt32x4((*[4]int32)(unsafe.Add(s, 2*ldS)))
			r3 := archsimd.LoadInt32x4((*[4]int32)(unsafe.Add(s, 3*ldS)))
			lo01, hi01 := r0.InterleaveLo(r1).AsInt64x2(), r0.InterleaveHi(r1).AsInt64x2()
			lo23, hi23 := r2.InterleaveLo(r3).AsInt64x2(), r2.InterleaveHi(r3).AsInt64x2()
			lo01.InterleaveLo(lo23).Store((*[2]int64)(d))
			lo01.InterleaveHi(lo23).Store((*[2]int64)(unsafe.Add(d, ldD)))
			hi01.InterleaveLo(hi23).Store((*[2]int64)(unsafe.Add(d, 2*ldD)))
			hi01.InterleaveHi(hi23).Store((*[2]int64)(unsafe.Add(d, 3*ldD)))
			if j == n-4 {
				break
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// rows8 are four numbers at p and the four a distance after them.
func rows8(p unsafe.Pointer, distance uintptr) archsimd.Int32x8 {
	var x archsimd.Int32x8
	lo, hi := archsimd.LoadInt32x4((*[4]int32)(p)), archsimd.LoadInt32x4((*[4]int32)(unsafe.Add(p, distance)))
	return x.SetLo(lo).SetHi(hi)
}
