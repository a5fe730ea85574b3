//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// TurnForward is Out[p] = e^{i(ψ + ω·Steps[p])} ⊙ State[Row[p]].
func (b *Backend) TurnForward(a backend.TurnForward) {
	a.Check()
	b.each("turn", a.P*a.N,
		args{{"P", a.P}, {"N", a.N}, {"row", b.place(a.Row)}, {"steps", b.place(a.Steps)}, {"back", false}},
		on{{"y", a.Out}, {"x", a.State}, {"psi", a.Psi}, {"omega", a.Omega}, {"ints", indexed}})
}

// TurnBackward is the backward pass of TurnForward.
func (b *Backend) TurnBackward(a backend.TurnBackward) {
	a.Check()
	b.each("turn", a.P*a.N,
		args{{"P", a.P}, {"N", a.N}, {"row", b.place(a.Row)}, {"steps", b.place(a.Steps)}, {"back", true}},
		on{{"y", a.DState}, {"x", a.DOut}, {"psi", a.Psi}, {"omega", a.Omega}, {"ints", indexed}})
	n, wide := quads(a.N)
	rows := listing{items: a.P, lists: 1, longest: a.P}
	if a.DPsi.Given() {
		b.gathered("turn_phase", wide, n, rows, 0,
			on{{"dangle", a.DPsi}, {"dout", a.DOut}, {"y", a.Out}, {"ints", indexed}})
	}
	if a.DOmega.Given() {
		rows.first = 1
		b.gathered("turn_phase", wide, n, rows, b.place(a.Steps),
			on{{"dangle", a.DOmega}, {"dout", a.DOut}, {"y", a.Out}, {"ints", indexed}})
	}
}
