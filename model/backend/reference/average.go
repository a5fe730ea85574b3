package reference

import "mhacsp/model/backend"

// Average is Y[p] = Σ_d Weight[p, d]·X[Edge[p, d]], or += with Add.
func (*Backend[T]) Average(a backend.Average) {
	a.Check()
	y, x, edge, weight := Data[T](a.Y), Data[T](a.X), IntData(a.Edge), Data[T](a.Weight)
	for p := range a.P {
		row := y[p*a.N:][:a.N]
		if !a.Add {
			clear(row)
		}
		for i := p * a.D; i < (p+1)*a.D; i++ {
			if edge[i] >= 0 {
				axpy(row, weight[i], x[a.N*int(edge[i]):][:a.N])
			}
		}
	}
}
