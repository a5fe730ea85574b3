//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// Kernels over quads of numbers take rows of whole quads. A call whose rows are of another width works on copies that
// are padded with zeros: the additional units stay zero, and no kernel needs a form for such widths, which are rare.
// What is written comes back into the call's own memory.

// tiled reports whether rows of n numbers are whole quads.
func tiled(n int) bool { return n%4 == 0 }

// pad copies from [m, n] to rows of another number and width: to (+)= from where both reach, zeros elsewhere.
func (b *Backend) pad(to backend.Vec, rows, width int, from backend.Vec, m, n int, add bool) {
	b.each("pad", rows*width, args{{"M", rows}, {"width", width}, {"rows", m}, {"N", n}, {"add", add}},
		on{{"out", to}, {"source", from}})
}

// padded puts copies in the place of a call's tensors, whose rows are of n numbers.
type padded struct {
	b        *Backend
	call     string
	n, width int
	back     []func() // copy what the call wrote
}

func (b *Backend) padTo(call string, n int) padded {
	return padded{b: b, call: call, n: n, width: 4 * groupOf(n, 4)}
}

// room is the copy of a tensor of that many rows.
func (p *padded) room(name string, rows int) backend.Vec {
	return p.b.temporary(p.call+" "+name, rows*p.width)
}

// reads gives the call a copy of v [rows, n], where given, with zeros for the rows from there to `all`.
func (p *padded) reads(name string, v *backend.Vec, rows, all int) {
	if v.Given() {
		to := p.room(name, all)
		p.b.pad(to, all, p.width, *v, rows, p.n, false)
		*v = to
	}
}

// writes gives the call memory for v [rows, n], where given, of which it writes all.
func (p *padded) writes(name string, v *backend.Vec, rows int) {
	if own := *v; own.Given() {
		from, b, n, width := p.room(name, rows), p.b, p.n, p.width
		// The copy takes not p itself: a call that needs no copies keeps it on the stack.
		p.back = append(p.back, func() { b.pad(own, rows, n, from, rows, width, false) })
		*v = from
	}
}

// updates gives the call a copy of v [rows, n], where given, which it adds to or writes in part.
func (p *padded) updates(name string, v *backend.Vec, rows int) {
	own := *v
	p.writes(name, v, rows)
	p.reads(name, &own, rows, rows)
}

// updatesHalves is updates for each half of v.
func (p *padded) updatesHalves(name string, v *backend.Vec, rows int) {
	var l layout
	own, b, n, width := *v, p.b, p.n, p.width
	at := [...]int{l.room(rows * width), l.room(rows * width)}
	to := b.temporary(p.call+" "+name, l.n)
	for i := range at {
		half, copied := own.Slice(i*own.Len/2, rows*n), to.Slice(at[i], rows*width)
		b.pad(copied, rows, width, half, rows, n, false)
		p.back = append(p.back, func() { b.pad(half, rows, n, copied, rows, width, false) })
	}
	*v = to
}

// done brings back what the call wrote.
func (p *padded) done() {
	for _, f := range p.back {
		f()
	}
}

// padding is what the padded rows at hand were made of.
type padding struct {
	from, to stamp
	m, n     int
}

// paddedTo is memory for m rows of n numbers and zeros, and how wide they are.
func (b *Backend) paddedTo(m, n int) (backend.Vec, int) {
	width := (n + 3) / 4 * 4
	return b.temporary("padded", m*width), width
}

// padded is dy [m, n] with rows of a width that is a multiple of four. A layer's output gradient is asked for twice.
func (b *Backend) padded(dy backend.Vec, m, n int) (backend.Vec, int) {
	if n%4 == 0 {
		return dy.Slice(0, m*n), n
	}
	to, width := b.paddedTo(m, n)
	if b.padding != (padding{b.stamp(dy), b.stamp(to), m, n}) {
		b.pad(to, m, width, dy, m, n, false)
		b.padding = padding{b.stamp(dy), b.stamp(to), m, n}
	}
	return to, width
}
