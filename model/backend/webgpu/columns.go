//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// Columns copies or adds a block of columns.
func (b *Backend) Columns(a backend.Columns) {
	a.Check()
	n, wide := quads(a.N, a.DstWidth, a.SrcWidth, a.DstFrom, a.SrcFrom)
	unit := a.N / n
	b.elements("columns", wide, a.M*n, args{
		{"M", a.M}, {"N", n}, {"dstwidth", a.DstWidth / unit}, {"srcwidth", a.SrcWidth / unit},
		{"to", a.DstFrom / unit}, {"origin", a.SrcFrom / unit}, {"add", a.Add},
	}, on{{"dst", a.Dst}, {"src", a.Src}})
}
