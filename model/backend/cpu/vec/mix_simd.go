//go:build goexperiment.simd && amd64

package vec

import "simd/archsimd"

// mix has a loop of its own for four heads, the number of every preset: one load of each row serves four sums.
//
//go:nocheckptr
func mix(dst, w, x []float32, heads, stride, n int) {
	if active != levelAVX512 || heads != 4 {
		for k := range heads {
			row := dst[k*stride:][:n]
			clear(row)
			for l := range heads {
				axpy(n, row, x[l*stride:], w[k*heads+l])
			}
		}
		return
	}
	for j := 0; j < n; j += 16 {
		mask := archsimd.Mask32x16FromBits(0xffff)
		if n-j < 16 {
			mask = tailMask16(n - j)
		}
		x0, x1 := loadMasked16(at(x, j), mask), loadMasked16(at(x, stride+j), mask)
		x2, x3 := loadMasked16(at(x, 2*stride+j), mask), loadMasked16(at(x, 3*stride+j), mask)
		for k := range 4 {
			r := w[4*k:][:4]
			y := archsimd.BroadcastFloat32x16(r[0]).Mul(x0)
			y = archsimd.BroadcastFloat32x16(r[1]).MulAdd(x1, y)
			y = archsimd.BroadcastFloat32x16(r[2]).MulAdd(x2, y)
			y = archsimd.BroadcastFloat32x16(r[3]).MulAdd(x3, y)
			storeMasked16(at(dst, k*stride+j), y, mask)
		}
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func gram(dst, a, b []float32, heads, stride, n int) {
	if active != levelAVX512 || heads != 4 {
		for k := range heads {
			for l := range heads {
				dst[k*heads+l] = dot(n, a[k*stride:], b[l*stride:])
			}
		}
		return
	}
	for k := range 4 {
		var s0, s1, s2, s3 archsimd.Float32x16
		for j := 0; j < n; j += 16 {
			mask := archsimd.Mask32x16FromBits(0xffff)
			if n-j < 16 {
				mask = tailMask16(n - j)
			}
			x := loadMasked16(at(a, k*stride+j), mask)
			s0 = x.MulAdd(loadMasked16(at(b, j), mask), s0)
			s1 = x.MulAdd(loadMasked16(at(b, stride+j), mask), s1)
			s2 = x.MulAdd(loadMasked16(at(b, 2*stride+j), mask), s2)
			s3 = x.MulAdd(loadMasked16(at(b, 3*stride+j), mask), s3)
		}
		r := dst[4*k:][:4]
		storeTotal(at(r, 0), s0)
		storeTotal(at(r, 1), s1)
		storeTotal(at(r, 2), s2)
		storeTotal(at(r, 3), s3)
	}
	archsimd.ClearAVXUpperBits()
}
