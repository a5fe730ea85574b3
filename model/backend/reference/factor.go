package reference

import "mhacsp/model/backend"

// FactorForward is Λ: the lower triangle of Raw, softplus on its diagonal.
func (*Backend[T]) FactorForward(a backend.FactorForward) { FactorForward[T](a) }

// FactorBackward is the backward pass of FactorForward.
func (*Backend[T]) FactorBackward(a backend.FactorBackward) { FactorBackward[T](a) }

func FactorForward[T Float](a backend.FactorForward) {
	a.Check()
	out, raw := Data[T](a.Factor), Data[T](a.Raw)
	for k := range a.Heads {
		for i := range a.D {
			for j := range a.D {
				at := (k*a.D+i)*a.D + j
				switch {
				case j < i:
					out[at] = raw[at]
				case j == i:
					out[at] = Softplus(raw[at])
				default:
					out[at] = 0
				}
			}
		}
	}
}

func FactorBackward[T Float](a backend.FactorBackward) {
	a.Check()
	draw, d, raw := Data[T](a.DRaw), Data[T](a.DFactor), Data[T](a.Raw)
	for k := range a.Heads {
		for i := range a.D {
			row := (k*a.D + i) * a.D
			for j := range i {
				draw[row+j] += d[row+j]
			}
			draw[row+i] += d[row+i] * Sigmoid(raw[row+i])
		}
	}
}
