//go:build goexperiment.simd && amd64

package vec

import (
	"simd/archsimd"
	"unsafe"
)

// The functions here trust the lengths that panel.go has checked: below them
// are loads and stores through bare pointers.

func (p *Panel) mulSIMD(c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	if p.level == levelAVX512 {
		p.mul16(c, cr, a, ar, m, k, n, add, false)
	} else {
		p.mul8(c, cr, a, ar, m, k, n, add)
	}
}

func (p *Panel) sqDist16(c []float32, cr rows, a []float32, ar rows, m, n int, add bool) {
	p.mul16(c, cr, a, ar, m, p.k, n, add, true)
}

// tnSIMD computes C (+)= Aᵀ·B for a packed B: row i of C from column i of A.
func (p *Panel) tnSIMD(c []float32, ldc int, a []float32, lda, m int, add bool) {
	if p.level == levelAVX512 {
		p.tn16(c, ldc, a, lda, m, add)
	} else {
		p.tn8(c, ldc, a, lda, m, add)
	}
}

// mul8 is mulSIMD with AVX2.
func (p *Panel) mul8(c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	// A padded panel is computed here and its columns copied, so that nothing
	// beyond them is touched in c.
	var tail [4][16]float32
	aP, cP := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(c))
	for j, off := 0, 0; j < n; {
		w := p.width(p.n - j)
		cols := min(w, n-j)
		edge := newEdge(cols)
		b := unsafe.Pointer(&p.data[off])
		for i := 0; i < m; {
			left := min(4, m-i)
			// Where three rows are left the fourth repeats the third.
			i1, i2, i3 := i+min(1, left-1), i+min(2, left-1), i+left-1
			a0, a1 := unsafe.Add(aP, 4*ar.start(i)), unsafe.Add(aP, 4*ar.start(i1))
			a2, a3 := unsafe.Add(aP, 4*ar.start(i2)), unsafe.Add(aP, 4*ar.start(i3))
			var c0, c1, c2, c3 unsafe.Pointer
			if cols == w {
				c0, c1 = unsafe.Add(cP, 4*(cr.start(i)+j)), unsafe.Add(cP, 4*(cr.start(i1)+j))
				c2, c3 = unsafe.Add(cP, 4*(cr.start(i2)+j)), unsafe.Add(cP, 4*(cr.start(i3)+j))
			} else {
				c0, c1 = unsafe.Pointer(&tail[0]), unsafe.Pointer(&tail[i1-i])
				c2, c3 = unsafe.Pointer(&tail[i2-i]), unsafe.Pointer(&tail[i3-i])
				for r := 0; add && r < left; r++ {
					edge.copy(unsafe.Pointer(&tail[r]), unsafe.Add(cP, 4*(cr.start(i+r)+j)))
				}
			}
			switch {
			case w == 16 && left == 1:
				tile1x2(c0, a0, b, k, add)
			case w == 16 && left == 2:
				tile2x2(c0, c1, a0, a1, b, k, add)
			case w == 16:
				tile4x2(c0, c1, c2, c3, a0, a1, a2, a3, b, k, add)
			case left == 1:
				tile1x1(c0, a0, b, k, add)
			case left == 2:
				tile2x1(c0, c1, a0, a1, b, k, add)
			default:
				tile4x1(c0, c1, c2, c3, a0, a1, a2, a3, b, k, add)
			}
			for r := 0; cols < w && r < left; r++ {
				edge.copy(unsafe.Add(cP, 4*(cr.start(i+r)+j)), unsafe.Pointer(&tail[r]))
			}
			i += left
		}
		j, off = j+w, off+p.k*w
	}
	archsimd.ClearAVXUpperBits()
}

// tn8 is tnSIMD with AVX2.
func (p *Panel) tn8(c []float32, ldc int, a []float32, lda, m int, add bool) {
	var tail [4][16]float32
	for j, off := 0, 0; j < p.n; {
		w := p.width(p.n - j)
		cols := min(w, p.n-j)
		edge := newEdge(cols)
		b := unsafe.Pointer(&p.data[off])
		for i := 0; i < m; {
			n := min(4, m-i)
			if n == 3 {
				n = 2
			}
			to, step := at(c, i*ldc+j), 4*uintptr(ldc)
			if cols < w { // computed here and copied, so that nothing beyond the columns is touched
				to, step = unsafe.Pointer(&tail), 4*16
				for r := 0; add && r < n; r++ {
					edge.copy(unsafe.Pointer(&tail[r]), at(c, (i+r)*ldc+j))
				}
			}
			from, ld := at(a, i), 4*uintptr(lda)
			switch {
			case w == 16 && n == 4:
				tileTN4x2(to, step, from, ld, b, p.k, add)
			case w == 16 && n == 2:
				tileTN2x2(to, step, from, ld, b, p.k, add)
			case w == 16:
				tileTN1x2(to, step, from, ld, b, p.k, add)
			case n == 4:
				tileTN4x1(to, step, from, ld, b, p.k, add)
			case n == 2:
				tileTN2x1(to, step, from, ld, b, p.k, add)
			default:
				tileTN1x1(to, step, from, ld, b, p.k, add)
			}
			for r := 0; cols < w && r < n; r++ {
				edge.copy(at(c, (i+r)*ldc+j), unsafe.Pointer(&tail[r]))
			}
			i += n
		}
		j, off = j+w, off+p.k*w
	}
	archsimd.ClearAVXUpperBits()
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
	// The last squares of a row or column start early enough to be whole: what they have in common with others is written twice.
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
	return x.SetLo(archsimd.LoadInt32x4((*[4]int32)(p))).SetHi(archsimd.LoadInt32x4((*[4]int32)(unsafe.Add(p, distance))))
}
