//go:build goexperiment.simd && amd64 && !go1.27

package vec

import (
	"simd/archsimd"
	"unsafe"
)

// The loops below have 16 lanes. With AVX2 the spans run on the 8-lane loops of single vectors.

// vectors cuts a vector of width d into whole ones and a masked tail; without a tail the mask is empty.
func vectors(d int) (whole uintptr, tail bool, mask archsimd.Mask32x16) {
	whole = uintptr(d/16) * 64
	if d%16 != 0 {
		return whole, true, tailMask16(d % 16)
	}
	return whole, false, archsimd.Mask32x16FromBits(0)
}

// at is the address of x[i], which the caller has checked.
func at(x []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), 4*i)
}

func load16(p unsafe.Pointer) archsimd.Float32x16 {
	return archsimd.LoadFloat32x16((*[16]float32)(p))
}

func loadMasked16(p unsafe.Pointer, m archsimd.Mask32x16) archsimd.Float32x16 {
	return archsimd.LoadMaskedFloat32x16((*[16]float32)(p), m)
}

func store16(p unsafe.Pointer, x archsimd.Float32x16) { x.Store((*[16]float32)(p)) }

func storeMasked16(p unsafe.Pointer, x archsimd.Float32x16, m archsimd.Mask32x16) {
	x.StoreMasked((*[16]float32)(p), m)
}

// quarter adds the lanes of x down to four, always in the same order.
func quarter(x archsimd.Float32x16) archsimd.Float32x4 {
	h := x.GetLo().Add(x.GetHi())
	return h.GetLo().Add(h.GetHi())
}

// total is the sum of all lanes of x, in each lane.
func total(x archsimd.Float32x16) archsimd.Float32x4 {
	q := quarter(x)
	q = q.AddPairs(q)
	return q.AddPairs(q)
}

// totals are those of four vectors, one a lane, with total's bits.
func totals(x0, x1, x2, x3 archsimd.Float32x16) archsimd.Float32x4 {
	return quarter(x0).AddPairs(quarter(x1)).AddPairs(quarter(x2).AddPairs(quarter(x3)))
}

// storeTotal writes the total of x. The number is stored as an integer: a float32 would go through a legacy SSE
// register, and on Intel's processors every such instruction between vector loops waits for the wide registers
// (attention took three times as long).
func storeTotal(to unsafe.Pointer, x archsimd.Float32x16) {
	*(*int32)(to) = total(x).AsInt32x4().GetElem(0)
}

//go:nocheckptr
func (s Span) sqDist(out, a, b []float32, step int) {
	if active != levelAVX512 {
		s.sqDistGo(out, a, b, step)
		return
	}
	whole, tail, mask := vectors(s.D)
	plane := 4 * uintptr(s.Plane)
	for j := range out {
		x, y := at(a, j*step), at(b, j*s.Stride)
		var re, im archsimd.Float32x16
		for o := uintptr(0); o < whole; o += 64 {
			d := load16(unsafe.Add(x, o)).Sub(load16(unsafe.Add(y, o)))
			re = d.MulAdd(d, re)
			e := load16(unsafe.Add(x, o+plane)).Sub(load16(unsafe.Add(y, o+plane)))
			im = e.MulAdd(e, im)
		}
		if tail {
			d := loadMasked16(unsafe.Add(x, whole), mask).Sub(loadMasked16(unsafe.Add(y, whole), mask))
			re = d.MulAdd(d, re)
			e := loadMasked16(unsafe.Add(x, whole+plane), mask).Sub(loadMasked16(unsafe.Add(y, whole+plane), mask))
			im = e.MulAdd(e, im)
		}
		storeTotal(at(out, j), re.Add(im))
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (s Span) dot(out, a, b []float32) {
	if active != levelAVX512 {
		s.dotGo(out, a, b)
		return
	}
	whole, tail, mask := vectors(s.D)
	plane := 4 * uintptr(s.Plane)
	x := at(a, 0)
	for j := range out {
		y := at(b, j*s.Stride)
		var re, im archsimd.Float32x16
		for o := uintptr(0); o < whole; o += 64 {
			re = load16(unsafe.Add(x, o)).MulAdd(load16(unsafe.Add(y, o)), re)
			im = load16(unsafe.Add(x, o+plane)).MulAdd(load16(unsafe.Add(y, o+plane)), im)
		}
		if tail {
			re = loadMasked16(unsafe.Add(x, whole), mask).MulAdd(loadMasked16(unsafe.Add(y, whole), mask), re)
			im = loadMasked16(unsafe.Add(x, whole+plane),
				mask).MulAdd(loadMasked16(unsafe.Add(y, whole+plane), mask), im)
		}
		storeTotal(at(out, j), re.Add(im))
	}
	archsimd.ClearAVXUpperBits()
}

// sum keeps a column of dst in registers while it walks down the rows.
//
//go:nocheckptr
func (s Span) sum(dst, w, x []float32) {
	if active != levelAVX512 {
		s.sumGo(dst, w, x)
		return
	}
	whole, tail, mask := vectors(s.D)
	plane, stride := 4*uintptr(s.Plane), 4*s.Stride
	to, from := at(dst, 0), at(x, 0)
	for o := uintptr(0); o < whole; o += 64 {
		re, im := load16(unsafe.Add(to, o)), load16(unsafe.Add(to, o+plane))
		y := unsafe.Add(from, o)
		for j, f := range w {
			v := archsimd.BroadcastFloat32x16(f)
			re = v.MulAdd(load16(unsafe.Add(y, j*stride)), re)
			im = v.MulAdd(load16(unsafe.Add(y, j*stride+int(plane))), im)
		}
		store16(unsafe.Add(to, o), re)
		store16(unsafe.Add(to, o+plane), im)
	}
	if tail {
		re, im := loadMasked16(unsafe.Add(to, whole), mask), loadMasked16(unsafe.Add(to, whole+plane), mask)
		y := unsafe.Add(from, whole)
		for j, f := range w {
			v := archsimd.BroadcastFloat32x16(f)
			re = v.MulAdd(loadMasked16(unsafe.Add(y, j*stride), mask), re)
			im = v.MulAdd(loadMasked16(unsafe.Add(y, j*stride+int(plane)), mask), im)
		}
		storeMasked16(unsafe.Add(to, whole), re, mask)
		storeMasked16(unsafe.Add(to, whole+plane), im, mask)
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (s Span) outer(dst, w, a []float32, step int) {
	if active != levelAVX512 {
		s.outerGo(dst, w, a, step)
		return
	}
	whole, tail, mask := vectors(s.D)
	for j, f := range w {
		x := at(a, j*step)
		v := archsimd.BroadcastFloat32x16(f)
		for p := uintptr(0); p <= 4*uintptr(s.Plane); p += 4 * uintptr(s.Plane) {
			y := unsafe.Add(at(dst, j*s.Stride), p)
			for o := uintptr(0); o < whole; o += 64 {
				store16(unsafe.Add(y, o), v.MulAdd(load16(unsafe.Add(x, o+p)), load16(unsafe.Add(y, o))))
			}
			if tail {
				y = unsafe.Add(y, whole)
				storeMasked16(y, v.MulAdd(loadMasked16(unsafe.Add(x, whole+p), mask), loadMasked16(y, mask)), mask)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

// diff, like sum, keeps a column of da in registers; a row of db that is da's own gives and takes the same.
//
//go:nocheckptr
func (s Span) diff(da, db, g, a, b []float32) {
	if active != levelAVX512 {
		s.diffGo(da, db, g, a, b)
		return
	}
	whole, tail, mask := vectors(s.D)
	stride := 4 * s.Stride
	for p := uintptr(0); p <= 4*uintptr(s.Plane); p += 4 * uintptr(s.Plane) {
		x, y, dx, dy := unsafe.Add(at(a, 0), p), unsafe.Add(at(b, 0),
			p), unsafe.Add(at(da, 0), p), unsafe.Add(at(db, 0), p)
		for o := uintptr(0); o < whole; o += 64 {
			xo := load16(unsafe.Add(x, o))
			var sum archsimd.Float32x16
			yo, dyo := unsafe.Add(y, o), unsafe.Add(dy, o)
			for j, f := range g {
				d := archsimd.BroadcastFloat32x16(f).Mul(xo.Sub(load16(unsafe.Add(yo, j*stride))))
				sum = sum.Add(d)
				r := unsafe.Add(dyo, j*stride)
				store16(r, load16(r).Sub(d))
			}
			store16(unsafe.Add(dx, o), load16(unsafe.Add(dx, o)).Add(sum))
		}
		if tail {
			xo := loadMasked16(unsafe.Add(x, whole), mask)
			var sum archsimd.Float32x16
			yo, dyo := unsafe.Add(y, whole), unsafe.Add(dy, whole)
			for j, f := range g {
				d := archsimd.BroadcastFloat32x16(f).Mul(xo.Sub(loadMasked16(unsafe.Add(yo, j*stride), mask)))
				sum = sum.Add(d)
				r := unsafe.Add(dyo, j*stride)
				storeMasked16(r, loadMasked16(r, mask).Sub(d), mask)
			}
			r := unsafe.Add(dx, whole)
			storeMasked16(r, loadMasked16(r, mask).Add(sum), mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// diffNext carries the running row in a register from one row to the next.
//
//go:nocheckptr
func (s Span) diffNext(dx, g, x []float32) {
	if active != levelAVX512 {
		s.diffNextGo(dx, g, x)
		return
	}
	whole, tail, mask := vectors(s.D)
	stride := 4 * s.Stride
	for p := uintptr(0); p <= 4*uintptr(s.Plane); p += 4 * uintptr(s.Plane) {
		for o := uintptr(0); o < whole; o += 64 {
			y, dy := unsafe.Add(at(x, 0), o+p), unsafe.Add(at(dx, 0), o+p)
			now, sum := load16(y), load16(dy)
			for t, f := range g {
				next := load16(unsafe.Add(y, (t+1)*stride))
				d := archsimd.BroadcastFloat32x16(f).Mul(next.Sub(now))
				store16(unsafe.Add(dy, t*stride), sum.Sub(d))
				sum = load16(unsafe.Add(dy, (t+1)*stride)).Add(d)
				now = next
			}
			store16(unsafe.Add(dy, len(g)*stride), sum)
		}
		if tail {
			y, dy := unsafe.Add(at(x, 0), whole+p), unsafe.Add(at(dx, 0), whole+p)
			now, sum := loadMasked16(y, mask), loadMasked16(dy, mask)
			for t, f := range g {
				next := loadMasked16(unsafe.Add(y, (t+1)*stride), mask)
				d := archsimd.BroadcastFloat32x16(f).Mul(next.Sub(now))
				storeMasked16(unsafe.Add(dy, t*stride), sum.Sub(d), mask)
				sum = loadMasked16(unsafe.Add(dy, (t+1)*stride), mask).Add(d)
				now = next
			}
			storeMasked16(unsafe.Add(dy, len(g)*stride), sum, mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}
