//go:build goexperiment.simd && amd64 && !go1.27

package vec

import (
	"simd/archsimd"
	"unsafe"
)

// pairRows is the fewest rows of B for which two columns are cheaper as inner products than as a panel of eight.
const pairRows = 32

// hasPair tells whether a product has its last two columns from timesPair.
func (p *Panel) hasPair() bool { return p.level == levelAVX512 && p.n%32 == 2 && p.k >= pairRows }

// timesPair computes the last two columns of a product with B's first k rows: each number is an inner product. The
// sums of a row do not depend on the three beside it.
//
//go:nocheckptr
func (p *Panel) timesPair(c []float32, cr rows, a []float32, ar rows, m, k int, how manner) {
	j, b, step := p.n-2, at(p.pair, 0), 4*uintptr(p.k)
	var bias int64
	if how.bias != nil {
		bias = *(*int64)(at(how.bias, j))
	}
	for i := 0; i < m; i += 4 {
		var to [4]unsafe.Pointer
		var old [4]int64
		i1, i2, i3 := min(i+1, m-1), min(i+2, m-1), min(i+3, m-1) // the last row again where there are fewer
		for r, row := range [...]int{i, i1, i2, i3} {
			to[r], old[r] = at(c, cr.start(row)+j), bias
			if how.add {
				old[r] = *(*int64)(to[r])
			}
		}
		x0, x1, x2, x3 := at(a, ar.start(i)), at(a, ar.start(i1)), at(a, ar.start(i2)), at(a, ar.start(i3))
		var s00, s01, s10, s11, s20, s21, s30, s31 archsimd.Float32x16
		for q := 0; q < k; q += 16 {
			o, mask := 4*uintptr(q), first16(k-q)
			y0, y1 := loadMasked16(unsafe.Add(b, o), mask), loadMasked16(unsafe.Add(b, o+step), mask)
			x := loadMasked16(unsafe.Add(x0, o), mask)
			s00, s01 = x.MulAdd(y0, s00), x.MulAdd(y1, s01)
			x = loadMasked16(unsafe.Add(x1, o), mask)
			s10, s11 = x.MulAdd(y0, s10), x.MulAdd(y1, s11)
			x = loadMasked16(unsafe.Add(x2, o), mask)
			s20, s21 = x.MulAdd(y0, s20), x.MulAdd(y1, s21)
			x = loadMasked16(unsafe.Add(x3, o), mask)
			s30, s31 = x.MulAdd(y0, s30), x.MulAdd(y1, s31)
		}
		storePairs(to[0], to[1], totals(s00, s01, s10, s11), old[0], old[1])
		storePairs(to[2], to[3], totals(s20, s21, s30, s31), old[2], old[3])
	}
}

// storePairs adds what is in each half of x to a pair of numbers. They go by integer registers, as storeTotal's does.
func storePairs(to0, to1 unsafe.Pointer, x archsimd.Float32x4, old0, old1 int64) {
	var old archsimd.Int64x2
	sum := old.SetElem(0, old0).SetElem(1, old1).AsFloat32x4().Add(x).AsInt64x2()
	*(*int64)(to0), *(*int64)(to1) = sum.GetElem(0), sum.GetElem(1)
}
