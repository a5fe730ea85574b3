package vec

import (
	"fmt"
	"slices"
	"unsafe"
)

// Panel is a K×N matrix B repacked for products A·B: cut in panels of columns, each stored row after row so that a
// product reads memory in order, the last one padded with zeros. The zero Panel is empty; packing again reuses the
// memory. A Panel must not be packed while another goroutine multiplies by it; any number may multiply at once.
type Panel struct {
	K, N  int   // of the matrix that was packed; read only
	level level // the layout is that of this level's loops
	data  []float32
}

// width is the number of columns of the panel that starts where rem columns are left, padding included.
func (p *Panel) width(rem int) int {
	switch {
	case p.level == levelPortable:
		return 4
	case rem <= 8:
		return 8
	case rem <= 16 || p.level != levelAVX512:
		return 16
	}
	return 32
}

// reset makes room for k×n values at the present level.
func (p *Panel) reset(k, n int) {
	if k < 0 || n < 0 {
		panic(fmt.Sprintf("vec: Panel of %d×%d", k, n))
	}
	p.K, p.N, p.level = k, n, active
	cols := 0
	for j := 0; j < n; {
		w := p.width(n - j)
		cols, j = cols+w, j+w
	}
	if size := k * cols; cap(p.data) < size {
		// One vector more than needed, so that a pointer just past the last panel still lies inside the allocation.
		p.data = align64(make([]float32, size+32))[:size]
	} else {
		p.data = p.data[:size]
	}
}

// Pack takes B from row-major K×N memory: B[i][j] = b[i·ldb+j].
func (p *Panel) Pack(b []float32, ldb, k, n int) {
	checkMatrix("Pack", len(b), ldb, k, n)
	p.reset(k, n)
	if k == 0 {
		return
	}
	w := p.width(n)
	whole := n / w
	copyPanels(p.data, w, b, ldb, k, whole)
	for j, off := whole*w, whole*w*k; j < n; {
		w = p.width(n - j)
		copyPanelGo(p.data[off:off+k*w], w, b[j:], ldb, k, min(w, n-j))
		j, off = j+w, off+k*w
	}
}

// PackT takes B from the row-major N×K memory of its transpose, such as a
// weight [out, in] with k = in and n = out: B[i][j] = b[j·ldb+i].
func (p *Panel) PackT(b []float32, ldb, k, n int) {
	checkMatrix("PackT", len(b), ldb, n, k)
	p.reset(k, n)
	if k == 0 {
		return
	}
	for j, off := 0, 0; j < n; {
		w := p.width(n - j)
		cols := min(w, n-j)
		d := p.data[off : off+k*w]
		if cols < w {
			clear(d)
		}
		transpose(d, w, b[j*ldb:], ldb, cols, k)
		j, off = j+w, off+k*w
	}
}

// Mul computes C_i = A_i·B, or C_i += A_i·B where add, for every i: row A_i starts at a[aRow[i]] and has K values, row
// C_i starts at c[cRow[i]] and has N. Nothing else of c is written. A row of A may appear more than once; rows of C
// must not overlap each other or a.
//
// The bits of a row depend on that row and B alone, not on the other rows of the call.
func (p *Panel) Mul(c []float32, cRow []int32, a []float32, aRow []int32, add bool) {
	p.checkRows(c, cRow, a, aRow)
	p.mul(c, rows{at: cRow}, a, rows{at: aRow}, len(cRow), p.K, p.N, manner{add: add})
}

// MulRows is Mul for m rows at regular distances: A_i at a[i·lda], C_i at c[i·ldc].
func (p *Panel) MulRows(c []float32, ldc int, a []float32, lda int, m int, add bool) {
	p.MulCorner(c, ldc, a, lda, m, p.K, p.N, add)
}

// MulCorner is MulRows with B's first k rows and n columns alone: rows of A have k values, rows of C n.
func (p *Panel) MulCorner(c []float32, ldc int, a []float32, lda int, m, k, n int, add bool) {
	p.checkCorner(c, ldc, a, lda, m, k, n)
	p.mulRows(c, ldc, a, lda, m, k, n, manner{add: add})
}

// MulRowsBias is MulRows with C_i = A_i·B + bias.
func (p *Panel) MulRowsBias(c []float32, ldc int, a []float32, lda, m int, bias []float32) {
	p.checkCorner(c, ldc, a, lda, m, p.K, p.N)
	how := manner{bias: bias[:p.N]}
	if p.level == levelPortable || p.K == 0 {
		for i := range m {
			copy(c[i*ldc:], how.bias)
		}
		how = manner{add: true}
	}
	p.mulRows(c, ldc, a, lda, m, p.K, p.N, how)
}

// sqDist computes C_ij = |A_i - B_j|², or adds it to C_ij where add, for m rows of A, K values each, and B's first n
// columns. Unlike a product of the vectors it loses nothing where they are near each other. There is no portable form.
func (p *Panel) sqDist(c []float32, ldc int, a []float32, lda int, m, n int, add bool) {
	p.checkCorner(c, ldc, a, lda, m, p.K, n)
	if n > 0 && m > 0 && p.K > 0 {
		p.tiles(squares, c, rows{step: ldc}, a, rows{step: lda}, 0, m, p.K, n, manner{add: add})
	}
}

// checkCorner panics where m rows of A and C do not fit, or B has no such corner.
func (p *Panel) checkCorner(c []float32, ldc int, a []float32, lda, m, k, n int) {
	if k < 0 || k > p.K || n < 0 || n > p.N {
		panic(fmt.Sprintf("vec: corner of %d×%d of a Panel of %d×%d", k, n, p.K, p.N))
	}
	checkMatrix("C", len(c), ldc, m, n)
	checkMatrix("A", len(a), lda, m, k)
}

// mul multiplies by B's first k rows and n columns; it trusts its arguments.
func (p *Panel) mul(c []float32, cr rows, a []float32, ar rows, m, k, n int, how manner) {
	switch {
	case n == 0 || m == 0:
	case k == 0:
		for i := 0; i < m && !how.add; i++ {
			clear(c[cr.start(i):][:n])
		}
	case p.level == levelPortable:
		if !queued || !p.mulWide(wideProduct, c, cr, a, ar, m, k, n, how.add) {
			p.mulGo(c, cr, a, ar, m, k, n, how.add)
		}
	default:
		p.tiles(times, c, cr, a, ar, 0, m, k, n, how)
	}
}

// mulRows is mul for rows at regular distances, some at a time.
func (p *Panel) mulRows(c []float32, ldc int, a []float32, lda, m, k, n int, how manner) {
	block, next := m, ahead{}
	if m > blockRows && n > 0 && k > 0 && p.level != levelPortable {
		block, how.next = blockRows, &next
	}
	for i := 0; i < m; i += block {
		if how.next != nil {
			next.want(c, ldc, n, a, lda, k, i+block, min(block, m-i-block))
		}
		p.mul(c[i*ldc:], rows{step: ldc}, a[i*lda:], rows{step: lda}, min(block, m-i), k, n, how)
	}
}

// product is what Panel.tiles computes of A and a packed B.
type product uint8

const (
	times           product = iota // A·B
	timesTransposed                // Aᵀ·B; a row of C is from a column of A
	squares                        // |A_i − B_j|²
)

// manner is what a product does in addition to A·B.
type manner struct {
	add  bool      // to C, in place of overwriting it
	bias []float32 // not nil: what is added to each row
	next *ahead    // not nil: what is asked for meanwhile
}

// rows says where each row starts: at a given place or every step values.
type rows struct {
	at   []int32
	step int
}

func (r rows) start(i int) int {
	if r.at != nil {
		return int(r.at[i])
	}
	return i * r.step
}

// TNScratch is the memory MulTN packs its blocks into. The zero value is ready;
// it grows on first use. One goroutine at a time.
type TNScratch struct {
	b    Panel
	a    []float32
	ones []float32
	next ahead // the block behind the present one
}

// TNBlock is the number of positions that products Aᵀ·B take at a time: a column panel of B and a few columns of A
// then stay in the first-level cache, all of them in the second.
const TNBlock = 128

// Pack takes k ≤ TNBlock positions of B, for AddTN.
func (s *TNScratch) Pack(b []float32, ldb, k, n int) {
	if k > TNBlock {
		panic(fmt.Sprintf("vec: TNScratch.Pack of %d positions, at most %d fit", k, TNBlock))
	}
	s.next = ahead{}
	s.b.Pack(b, ldb, k, n)
}

// AddTN computes C += Aᵀ·B with the B that was packed last: A has as many
// positions and m columns. Several A can share one B.
func (s *TNScratch) AddTN(c []float32, ldc int, a []float32, lda, m int) {
	checkMatrix("AddTN, C", len(c), ldc, m, s.b.N)
	checkMatrix("AddTN, A", len(a), lda, s.b.K, m)
	s.mul(c, ldc, a, lda, m, true)
}

// mul is C (+)= Aᵀ·B with the B that was packed last.
func (s *TNScratch) mul(c []float32, ldc int, a []float32, lda, m int, add bool) {
	if m == 0 || s.b.N == 0 {
		return
	}
	if active != levelPortable && lda >= 4 && s.b.K > 0 {
		s.b.tiles(timesTransposed, c, rows{step: ldc}, a, rows{step: 1}, lda, m, s.b.K, s.b.N,
			manner{add: add, next: &s.next})
		return
	}
	if queued && s.b.K > 0 &&
		s.b.mulWide(wideProductColumns, c, rows{step: ldc}, a, rows{step: lda}, m, s.b.K, s.b.N, add) {
		return
	}
	// A's block transposed has its rows 16 values further apart than they are
	// long, lest all fall on the same few sets of the cache.
	const stride = TNBlock + 16
	if cap(s.a) < m*stride {
		s.a = align64(make([]float32, m*stride+16))
	}
	at := s.a[:m*stride]
	transpose(at, stride, a, lda, s.b.K, m)
	s.b.MulRows(c, ldc, at, stride, m, add)
}

// MulTN computes C = Aᵀ·B, or C += Aᵀ·B where add: A is k×m (A[p][i] = a[p·lda+i]), B is k×n, C is m×n, all
// row-major. It is the gradient of a weight, k being the number of positions. c must not overlap a or b. A row of C
// depends on its column of A and on B alone.
//
// The sums of B's columns go to sum [n], where given, or are added: with each block packed they are one more row, of
// ones.
func (s *TNScratch) MulTN(c []float32, ldc int, a []float32, lda int, b []float32, ldb int, k, m, n int, add bool,
	sum []float32) {
	checkMatrix("MulTN, C", len(c), ldc, m, n)
	checkMatrix("MulTN, A", len(a), lda, k, m)
	checkMatrix("MulTN, B", len(b), ldb, k, n)
	for p := 0; p == 0 || p < k; p += TNBlock {
		rows := min(TNBlock, k-p)
		s.Pack(b[min(p*ldb, len(b)):], ldb, rows, n)
		if sum != nil {
			if s.ones == nil {
				s.ones = slices.Repeat([]float32{1}, TNBlock)
			}
			s.b.MulRows(sum, n, s.ones, rows, 1, add || p > 0)
		}
		s.next.want(b, ldb, n, a, lda, m, p+TNBlock, min(TNBlock, k-p-TNBlock))
		s.mul(c, ldc, a[min(p*lda, len(a)):], lda, m, add || p > 0)
	}
}

// checkMatrix panics where a rows×cols matrix of row distance ld does not fit in have values, or its rows overlap.
func checkMatrix(what string, have, ld, rows, cols int) {
	if rows < 0 || cols < 0 || rows > 1 && ld < cols || rows > 0 && cols > 0 && (rows-1)*ld+cols > have {
		panic(fmt.Sprintf("vec: %s: %d×%d at row distance %d does not fit in %d values", what, rows, cols, ld, have))
	}
}

func (p *Panel) checkRows(c []float32, cRow []int32, a []float32, aRow []int32) {
	if len(cRow) != len(aRow) {
		panic(fmt.Sprintf("vec: Mul of %d rows of A into %d of C", len(aRow), len(cRow)))
	}
	for i := range cRow {
		checkRow(int(cRow[i]), p.N, len(c))
		checkRow(int(aRow[i]), p.K, len(a))
	}
}

func checkRow(at, n, have int) {
	if at < 0 || at > have-n {
		panic(fmt.Sprintf("vec: Mul: row of %d at %d does not fit in %d values", n, at, have))
	}
}

// align64 cuts s, fresh from make, to start at a multiple of 64 bytes: a vector
// of 16 that crosses a cache line costs two loads.
func align64(s []float32) []float32 {
	over := uintptr(unsafe.Pointer(unsafe.SliceData(s))) % 64
	return s[(64-over)%64/4:]
}
