//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// project runs the products with the metrics' factors.
func (b *Backend) project(rows, n, heads int, back bool, out, in, factor backend.Vec) {
	b.tiles("project", 2*rows, tileRows, n/4, args{{"vectors", 2 * rows}, {"N", n}, {"d", n / heads}, {"back", back}},
		on{{"out", out}, {"source", in}, {"factor", factor}})
}

// readsFactors gives the call a copy of a factor [heads, d, d]: first its rows are padded, then their number.
func (p *padded) readsFactors(name string, v *backend.Vec, heads int) {
	own, d := *v, p.width
	rows := p.room(name+" rows", heads*p.n)
	*v = p.room(name, heads*d)
	p.b.pad(rows, heads*p.n, d, own, heads*p.n, p.n, false)
	p.b.pad(*v, heads, d*d, rows, heads, p.n*d, false)
}

// writesFactors gives the call memory for a factor, of which it writes all.
func (p *padded) writesFactors(name string, v *backend.Vec, heads int) {
	b, own, n, d := p.b, *v, p.n, p.width
	rows, from := p.room(name+" rows", heads*n), p.room(name, heads*d)
	*v = from
	p.back = append(p.back, func() {
		b.pad(rows, heads, n*d, from, heads, d*d, false)
		b.pad(own, heads*n, n, rows, heads*n, d, false)
	})
}

// ProjectForward is q = Λᵀ h per head and plane.
func (b *Backend) ProjectForward(a backend.ProjectForward) {
	a.Check()
	if !tiled(a.N) {
		p, vectors := b.padTo("project", a.N/a.Head), 2*a.Rows*a.Head // heads are padded each
		p.reads("State", &a.State, vectors, vectors)
		p.writes("Q", &a.Q, vectors)
		p.readsFactors("Factor", &a.Factor, a.Head)
		a.N = a.Head * p.width
		defer p.done()
	}
	b.project(a.Rows, a.N, a.Head, false, a.Q, a.State, a.Factor)
}

// ProjectBackward is the backward pass of ProjectForward.
func (b *Backend) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	if !tiled(a.N) {
		p, vectors := b.padTo("project", a.N/a.Head), 2*a.Rows*a.Head // heads are padded each
		p.reads("State", &a.State, vectors, vectors)
		p.reads("DQ", &a.DQ, vectors, vectors)
		p.updates("DState", &a.DState, vectors)
		p.readsFactors("Factor", &a.Factor, a.Head)
		p.writesFactors("DFactor", &a.DFactor, a.Head)
		a.N = a.Head * p.width
		defer p.done()
	}
	n, d, vectors := a.N, a.N/a.Head, 2*a.Rows
	b.project(a.Rows, n, a.Head, true, a.DState, a.DQ, a.Factor)
	parts := partsFor(vectors, n*d, 1)
	to := a.DFactor
	if parts > 1 {
		to = b.partsOf(0, parts*n*d)
	}
	// A tile's row of tiles reaches back to the column where the head of its first column begins.
	band := (d+7)/8 + 1
	b.tiles("project_weight", groupOf(n, 8)*band, 1, parts,
		args{{"N", n}, {"d", d}, {"band", band}, {"vectors", vectors}, {"part", groupOf(vectors, parts)}},
		on{{"dfactor", to}, {"dq", a.DQ}, {"state", a.State}})
	if parts > 1 {
		b.partialSums([]partial{{a.DFactor.Slice(0, n*d), to.Off, n * d, parts}}, false)
	}
}
