//go:build cgo || js

package webgpu

import (
	"math"

	"mhacsp/model/backend"
)

// Adam is one update of all parameters, SPEC §8.
func (b *Backend) Adam(a backend.Adam) {
	a.Check()
	b1, b2 := float64(a.Beta1), float64(a.Beta2)
	rate := float32(float64(a.Rate) / (1 - math.Pow(b1, float64(a.Step))))
	root := float32(1 / math.Sqrt(1-math.Pow(b2, float64(a.Step))))
	const workgroup = 64 // of adam.wgsl
	n := b.takeNorm(a.Norm2)
	key := pipelineKey{kernel: "adam", parts: min(n.count, 1)}
	b.formed(key, min(widest, groupOf(a.Param.Len, workgroup)), 1, 1, args{
		{"n", a.Param.Len}, {"losses", a.Loss.Given()}, {"guarded", a.Guard.Given()},
		{"decoupled", a.Decoupled}, {"clip", a.Clip}, {"rate", rate}, {"root", root},
		{"shrink", a.Rate * a.Decay}, {"decay", a.Decay}, {"beta1", a.Beta1}, {"beta2", a.Beta2},
		{"rest1", float32(1 - b1)}, {"rest2", float32(1 - b2)}, {"eps", a.Eps}, {"parts", n.count},
	}, on{
		{"param", a.Param}, {"m", a.M}, {"v", a.V}, {"guard", a.Guard}, {"norm2", a.Norm2}, {"grad", a.Grad},
		{"loss", a.Loss}, {"part", n.parts},
	})
}
