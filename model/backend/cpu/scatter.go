package cpu

import "mhacsp/model/backend"

// Scatter is Dst[v] = Σ over rows r with At[r] = v of Src[r].
func (*Reference[T]) Scatter(a backend.Scatter) {
	a.Check()
	dst, src, at := Data[T](a.Dst), Data[T](a.Src), intData(a.At)
	clear(dst[:a.Table*a.Width])
	for r := range a.Rows {
		if at[r] < 0 {
			continue
		}
		row := dst[int(at[r])*a.Width:][:a.Width]
		for i := range row {
			row[i] += src[r*a.Width+i]
		}
	}
}
