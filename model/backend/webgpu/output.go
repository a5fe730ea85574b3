//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

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
		rows := listing{first: hrow, items: a.P, lists: 1, longest: a.P}
		b.gathered("output_gate", wide, n, rows, zrow, on{
			{"dgate", a.DGate}, {"dy", a.DY}, {"y", a.Y}, {"inv", a.Inv}, {"h", a.H}, {"gate", a.Gate},
			{"ints", indexed},
		})
	}
}
