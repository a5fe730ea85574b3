package vec

// A Frame holds the vectors of a sequence, those of all heads side by side (see Span), for products of several rows
// with all of them at once. The zero Frame is empty; Set points it at a sequence and reuses its memory. One goroutine
// at a time.
type Frame struct {
	span          Span
	x             []float32
	across, along planes // D×n, n×D
	scratch       TNScratch
}

// planes are a repacked copy of a frame's vectors, the real plane and the imaginary one of each head; made when first
// asked for.
type planes struct {
	panels [][2]Panel
	made   bool
}

// Set points the frame at the first n rows of x, each with the vectors of heads heads.
func (f *Frame) Set(s Span, heads int, x []float32, n int) {
	s.check(x[(heads-1)*s.D:], n)
	f.span, f.x = s, x[:(n-1)*s.row()+s.Plane+heads*s.D]
	for _, p := range []*planes{&f.across, &f.along} {
		p.made = false
		for len(p.panels) < heads {
			p.panels = append(p.panels, [2]Panel{})
		}
		p.panels = p.panels[:heads]
	}
}

// rows is how many rows the frame has.
func (f *Frame) rows() int {
	return (len(f.x)-f.span.Plane-f.span.D*len(f.across.panels))/f.span.row() + 1
}

func (f *Frame) pack(p *planes) [][2]Panel {
	if !p.made {
		p.made = true
		n := f.rows()
		for k := range p.panels {
			for plane := range 2 {
				x := f.x[k*f.span.D+plane*f.span.Plane:]
				if p == &f.across {
					p.panels[k][plane].PackT(x, f.span.row(), f.span.D, n)
				} else {
					p.panels[k][plane].Pack(x, f.span.row(), n, f.span.D)
				}
			}
		}
	}
	return p.panels
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
	for plane, p := range f.pack(&f.across)[k] {
		p.SqDist(out, ld, f.x[i*s.row()+k*s.D+plane*s.Plane:], s.row(), m, i+m, plane > 0)
	}
}

// Dot writes Re(conj(a_r)·x_j) of head k to out[r·ld+j], for r < m and j < n; a are rows like those of the frame.
func (f *Frame) Dot(k int, out []float32, ld int, a []float32, m, n int) {
	s := f.span
	for plane, p := range f.pack(&f.across)[k] {
		p.MulCorner(out, ld, a[k*s.D+plane*s.Plane:], s.row(), m, s.D, n, plane > 0)
	}
}

// Sum adds Σ_j w[r·ld+j] x_j of head k, j < n, to row r of dst, for r < m.
func (f *Frame) Sum(k int, dst, w []float32, ld, m, n int) {
	s := f.span
	for plane, p := range f.pack(&f.along)[k] {
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
