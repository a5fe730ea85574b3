package reference

import "mhacsp/model/backend"

// Columns is Dst[r, DstFrom+c] = Src[r, SrcFrom+c], or += where Add.
func (*Backend[T]) Columns(a backend.Columns) {
	a.Check()
	dst, src := Data[T](a.Dst), Data[T](a.Src)
	for r := range a.M {
		for c := range a.N {
			to, from := r*a.DstWidth+a.DstFrom+c, r*a.SrcWidth+a.SrcFrom+c
			if a.Add {
				dst[to] += src[from]
			} else {
				dst[to] = src[from]
			}
		}
	}
}
