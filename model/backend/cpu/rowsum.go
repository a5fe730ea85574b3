package cpu

import "mhacsp/model/backend"

// RowSum is Dst[At[p]] += Src[p].
func (*Reference[T]) RowSum(a backend.RowSum) {
	a.Check()
	dst, src, at := Data[T](a.Dst), Data[T](a.Src), intData(a.At)
	for p := range a.P {
		if at[p] >= 0 {
			axpy(dst[a.N*int(at[p]):], 1, src[a.N*p:][:a.N])
		}
	}
}
