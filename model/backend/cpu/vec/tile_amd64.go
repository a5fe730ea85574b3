//go:build goexperiment.simd && amd64

package vec

import "unsafe"

// tile is the argument of the AVX-512 product kernels in tile_amd64.s: up to 8 rows of C against 32, 16 or 8 columns
// of a packed panel. genasm.go knows the offsets.
type tile struct {
	a, c [8]unsafe.Pointer // the rows' starts; of mulTN only a[0], whose eight columns lie side by side
	b    unsafe.Pointer    // the panel
	k    int               // rows of the panel, at least 1
	lda  uintptr           // mulTN: bytes from one row of A to the next
	add  uint64            // not 0: C += A·B
	mask [2]uint64         // the columns of each vector that exist
}

//go:noescape
func mul8x32(t *tile)

//go:noescape
func mul8x16(t *tile)

//go:noescape
func mul8x8(t *tile)

//go:noescape
func mul4x32(t *tile)

//go:noescape
func mul4x16(t *tile)

//go:noescape
func mul4x8(t *tile)

//go:noescape
func mul2x32(t *tile)

//go:noescape
func mul2x16(t *tile)

//go:noescape
func mul2x8(t *tile)

//go:noescape
func mul1x32(t *tile)

//go:noescape
func mul1x16(t *tile)

//go:noescape
func mul1x8(t *tile)

//go:noescape
func mulTN8x32(t *tile)

//go:noescape
func mulTN8x16(t *tile)

//go:noescape
func mulTN8x8(t *tile)

//go:noescape
func mulTN4x32(t *tile)

//go:noescape
func mulTN4x16(t *tile)

//go:noescape
func mulTN4x8(t *tile)

//go:noescape
func mulTN2x32(t *tile)

//go:noescape
func mulTN2x16(t *tile)

//go:noescape
func mulTN2x8(t *tile)

//go:noescape
func mulTN1x32(t *tile)

//go:noescape
func mulTN1x16(t *tile)

//go:noescape
func mulTN1x8(t *tile)

// panel points the tile at the cols columns that a panel has; those of its padding are never written.
func (t *tile) panel(b unsafe.Pointer, cols int) {
	t.b = b
	t.mask[0], t.mask[1] = 1<<min(cols, 16)-1, 1<<max(cols-16, 0)-1
}

// mul16 is mulSIMD with AVX-512. Rows go eight at a time; where five to seven or three are left, the last one is
// computed again for the missing ones and thrown away.
//
//go:nocheckptr
func (p *Panel) mul16(c []float32, cr rows, a []float32, ar rows, m int, add bool) {
	var spare [32]float32
	t := tile{k: p.k}
	if add {
		t.add = 1
	}
	for j, off := 0, 0; j < p.n; {
		w := p.width(p.n - j)
		t.panel(unsafe.Pointer(&p.data[off]), min(w, p.n-j))
		for i := 0; i < m; i += 8 {
			n := min(8, m-i)
			size := n
			if n > 4 {
				size = 8
			} else if n == 3 {
				size = 4
			}
			for r := range size {
				if r < n {
					t.a[r], t.c[r] = at(a, ar.start(i+r)), at(c, cr.start(i+r)+j)
				} else {
					t.a[r], t.c[r] = t.a[n-1], unsafe.Pointer(&spare)
				}
			}
			switch {
			case size == 8 && w == 32:
				mul8x32(&t)
			case size == 8 && w == 16:
				mul8x16(&t)
			case size == 8 && w == 8:
				mul8x8(&t)
			case size == 4 && w == 32:
				mul4x32(&t)
			case size == 4 && w == 16:
				mul4x16(&t)
			case size == 4 && w == 8:
				mul4x8(&t)
			case size == 2 && w == 32:
				mul2x32(&t)
			case size == 2 && w == 16:
				mul2x16(&t)
			case size == 2 && w == 8:
				mul2x8(&t)
			case size == 1 && w == 32:
				mul1x32(&t)
			case size == 1 && w == 16:
				mul1x16(&t)
			case size == 1 && w == 8:
				mul1x8(&t)
			}
		}
		j, off = j+w, off+p.k*w
	}
}

// tn16 is tnSIMD with AVX-512: rows of C by eight, four, two and one.
//
//go:nocheckptr
func (p *Panel) tn16(c []float32, ldc int, a []float32, lda, m int, add bool) {
	t := tile{k: p.k, lda: 4 * uintptr(lda)}
	if add {
		t.add = 1
	}
	for j, off := 0, 0; j < p.n; {
		w := p.width(p.n - j)
		t.panel(unsafe.Pointer(&p.data[off]), min(w, p.n-j))
		for i := 0; i < m; {
			n := 8
			for n > m-i {
				n /= 2
			}
			t.a[0] = at(a, i)
			for r := range n {
				t.c[r] = at(c, (i+r)*ldc+j)
			}
			switch {
			case n == 8 && w == 32:
				mulTN8x32(&t)
			case n == 8 && w == 16:
				mulTN8x16(&t)
			case n == 8 && w == 8:
				mulTN8x8(&t)
			case n == 4 && w == 32:
				mulTN4x32(&t)
			case n == 4 && w == 16:
				mulTN4x16(&t)
			case n == 4 && w == 8:
				mulTN4x8(&t)
			case n == 2 && w == 32:
				mulTN2x32(&t)
			case n == 2 && w == 16:
				mulTN2x16(&t)
			case n == 2 && w == 8:
				mulTN2x8(&t)
			case n == 1 && w == 32:
				mulTN1x32(&t)
			case n == 1 && w == 16:
				mulTN1x16(&t)
			case n == 1 && w == 8:
				mulTN1x8(&t)
			}
			i += n
		}
		j, off = j+w, off+p.k*w
	}
}
