package vec

import "unsafe"

// copyPanelGo copies k rows of cols values into rows of w, the rest zero.
func copyPanelGo(dst []float32, w int, src []float32, lds, k, cols int) {
	for i := range k {
		d := dst[i*w : i*w+w]
		copy(d, src[i*lds:i*lds+cols])
		clear(d[cols:])
	}
}

// copyPanels is copyPanelGo for some panels side by side, none of which has zeros. It reads a row to its end before
// the next: a matrix that comes from beyond the cache then comes in order.
func copyPanels(dst []float32, w int, src []float32, lds, k, panels int) {
	if panels == 0 || queued && packWide(dst, src, lds, k, panels) { // of none there may be no rows to point at
		return
	}
	switch w {
	case 4:
		copyRows[[4]float32](dst, src, lds, k, panels)
	case 8:
		copyRows[[8]float32](dst, src, lds, k, panels)
	case 16:
		copyRows[[16]float32](dst, src, lds, k, panels)
	default:
		copyRows[[32]float32](dst, src, lds, k, panels)
	}
}

func copyRows[T any](dst, src []float32, lds, k, panels int) {
	to, w := blocks[T](dst), int(unsafe.Sizeof(*new(T))/4)
	for r := range k {
		x := blocks[T](src[r*lds:][:panels*w])
		for i := range x {
			to[i*k+r] = x[i]
		}
	}
}

// transpose sets dst[j·ldd+i] = src[i·lds+j] for i < m and j < n.
func transpose(dst []float32, ldd int, src []float32, lds, m, n int) {
	if n == 0 {
		return
	}
	i := 0
	for ; i+4 <= m; i += 4 {
		r0 := src[i*lds:][:n]
		r1 := src[(i+1)*lds:][:n]
		r2 := src[(i+2)*lds:][:n]
		r3 := src[(i+3)*lds:][:n]
		at := i
		for j := range n {
			d := dst[at : at+4 : at+4]
			d[0], d[1], d[2], d[3] = r0[j], r1[j], r2[j], r3[j]
			at += ldd
		}
	}
	for ; i < m; i++ {
		at := i
		for _, v := range src[i*lds:][:n] {
			dst[at] = v
			at += ldd
		}
	}
}

// mulGo multiplies in tiles of 2 rows and the panels' 4 columns: eight sums and what they need still fit in 16
// registers, in amd64 and in what browsers make of WebAssembly; 4×4 runs at a third of the speed. A last row alone is
// computed twice. Products are rounded before they are added, whatever the compiler could fuse.
func (p *Panel) mulGo(c []float32, cr rows, a []float32, ar rows, m, k, n int, add bool) {
	for j := 0; j < n; j += 4 {
		cols := min(4, n-j)
		b := p.data[j*p.K:][:4*k]
		for i := 0; i < m; i += 2 {
			next := min(i+1, m-1)
			var t [2][4]float32
			c0, c1 := c[cr.start(i)+j:][:cols], c[cr.start(next)+j:][:cols]
			if add {
				copy(t[0][:], c0)
				copy(t[1][:], c1)
			}
			tile2x4(&t, a[ar.start(i):][:k], a[ar.start(next):][:k], b)
			copy(c0, t[0][:])
			copy(c1, t[1][:])
		}
	}
}

// blocks is x as arrays T of float32, without the rest.
func blocks[T any](x []float32) []T {
	n := len(x) / int(unsafe.Sizeof(*new(T))/4)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), n)
}
