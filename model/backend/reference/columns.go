package reference

import "mhacsp/model/backend"

// Columns is Dst[r, DstFrom+c] = Src[r, SrcFrom+c], or += where Add.
func (*Backend[T]) Columns(a backend.Columns) {
	a.Check()
	dst, src := Data[T](a.Dst), Data[T](a.Src)
	for r := range a.M {
		to, from := dst[r*a.DstWidth+a.DstFrom:][:a.N], src[r*a.SrcWidth+a.SrcFrom:][:a.N]
		if a.Add {
			axpy(to, 1, from)
		} else {
			copy(to, from)
		}
	}
}
