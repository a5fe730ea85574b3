//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// FactorForward is Λ: the lower triangle of Raw, softplus on its diagonal.
func (b *Backend) FactorForward(a backend.FactorForward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor", n, args{{"n", n}, {"d", a.D}, {"back", false}},
		on{{"y", a.Factor}, {"dfactor", backend.Vec{}}, {"raw", a.Raw}})
}

// FactorBackward is the backward pass of FactorForward.
func (b *Backend) FactorBackward(a backend.FactorBackward) {
	a.Check()
	n := a.Heads * a.D * a.D
	b.each("factor", n, args{{"n", n}, {"d", a.D}, {"back", true}},
		on{{"y", a.DRaw}, {"dfactor", a.DFactor}, {"raw", a.Raw}})
}
