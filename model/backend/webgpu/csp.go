//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// FactorForward is Λ: the lower triangle of Raw, softplus on its diagonal.
func (b *Backend) FactorForward(a backend.FactorForward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor_forward", n, words(n, a.D), a.Factor, a.Raw)
}

// FactorBackward is the backward pass of FactorForward.
func (b *Backend) FactorBackward(a backend.FactorBackward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor_backward", n, words(n, a.D), a.DRaw, a.DFactor, a.Raw)
}

// project runs the tiled products with the metrics' factors.
func (b *Backend) project(rows, n, heads int, back bool, out, in, factor backend.Vec) {
	b.tiles("project_tile", 2*rows, tileRows, n/4, words(2*rows, n, n/heads, back), out, in, factor)
}

// ProjectForward is q = Λᵀ h per head and plane.
func (b *Backend) ProjectForward(a backend.ProjectForward) {
	a.Check()
	if tiled(a.N) {
		b.project(a.Rows, a.N, a.Head, false, a.Q, a.State, a.Factor)
		return
	}
	n := 2 * a.Rows * a.N
	b.each("project_forward", n, words(n, a.N/a.Head, a.Head), a.Q, a.State, a.Factor)
}

// ProjectBackward is the backward pass of ProjectForward.
func (b *Backend) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	n, d := 2*a.Rows*a.N, a.N/a.Head
	vectors := 2 * a.Rows
	if !tiled(a.N) {
		b.each("project_backward", n, words(n, d, a.Head), a.DState, a.DQ, a.Factor)
		b.turns("project_weight", vectors)
		b.each("project_weight", a.N*d, words(a.N*d, d, a.Head, vectors*a.Head), a.DFactor, a.DQ, a.State)
		return
	}
	b.project(a.Rows, a.N, a.Head, true, a.DState, a.DQ, a.Factor)
	parts := b.partsFor(vectors)
	to := a.DFactor
	if parts > 1 {
		to = b.partsOf(0, parts*a.N*d)
	}
	// A tile's row of tiles reaches back to the column where the head of its first column begins.
	band := (d+7)/8 + 1
	b.tiles("project_weight_tile", groupOf(a.N, 8)*band, 1, parts, words(a.N, d, band, vectors, groupOf(vectors, parts)), to, a.DQ, a.State)
	if parts > 1 {
		b.partialSums([]partial{{a.DFactor.Slice(0, a.N*d), to.Off, a.N * d, parts}}, false)
	}
}

// OutputForward is Y = z/sqrt(|z|²+ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow].
func (b *Backend) OutputForward(a backend.OutputForward) {
	a.Check()
	n, wide := quads(a.N)
	p := words(a.P, n, b.place(a.ZRow), b.place(a.HRow), a.Gate.Given(), a.Eps)
	b.elements("output_forward", wide, a.P*n, p, a.Y, a.Inv, a.Z, a.H, a.Gate, indexed)
}

// OutputBackward is the backward pass of OutputForward.
func (b *Backend) OutputBackward(a backend.OutputBackward) {
	a.Check()
	gated := a.Gate.Given()
	zrow, hrow := b.place(a.ZRow), b.place(a.HRow)
	n, wide := quads(a.N)
	b.elements("output_backward", wide, a.P*n, words(a.P, n, zrow, hrow, gated), a.DZ, a.DH, a.DY, a.Y, a.Inv, a.Gate, indexed)
	if gated {
		b.turns("output_gate", a.P)
		b.each("output_gate", a.N, words(a.P, a.N, zrow, hrow), a.DGate, a.DY, a.Y, a.Inv, a.H, a.Gate, indexed)
	}
}
