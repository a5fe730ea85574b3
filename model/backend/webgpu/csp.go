//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// FactorForward is Λ: the lower triangle of Raw, softplus on its diagonal.
func (b *Backend) FactorForward(a backend.FactorForward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor_forward", n,
		args{{"n", n}, {"d", a.D}},
		on{{"factor", a.Factor}, {"raw", a.Raw}})
}

// FactorBackward is the backward pass of FactorForward.
func (b *Backend) FactorBackward(a backend.FactorBackward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor_backward", n,
		args{{"n", n}, {"d", a.D}},
		on{{"draw", a.DRaw}, {"dfactor", a.DFactor}, {"raw", a.Raw}})
}

// project runs the tiled products with the metrics' factors.
func (b *Backend) project(rows, n, heads int, back bool, out, in, factor backend.Vec) {
	b.tiles("project_tile", 2*rows, tileRows, n/4,
		args{{"vectors", 2 * rows}, {"N", n}, {"d", n / heads}, {"back", back}},
		on{{"out", out}, {"source", in}, {"factor", factor}})
}

// ProjectForward is q = Λᵀ h per head and plane.
func (b *Backend) ProjectForward(a backend.ProjectForward) {
	a.Check()
	if tiled(a.N) {
		b.project(a.Rows, a.N, a.Head, false, a.Q, a.State, a.Factor)
		return
	}
	n := 2 * a.Rows * a.N
	b.each("project_forward", n,
		args{{"n", n}, {"d", a.N / a.Head}, {"heads", a.Head}},
		on{{"q", a.Q}, {"state", a.State}, {"factor", a.Factor}})
}

// ProjectBackward is the backward pass of ProjectForward.
func (b *Backend) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	n, d := 2*a.Rows*a.N, a.N/a.Head
	vectors := 2 * a.Rows
	if !tiled(a.N) {
		b.each("project_backward", n,
			args{{"n", n}, {"d", d}, {"heads", a.Head}},
			on{{"dstate", a.DState}, {"dq", a.DQ}, {"factor", a.Factor}})
		b.turns("project_weight", vectors)
		b.each("project_weight", a.N*d,
			args{{"n", a.N * d}, {"d", d}, {"heads", a.Head}, {"vectors", vectors * a.Head}},
			on{{"dfactor", a.DFactor}, {"dq", a.DQ}, {"state", a.State}})
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
	b.tiles("project_weight_tile", groupOf(a.N, 8)*band, 1, parts,
		args{{"N", a.N}, {"d", d}, {"band", band}, {"vectors", vectors}, {"part", groupOf(vectors, parts)}},
		on{{"dfactor", to}, {"dq", a.DQ}, {"state", a.State}})
	if parts > 1 {
		b.partialSums([]partial{{a.DFactor.Slice(0, a.N*d), to.Off, a.N * d, parts}}, false)
	}
}

// OutputForward is Y = z/sqrt(|z|²+ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow].
func (b *Backend) OutputForward(a backend.OutputForward) {
	a.Check()
	n, wide := quads(a.N)
	zrow, hrow := b.place(a.ZRow), b.place(a.HRow)
	b.elements("output_forward", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"zrow", zrow}, {"hrow", hrow}, {"gated", a.Gate.Given()}, {"eps", a.Eps}},
		on{{"y", a.Y}, {"inv", a.Inv}, {"z", a.Z}, {"h", a.H}, {"gate", a.Gate}, {"ints", indexed}})
}

// OutputBackward is the backward pass of OutputForward.
func (b *Backend) OutputBackward(a backend.OutputBackward) {
	a.Check()
	gated := a.Gate.Given()
	zrow, hrow := b.place(a.ZRow), b.place(a.HRow)
	n, wide := quads(a.N)
	b.elements("output_backward", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"zrow", zrow}, {"hrow", hrow}, {"gated", gated}},
		on{{"dz", a.DZ}, {"dh", a.DH}, {"dy", a.DY}, {"y", a.Y}, {"inv", a.Inv}, {"gate", a.Gate}, {"ints", indexed}})
	if gated {
		b.turns("output_gate", a.P)
		b.each("output_gate", a.N,
			args{{"P", a.P}, {"N", a.N}, {"zrow", zrow}, {"hrow", hrow}}, on{
				{"dgate", a.DGate}, {"dy", a.DY}, {"y", a.Y}, {"inv", a.Inv}, {"h", a.H}, {"gate", a.Gate},
				{"ints", indexed},
			})
	}
}
