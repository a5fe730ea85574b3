//go:build goexperiment.simd && amd64 && !go1.27

package vec

import (
	"simd/archsimd"
	"unsafe"
)

// The loops of heads.go for four heads and 16 lanes; the callers have checked the lengths. Rows are short, so every
// vector of a row is masked like its last one.

// places say for every lane of a 4×4 matrix, row after row, where to look: at the lane of its row's or its column's
// number, at a row's first lane for the lanes of the first row, or at the lane whose number differs in one bit.
var places = func() (p struct{ row, column, first, swap1, swap2, swap4, swap8 [16]uint32 }) {
	for i := range uint32(16) {
		p.row[i], p.column[i], p.first[i] = i/4, i%4, i%4*4
		p.swap1[i], p.swap2[i], p.swap4[i], p.swap8[i] = i^1, i^2, i^4, i^8
	}
	return p
}()

// permuted has in each lane the lane of x that to names.
func permuted(x archsimd.Float32x16, to *[16]uint32) archsimd.Float32x16 {
	return x.Permute(archsimd.LoadUint32x16(to))
}

// bitsAt are those of x[i], which the caller has checked.
func bitsAt(x []float32, i int) int32 { return *(*int32)(at(x, i)) }

// number16 is the float32 of these bits in every lane. As a float32 it would go by a legacy SSE register; see
// storeTotal.
func number16(bits int32) archsimd.Float32x16 {
	return archsimd.BroadcastInt32x16(bits).AsFloat32x16()
}

// constant16 is a row of the table of constants.
func constant16(l *lane16) archsimd.Float32x16 { return archsimd.LoadFloat32x16(l) }

// max16 is the greater of x and b, lane by lane; a NaN in x stays.
func max16(x, b archsimd.Float32x16) archsimd.Float32x16 { return b.Merge(x, x.Less(b)) }

// minus16 is −x.
func minus16(x archsimd.Float32x16) archsimd.Float32x16 {
	return x.AsInt32x16().Xor(constant16(&consts.signBit).AsInt32x16()).AsFloat32x16()
}

// expApart16 is exp16 as a call. Where many vectors are live, that is faster than to spill them around the polynomial.
//
//go:noinline
func expApart16(x archsimd.Float32x16) archsimd.Float32x16 { return exp16(x) }

//go:nocheckptr
func (h Heads) grow(tree, dist, e, f []float32, n int) {
	for k := range h.Count {
		c, d := at(tree, k*h.Line), at(dist, k*h.Stride)
		b, fk := number16(bitsAt(e, k)), number16(bitsAt(f, k))
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask, old := first16(left), first16(left-1)
			x := loadMasked16(unsafe.Add(c, o), old)
			t := x.Sub(b).AsInt32x16().Or(constant16(&consts.signBit).AsInt32x16()).AsFloat32x16() // −|x − b|
			y := max16(x, b).Add(log1p16(exp16(t))).Masked(old)
			storeMasked16(unsafe.Add(c, o), y, mask)
			storeMasked16(unsafe.Add(d, o), fk.MulAdd(y, loadMasked16(unsafe.Add(d, o), mask)), mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// mix16 is w0·x0 + w1·x1 + w2·x2 + w3·x3 for four numbers w.
func mix16(w *[4]int32, x0, x1, x2, x3 archsimd.Float32x16) archsimd.Float32x16 {
	return number16(w[3]).MulAdd(x3, number16(w[2]).MulAdd(x2, number16(w[1]).MulAdd(x1, number16(w[0]).Mul(x0))))
}

// mixSoftmax takes the heads side by side, since a masked store that is read again at once has to be waited for.
//
//go:nocheckptr
func (h Heads) mixSoftmax(dst, w, x []float32, n, m int) {
	stride := 4 * uintptr(h.Stride)
	to, from, ws := at(dst, 0), at(x, 0), (*[4][4]int32)(at(w, 0))
	var s0, s1, s2, s3 archsimd.Float32x16
	for o, left := uintptr(0), n; left > n-m; o, left = o+64, left-16 {
		mask, whole := first16(left), first16(left+m-n)
		x0, x1 := loadMasked16(unsafe.Add(from, o), mask), loadMasked16(unsafe.Add(from, stride+o), mask)
		x2, x3 := loadMasked16(unsafe.Add(from, 2*stride+o), mask), loadMasked16(unsafe.Add(from, 3*stride+o), mask)
		p0 := expApart16(minus16(mix16(&ws[0], x0, x1, x2, x3))).Masked(mask)
		s0 = s0.Add(p0)
		storeMasked16(unsafe.Add(to, o), p0, whole)
		p1 := expApart16(minus16(mix16(&ws[1], x0, x1, x2, x3))).Masked(mask)
		s1 = s1.Add(p1)
		storeMasked16(unsafe.Add(to, stride+o), p1, whole)
		p2 := expApart16(minus16(mix16(&ws[2], x0, x1, x2, x3))).Masked(mask)
		s2 = s2.Add(p2)
		storeMasked16(unsafe.Add(to, 2*stride+o), p2, whole)
		p3 := expApart16(minus16(mix16(&ws[3], x0, x1, x2, x3))).Masked(mask)
		s3 = s3.Add(p3)
		storeMasked16(unsafe.Add(to, 3*stride+o), p3, whole)
	}
	var inverse [4]int32
	one := archsimd.LoadFloat32x4((*[4]float32)(consts.one[:4]))
	one.Div(totals(s0, s1, s2, s3)).AsInt32x4().Store(&inverse)
	for _, i := range inverse {
		f := number16(i)
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first16(left)
			storeMasked16(unsafe.Add(to, o), loadMasked16(unsafe.Add(to, o), mask).Mul(f), mask)
		}
		to = unsafe.Add(to, stride)
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (h Heads) softmaxGram(gram, g, p, x []float32, n int) {
	stride := 4 * uintptr(h.Stride)
	gk, pk, x0 := at(g, 0), at(p, 0), at(x, 0)
	x1, x2, x3 := unsafe.Add(x0, stride), unsafe.Add(x0, 2*stride), unsafe.Add(x0, 3*stride)
	along := func(o uintptr, mask archsimd.Mask32x16, sum archsimd.Float32x16) archsimd.Float32x16 {
		return loadMasked16(unsafe.Add(pk, o), mask).MulAdd(loadMasked16(unsafe.Add(gk, o), mask), sum)
	}
	var m0, m1, m2, m3 archsimd.Float32x16
	for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
		mask := first16(left)
		m0, m1 = along(o, mask, m0), along(stride+o, mask, m1)
		m2, m3 = along(2*stride+o, mask, m2), along(3*stride+o, mask, m3)
	}
	var means [4]int32
	totals(m0, m1, m2, m3).AsInt32x4().Store(&means)
	for k, i := range means {
		mean := number16(i)
		var s0, s1, s2, s3 archsimd.Float32x16
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first16(left)
			d := mean.Sub(loadMasked16(unsafe.Add(gk, o), mask)).Mul(loadMasked16(unsafe.Add(pk, o), mask))
			storeMasked16(unsafe.Add(gk, o), d, mask)
			s0 = d.MulAdd(loadMasked16(unsafe.Add(x0, o), mask), s0)
			s1 = d.MulAdd(loadMasked16(unsafe.Add(x1, o), mask), s1)
			s2 = d.MulAdd(loadMasked16(unsafe.Add(x2, o), mask), s2)
			s3 = d.MulAdd(loadMasked16(unsafe.Add(x3, o), mask), s3)
		}
		totals(s0, s1, s2, s3).Store((*[4]float32)(at(gram, 4*k)))
		gk, pk = unsafe.Add(gk, stride), unsafe.Add(pk, stride)
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (h Heads) unmix(u Unmixed[float32], w []float32, n, m int) {
	y0, y1 := at(u.Mixed, 0), at(u.Mixed, h.Stride)
	y2, y3 := at(u.Mixed, 2*h.Stride), at(u.Mixed, 3*h.Stride)
	var taken [4]float32
	for l := range h.Count {
		g, tree, dtree, pull := at(u.G, l*h.Stride), at(u.Tree, l*h.Line), at(u.DTree, l*h.Line), at(u.Pull, l*h.Line)
		f := number16(bitsAt(u.F, l))
		w0, w1 := number16(bitsAt(w, l)), number16(bitsAt(w, 4+l))
		w2, w3 := number16(bitsAt(w, 8+l)), number16(bitsAt(w, 12+l))
		var along, sum, zero archsimd.Float32x16
		for o, left := uintptr(0), n; left > n-m; o, left = o+64, left-16 {
			mask, old := first16(left), first16(left-1)
			d := loadMasked16(unsafe.Add(y0, o), mask).Mul(w0)
			d = loadMasked16(unsafe.Add(y1, o), mask).MulAdd(w1, d)
			d = loadMasked16(unsafe.Add(y2, o), mask).MulAdd(w2, d)
			d = loadMasked16(unsafe.Add(y3, o), mask).MulAdd(w3, d)
			along = d.MulAdd(loadMasked16(unsafe.Add(tree, o), mask), along)
			storeMasked16(unsafe.Add(dtree, o), d.Mul(f), mask)
			d = d.Add(d).Masked(old)
			storeMasked16(unsafe.Add(g, o), zero.Sub(d), first16(left+m-n))
			storeMasked16(unsafe.Add(pull, o), loadMasked16(unsafe.Add(pull, o), old).Add(d), old)
			sum = sum.Add(d)
		}
		storeTotal(at(u.Dots, l), along)
		storeTotal(unsafe.Pointer(&taken[l]), sum)
	}
	archsimd.ClearAVXUpperBits()
	for l, t := range taken {
		u.Pull[l*h.Line+n-1] += t
	}
}

//go:nocheckptr
func (h Heads) ratios(share, tree []float32, n int) {
	for k := range h.Count {
		to, c := at(share, k*h.Line), at(tree, k*h.Line)
		for o, left := uintptr(0), n; left > 0; o, left = o+64, left-16 {
			mask := first16(left)
			d := loadMasked16(unsafe.Add(c, o+4), mask).Sub(loadMasked16(unsafe.Add(c, o), mask))
			storeMasked16(unsafe.Add(to, o), exp16(d), mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// along is the sum of each matrix row's four lanes, in each of them.
func along(x archsimd.Float32x16) archsimd.Float32x16 {
	x = x.Add(permuted(x, &places.swap1))
	return x.Add(permuted(x, &places.swap2))
}

//go:nocheckptr
func (h Heads) fuse(a, c, b []float32) {
	cs := loadMasked16(at(c, 0), first16(4))
	s := permuted(cs, &places.row).Mul(load16(at(b, 0))).Mul(permuted(cs, &places.column))
	top := s.Max(permuted(s, &places.swap1))
	top = top.Max(permuted(top, &places.swap2))
	e := exp16(s.Sub(top))
	store16(at(a, 0), e.Div(along(e)))
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (h Heads) fuseBackward(db, dc, a, da, c, b []float32) {
	four := first16(4)
	cs := loadMasked16(at(c, 0), four)
	ck, cl := permuted(cs, &places.row), permuted(cs, &places.column)
	x, dx := load16(at(a, 0)), load16(at(da, 0))
	ds := x.Mul(dx.Sub(along(x.Mul(dx))))
	store16(at(db, 0), ds.Mul(ck).MulAdd(cl, load16(at(db, 0))))
	ds = ds.Mul(load16(at(b, 0)))
	rows, columns := along(ds.Mul(cl)), ds.Mul(ck)
	columns = columns.Add(permuted(columns, &places.swap4))
	columns = columns.Add(permuted(columns, &places.swap8))
	storeMasked16(at(dc, 0), permuted(rows, &places.first).Add(columns), four)
	archsimd.ClearAVXUpperBits()
}
