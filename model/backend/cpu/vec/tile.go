//go:build amd64 || arm64

package vec

import (
	"math/bits"
	"unsafe"
)

// The functions here trust the lengths that panel.go has checked: below them are loads and stores through bare
// pointers.

// tile is the argument of a kernel: up to 8 rows of C against 32, 16 or 8 columns of a packed panel.
// gen/tile.go knows the offsets.
type tile struct {
	a, c  [8]unsafe.Pointer // the rows' starts; of timesTransposed a[0], where the rows' numbers lie side by side
	b     unsafe.Pointer    // the panel
	k     int               // rows of the panel, at least 1
	lda   uintptr           // timesTransposed: bytes from one row of A to the next
	add   uint64            // 0, addC or addBias
	mask  [2]uint64         // the columns of each vector that exist, for AVX-512
	bias  unsafe.Pointer    // of the kernels of times: what is added to each row
	lanes unsafe.Pointer    // the columns that exist, as a mask for each, for AVX2
}

// What a kernel adds to A·B, if anything.
const (
	addC    = 1
	addBias = 2
)

// A form is a kernel's number: those of a kind come one after another, for 1, 2, 4 and 8 rows by 8, 16 and 32 columns.
// gen/tile.go has the same order.
func form(kind product, columns int) int { return int(kind)*12 + bits.Len(uint(columns)) - 4 }

// tileRows is, where that many rows are left, how many the next kernel has: their logarithm. A kernel may have more
// rows than are left; they are computed and thrown away. One of timesTransposed may not: it would read beyond A.
var tileRows = [...][16]uint8{
	times:           {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3},
	timesTransposed: {1: 0, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 2, 8: 3},
	squares:         {1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 3, 8: 3},
}

// lanes has sixteen set lanes and sixteen clear ones.
var lanes = [32]int32{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}

// at is the address of x[i], which the caller has checked.
func at(x []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), 4*i)
}

// tiles computes a product with B's first k rows and n columns, tile by tile.
//
//go:nocheckptr
func (p *Panel) tiles(kind product, c []float32, cr rows, a []float32, ar rows, lda, m, k, n int, how manner) {
	var spare [32]float32 // rows that are thrown away
	most := 4
	if p.level == levelAVX512 {
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
	for j, off := 0, 0; j < n; {
		w := p.width(p.N - j)
		columns, first := min(w, n-j), form(kind, w)
		t.b = unsafe.Pointer(&p.data[off])
		to, from := at(c, j), at(a, 0)
		if how.bias != nil {
			t.bias = at(how.bias, j)
		}
		t.mask[0], t.mask[1] = 1<<min(columns, 16)-1, 1<<max(columns-16, 0)-1
		t.lanes = unsafe.Pointer(&lanes[16-min(columns, 16)])
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
			p.level.runTile(&t, first+3*int(log), left, columns, columns == w)
			i += left
			if how.next != nil {
				how.next.ask(j*m+i*columns, n*m)
			}
		}
		j, off = j+w, off+p.K*w
	}
}
