package reference

import "mhacsp/model/backend"

// MatMul is Y = X·Wᵀ + Bias.
func (*Backend[T]) MatMul(a backend.MatMul) {
	a.Check()
	y, x, w, bias := Data[T](a.Y), Data[T](a.X), Data[T](a.W), Data[T](a.Bias)
	for m := range a.M {
		for n := range a.N {
			var sum T
			if bias != nil {
				sum = bias[n]
			}
			for k := range a.K {
				sum += x[m*a.K+k] * w[n*a.K+k]
			}
			y[m*a.N+n] = sum
		}
	}
}

// MatMulInput is DX (+)= DY·W.
func (*Backend[T]) MatMulInput(a backend.MatMulInput) {
	a.Check()
	dx, dy, w := Data[T](a.DX), Data[T](a.DY), Data[T](a.W)
	for m := range a.M {
		row := dx[m*a.K : (m+1)*a.K]
		if !a.Accumulate {
			clear(row)
		}
		for n := range a.N {
			axpy(row, dy[m*a.N+n], w[n*a.K:][:a.K])
		}
	}
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (*Backend[T]) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	dw, db, dy, x := Data[T](a.DW), Data[T](a.DBias), Data[T](a.DY), Data[T](a.X)
	for n := range a.N {
		row := dw[n*a.K : (n+1)*a.K]
		for m := range a.M {
			g := dy[m*a.Row()+n]
			axpy(row, g, x[m*a.K:][:a.K])
			if db != nil {
				db[n] += g
			}
		}
	}
}
