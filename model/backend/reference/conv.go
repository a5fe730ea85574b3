package reference

import "mhacsp/model/backend"

// ConvForward is Y = z·σ(z), z_t = Σ_j w_j x_{t−3+j}, along each sequence (SPEC §13, gdn).
func (*Backend[T]) ConvForward(a backend.ConvForward) {
	a.Check()
	x, y, w := Data[T](a.X), Data[T](a.Y), Data[T](a.Weight)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		for c := range a.N {
			for r := first; r < last; r++ {
				z := convolved(x, w, a.N, c, first, r)
				y[r*a.Width+a.From+c] = z * Sigmoid(z)
			}
			y[last*a.Width+a.From+c] = 0
		}
	}
}

// convolved is z of channel c for the step in row r of a sequence that begins in row first.
func convolved[T Float](x, w []T, n, c, first, r int) (z T) {
	for j := range backend.ConvTaps {
		if from := r - backend.ConvTaps + 1 + j; from >= first {
			z += w[backend.ConvTaps*c+j] * x[from*n+c]
		}
	}
	return z
}

// ConvBackward is the backward pass of ConvForward: with dz = dY·σ(z)(1 + z(1−σ(z))) dx_t = Σ_j w_j dz_{t+3−j} and
// dw_j = Σ_t dz_t x_{t−3+j}.
func (*Backend[T]) ConvBackward(a backend.ConvBackward) {
	a.Check()
	x, w, dx, dw, dy := Data[T](a.X), Data[T](a.Weight), Data[T](a.DX), Data[T](a.DWeight), Data[T](a.DY)
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		clear(dx[first*a.N : (last+1)*a.N])
		for c := range a.N {
			for r := first; r < last; r++ {
				z := convolved(x, w, a.N, c, first, r)
				dz := dy[r*a.Width+a.From+c] * Sigmoid(z) * (1 + z*Sigmoid(-z))
				for j := range backend.ConvTaps {
					if from := r - backend.ConvTaps + 1 + j; from >= first {
						dx[from*a.N+c] += w[backend.ConvTaps*c+j] * dz
						dw[backend.ConvTaps*c+j] += x[from*a.N+c] * dz
					}
				}
			}
		}
	}
}
