//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// RecallForward is Out[p] = Gate[Token[p]] ⊙ State[Row[p]].
func (b *Backend) RecallForward(a backend.RecallForward) {
	a.Check()
	n, wide := quads(a.N)
	b.elements("recall", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"row", b.place(a.Row)}, {"token", b.place(a.Token)}, {"back", false}},
		on{{"y", a.Out}, {"x", a.State}, {"gate", a.Gate}, {"ints", indexed}})
}

// RecallBackward is the backward pass of RecallForward, with a dispatch that sums by token.
func (b *Backend) RecallBackward(a backend.RecallBackward) {
	a.Check()
	n, wide := quads(a.N)
	b.elements("recall", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"row", b.place(a.Row)}, {"token", b.place(a.Token)}, {"back", true}},
		on{{"y", a.DState}, {"x", a.DOut}, {"gate", a.Gate}, {"ints", indexed}})
	if !a.DGate.Given() {
		return
	}
	b.gathered("recall_gate", wide, n, b.byToken(a.Token, a.P, a.V), b.place(a.Row),
		on{{"dgate", a.DGate}, {"dout", a.DOut}, {"state", a.State}, {"ints", indexed}})
}
