//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// RowSum is Dst[At[p]] += Src[p].
func (b *Backend) RowSum(a backend.RowSum) {
	a.Check()
	columns, wide := quads(a.N)
	b.gathered("rowsum", wide, columns, b.byToken(a.At, a.P, a.M), 0,
		on{{"dst", a.Dst}, {"src", a.Src}, {"ints", indexed}})
}
