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

// copyPanelsGo is copyPanelGo for some panels side by side, none of which has zeros.
func copyPanelsGo(dst []float32, w int, src []float32, lds, k, panels int) {
	if queued && w == 4 && packWide(dst, src, lds, k, panels) {
		return
	}
	for i := range panels {
		copyPanelGo(dst[i*k*w:][:k*w], w, src[i*w:], lds, k, w)
	}
}

// transposeGo sets dst[j·ldd+i] = src[i·lds+j] for i < m and j < n.
func transposeGo(dst []float32, ldd int, src []float32, lds, m, n int) {
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
		b := p.data[j*p.k:][:4*k]
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

// tile2x4 adds the products of two rows by a panel to t.
func tile2x4(t *[2][4]float32, a0, a1, b []float32) {
	x00, x01, x02, x03 := t[0][0], t[0][1], t[0][2], t[0][3]
	x10, x11, x12, x13 := t[1][0], t[1][1], t[1][2], t[1][3]
	w0s, w1s, qs := fours(a0), fours(a1), sixteens(b)
	w1s, qs = w1s[:len(w0s)], qs[:len(w0s)]
	for i := range w0s {
		w0, w1, q := &w0s[i], &w1s[i], &qs[i]
		b0, b1, b2, b3 := q[0], q[1], q[2], q[3]
		v := w0[0]
		x00 += float32(v * b0)
		x01 += float32(v * b1)
		x02 += float32(v * b2)
		x03 += float32(v * b3)
		v = w1[0]
		x10 += float32(v * b0)
		x11 += float32(v * b1)
		x12 += float32(v * b2)
		x13 += float32(v * b3)
		b0, b1, b2, b3 = q[4], q[5], q[6], q[7]
		v = w0[1]
		x00 += float32(v * b0)
		x01 += float32(v * b1)
		x02 += float32(v * b2)
		x03 += float32(v * b3)
		v = w1[1]
		x10 += float32(v * b0)
		x11 += float32(v * b1)
		x12 += float32(v * b2)
		x13 += float32(v * b3)
		b0, b1, b2, b3 = q[8], q[9], q[10], q[11]
		v = w0[2]
		x00 += float32(v * b0)
		x01 += float32(v * b1)
		x02 += float32(v * b2)
		x03 += float32(v * b3)
		v = w1[2]
		x10 += float32(v * b0)
		x11 += float32(v * b1)
		x12 += float32(v * b2)
		x13 += float32(v * b3)
		b0, b1, b2, b3 = q[12], q[13], q[14], q[15]
		v = w0[3]
		x00 += float32(v * b0)
		x01 += float32(v * b1)
		x02 += float32(v * b2)
		x03 += float32(v * b3)
		v = w1[3]
		x10 += float32(v * b0)
		x11 += float32(v * b1)
		x12 += float32(v * b2)
		x13 += float32(v * b3)
	}
	for i := len(a0) &^ 3; i < len(a0); i++ {
		q := b[4*i : 4*i+4 : 4*i+4]
		v := a0[i]
		x00 += float32(v * q[0])
		x01 += float32(v * q[1])
		x02 += float32(v * q[2])
		x03 += float32(v * q[3])
		v = a1[i]
		x10 += float32(v * q[0])
		x11 += float32(v * q[1])
		x12 += float32(v * q[2])
		x13 += float32(v * q[3])
	}
	t[0] = [4]float32{x00, x01, x02, x03}
	t[1] = [4]float32{x10, x11, x12, x13}
}

// fours is x four at a time, without the rest.
func fours(x []float32) [][4]float32 {
	if len(x) < 4 {
		return nil
	}
	return unsafe.Slice((*[4]float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/4)
}

// sixteens is x sixteen at a time, without the rest.
func sixteens(x []float32) [][16]float32 {
	if len(x) < 16 {
		return nil
	}
	return unsafe.Slice((*[16]float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/16)
}
