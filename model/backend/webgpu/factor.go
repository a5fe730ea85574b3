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
