//go:build goexperiment.simd && amd64

package vec

import "unsafe"

// tile is the argument of the AVX-512 kernels in tile_amd64.s: up to 8 rows of C against 32, 16 or 8 columns
// of a packed panel. gen/assembly.go knows the offsets.
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

//go:noescape
func sqDist8x32(t *tile)

//go:noescape
func sqDist8x16(t *tile)

//go:noescape
func sqDist8x8(t *tile)

//go:noescape
func sqDist4x32(t *tile)

//go:noescape
func sqDist4x16(t *tile)

//go:noescape
func sqDist4x8(t *tile)

//go:noescape
func sqDist2x32(t *tile)

//go:noescape
func sqDist2x16(t *tile)

//go:noescape
func sqDist2x8(t *tile)

//go:noescape
func sqDist1x32(t *tile)

//go:noescape
func sqDist1x16(t *tile)

//go:noescape
func sqDist1x8(t *tile)

// panel points the tile at the cols columns that a panel has; those of its padding are never written.
func (t *tile) panel(b unsafe.Pointer, cols int) {
	t.b = b
	t.mask[0], t.mask[1] = 1<<min(cols, 16)-1, 1<<max(cols-16, 0)-1
}

// multiply runs the product kernel of a size.
func (t *tile) multiply(rows, w int) {
	switch {
	case rows == 8 && w == 32:
		mul8x32(t)
	case rows == 8 && w == 16:
		mul8x16(t)
	case rows == 8 && w == 8:
		mul8x8(t)
	case rows == 4 && w == 32:
		mul4x32(t)
	case rows == 4 && w == 16:
		mul4x16(t)
	case rows == 4 && w == 8:
		mul4x8(t)
	case rows == 2 && w == 32:
		mul2x32(t)
	case rows == 2 && w == 16:
		mul2x16(t)
	case rows == 2 && w == 8:
		mul2x8(t)
	case rows == 1 && w == 32:
		mul1x32(t)
	case rows == 1 && w == 16:
		mul1x16(t)
	case rows == 1 && w == 8:
		mul1x8(t)
	}
}

// squares runs the kernel of squared distances of a size.
func (t *tile) squares(rows, w int) {
	switch {
	case rows == 8 && w == 32:
		sqDist8x32(t)
	case rows == 8 && w == 16:
		sqDist8x16(t)
	case rows == 8 && w == 8:
		sqDist8x8(t)
	case rows == 4 && w == 32:
		sqDist4x32(t)
	case rows == 4 && w == 16:
		sqDist4x16(t)
	case rows == 4 && w == 8:
		sqDist4x8(t)
	case rows == 2 && w == 32:
		sqDist2x32(t)
	case rows == 2 && w == 16:
		sqDist2x16(t)
	case rows == 2 && w == 8:
		sqDist2x8(t)
	case rows == 1 && w == 32:
		sqDist1x32(t)
	case rows == 1 && w == 16:
		sqDist1x16(t)
	case rows == 1 && w == 8:
		sqDist1x8(t)
	}
}

// transposed runs the kernel of Aᵀ·B of a size.
func (t *tile) transposed(rows, w int) {
	switch {
	case rows == 8 && w == 32:
		mulTN8x32(t)
	case rows == 8 && w == 16:
		mulTN8x16(t)
	case rows == 8 && w == 8:
		mulTN8x8(t)
	case rows == 4 && w == 32:
		mulTN4x32(t)
	case rows == 4 && w == 16:
		mulTN4x16(t)
	case rows == 4 && w == 8:
		mulTN4x8(t)
	case rows == 2 && w == 32:
		mulTN2x32(t)
	case rows == 2 && w == 16:
		mulTN2x16(t)
	case rows == 2 && w == 8:
		mulTN2x8(t)
	case rows == 1 && w == 32:
		mulTN1x32(t)
	case rows == 1 && w == 16:
		mulTN1x16(t)
	case rows == 1 && w == 8:
		mulTN1x8(t)
	}
}

// mul16 is mulSIMD with AVX-512, or with square the squared distances of the rows in place of their products. Rows go eight at
// a time; where five to seven or three are left, the last one is computed again for the missing ones and thrown away.
//
//go:nocheckptr
func (p *Panel) mul16(c []float32, cr rows, a []float32, ar rows, m, k, n int, add, square bool) {
	var spare [32]float32
	t := tile{k: k}
	if add {
		t.add = 1
	}
	for j, off := 0, 0; j < n; {
		w := p.width(p.n - j)
		t.panel(unsafe.Pointer(&p.data[off]), min(w, n-j))
		for i := 0; i < m; i += 8 {
			left := min(8, m-i)
			size := left
			if left > 4 {
				size = 8
			} else if left == 3 {
				size = 4
			}
			for r := range size {
				if r < left {
					t.a[r], t.c[r] = at(a, ar.start(i+r)), at(c, cr.start(i+r)+j)
				} else {
					t.a[r], t.c[r] = t.a[left-1], unsafe.Pointer(&spare)
				}
			}
			if square {
				t.squares(size, w)
			} else {
				t.multiply(size, w)
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
			t.transposed(n, w)
			i += n
		}
		j, off = j+w, off+p.k*w
	}
}
