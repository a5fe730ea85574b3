//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// normRows is how many rows a workgroup of shared/share.wgsl owns at a time.
const normRows = 4

// normed runs a kernel that imports shared/share.wgsl over rows of n numbers.
func (b *Backend) normed(kernel string, rows, n int, params args, bind on) {
	groups := min(widest, groupOf(rows, normRows))
	b.turns(kernel, 3*n*groupOf(rows, groups*normRows))
	b.grid(kernel, groups, 1, params, bind)
}

// NormForward is y = Inv (x − Mean) ⊙ Gain + Bias, x = X + Plus.
func (b *Backend) NormForward(a backend.NormForward) {
	a.Check()
	b.normed("norm_forward", a.P, a.N,
		args{{"P", a.P}, {"N", a.N}, {"plus", a.Plus.Given()}, {"layer", a.Bias.Given()}, {"eps", a.Eps}}, on{
			{"y", a.Y}, {"total", a.Sum}, {"mean", a.Mean}, {"inv", a.Inv}, {"x", a.X}, {"plus", a.Plus},
			{"gain", a.Gain}, {"bias", a.Bias},
		})
}

// NormBackward is the backward pass of NormForward.
func (b *Backend) NormBackward(a backend.NormBackward) {
	a.Check()
	layer := a.Mean.Given()
	b.normed("norm_backward", a.P, a.N, args{{"P", a.P}, {"N", a.N}, {"layer", layer}, {"add", a.Accumulate}},
		on{{"dx", a.DX}, {"dy", a.DY}, {"x", a.X}, {"mean", a.Mean}, {"inv", a.Inv}, {"gain", a.Gain}})
	n, wide := quads(a.N)
	rows := listing{first: 1, items: a.P, lists: 1, longest: a.P}
	sum := func(to backend.Vec) {
		b.gathered("norm_gain", wide, n, rows, 0,
			on{{"dgain", to}, {"dy", a.DY}, {"x", a.X}, {"mean", a.Mean}, {"inv", a.Inv}})
	}
	if layer {
		rows.first = 0
		sum(a.DBias)
		rows.first = 2
	}
	sum(a.DGain)
}
