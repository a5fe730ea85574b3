package reference

import (
	"math"

	"mhacsp/model/backend"
)

// Adam is one update of all parameters, SPEC §8.
func (*Backend[T]) Adam(a backend.Adam) {
	a.Check()
	scale, ok := GradientScale[T](a)
	if !ok {
		return
	}
	p, m, v, g := Data[T](a.Param), Data[T](a.M), Data[T](a.V), Data[T](a.Grad)
	b1, b2 := float64(a.Beta1), float64(a.Beta2)
	step := T(float64(a.Rate) / (1 - math.Pow(b1, float64(a.Step))))
	root := T(1 / math.Sqrt(1-math.Pow(b2, float64(a.Step))))
	for i := range p {
		gi := g[i] * T(scale)
		if a.Decoupled {
			p[i] -= T(a.Rate) * T(a.Decay) * p[i]
		} else {
			gi += T(a.Decay) * p[i]
		}
		m[i] = T(b1)*m[i] + T(1-b1)*gi
		v[i] = T(b2)*v[i] + T(1-b2)*gi*gi
		p[i] -= step * m[i] / (sqrt(v[i])*root + T(a.Eps))
	}
}

// GradientScale is the factor that clips the gradient (1 without clipping); ok is false where the norm or the loss is
// not finite, and from then on where there is a guard.
func GradientScale[T Float](a backend.Adam) (scale float64, ok bool) {
	norm2, clip := float64(Data[T](a.Norm2)[0]), float64(a.Clip)
	bad := !finite(norm2) || a.Loss.Given() && !finite(float64(Data[T](a.Loss)[0]))
	if a.Guard.Given() {
		guard := Data[T](a.Guard)
		if bad {
			guard[0] = 1
		}
		bad = guard[0] != 0
	}
	if bad {
		return 0, false
	}
	if norm := math.Sqrt(norm2); clip > 0 && norm > clip {
		return clip / norm, true
	}
	return 1, true
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
