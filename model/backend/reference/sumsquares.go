package reference

import "mhacsp/model/backend"

// SumSquares is Σ x².
func (*Backend[T]) SumSquares(a backend.SumSquares) {
	a.Check()
	var sum float64
	for _, x := range Data[T](a.X) {
		sum += float64(x) * float64(x)
	}
	Data[T](a.Out)[0] = T(sum)
}
