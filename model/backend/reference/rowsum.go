package reference

import "mhacsp/model/backend"

// RowSum is Dst[At[p]] += Src[p].
func (*Backend[T]) RowSum(a backend.RowSum) {
	a.Check()
	dst, src, at := Data[T](a.Dst), Data[T](a.Src), IntData(a.At)
	for p := range a.P {
		if at[p] >= 0 {
			axpy(dst[a.N*int(at[p]):], 1, src[a.N*p:][:a.N])
		}
	}
}
