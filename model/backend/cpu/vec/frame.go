package vec

import "slices"

// A Frame holds the vectors of a sequence, those of all heads side by side (see Span), for products of several rows
// with all of them at once. The zero Frame is empty; Set points it at a sequence and reuses its memory. One goroutine
// at a time.
type Frame struct {
	span    Span
	x       []float32
	n       int
	panels  [2][][2]Panel // across and along, made when first asked for: of each head the real and the imaginary plane
	made    [2]bool
	scratch TNScratch
}

// The repacked copies of a frame's vectors.
const (
	across = iota // D×n
	along         // n×D
)

// Set points the frame at the first n rows of x, each with the vectors of heads heads.
func (f *Frame) Set(s Span, heads int, x []float32, n int) {
	s.check(x[(heads-1)*s.D:], n, s.row())
	f.span, f.x, f.n, f.made = s, x, n, [2]bool{}
	for i, p := range f.panels {
		f.panels[i] = slices.Grow(p, max(0, heads-len(p)))[:heads]
	}
}

// pack is one of the copies, of head k.
func (f *Frame) pack(way, k int) *[2]Panel {
	for h := 0; !f.made[way] && h < len(f.panels[way]); h++ {
		for plane := range 2 {
			p, x, row := &f.panels[way][h][plane], f.x[h*f.span.D+plane*f.span.Plane:], f.span.row()
			if way == across {
				p.PackT(x, row, f.span.D, f.n)
			} else {
				p.Pack(x, row, f.n, f.span.D)
			}
		}
	}
	f.made[way] = true
	return &f.panels[way][k]
}

// SqDist writes |x_{i+r} − x_j|² of head k to out[r·ld+j], for r < m and j < i+m.
func (f *Frame) SqDist(k int, out []float32, ld, i, m int) {
	s := f.span
	if active == levelPortable { // nothing is won by more rows at once
		for r := range m {
			s.sqDist(out[r*ld:][:i+m], f.x[(i+r)*s.row()+k*s.D:], f.x[k*s.D:], 0)
		}
		return
	}
	for plane, p := range f.pack(across, k) {
		p.sqDist(out, ld, f.x[i*s.row()+k*s.D+plane*s.Plane:], s.row(), m, i+m, plane > 0)
	}
}

// Dot writes Re(conj(a_r)·x_j) of head k to out[r·ld+j], for r < m and j < n; a are rows like those of the frame.
func (f *Frame) Dot(k int, out []float32, ld int, a []float32, m, n int) {
	s := f.span
	for plane, p := range f.pack(across, k) {
		p.MulCorner(out, ld, a[k*s.D+plane*s.Plane:], s.row(), m, s.D, n, plane > 0)
	}
}

// Sum adds Σ_j w[r·ld+j] x_j of head k, j < n, to row r of dst, for r < m.
func (f *Frame) Sum(k int, dst, w []float32, ld, m, n int) {
	s := f.span
	for plane, p := range f.pack(along, k) {
		p.MulCorner(dst[k*s.D+plane*s.Plane:], s.row(), w, ld, m, n, s.D, true)
	}
}

// Outer adds Σ_r w[r·ld+j] a_r of head k, r < m, to row j of dst, for j < n. dst and a are rows like those of the
// frame.
func (f *Frame) Outer(k int, dst, w []float32, ld int, a []float32, m, n int) {
	s := f.span
	for plane := range 2 {
		at := k*s.D + plane*s.Plane
		f.scratch.MulTN(dst[at:], s.row(), w, ld, a[at:], s.row(), m, n, s.D, true, nil)
	}
}
