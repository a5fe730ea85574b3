package cpu

import "mhacsp/model/backend"

// Columns copies or adds a block of columns.
func (*memory[T]) Columns(a backend.Columns) { columns[T](a) }

func columns[T Float](a backend.Columns) {
	a.Check()
	dst, src := Data[T](a.Dst), Data[T](a.Src)
	for r := range a.M {
		to, from := dst[r*a.DstWidth+a.DstFrom:][:a.N], src[r*a.SrcWidth+a.SrcFrom:][:a.N]
		if !a.Add {
			copy(to, from)
			continue
		}
		for c, x := range from {
			to[c] += x
		}
	}
}
