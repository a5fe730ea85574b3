//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// Average is the mean over a graph's edges.
func (b *Backend) Average(a backend.Average) {
	a.Check()
	n, wide := quads(a.N)
	b.elements("average", wide, a.P*n,
		args{{"P", a.P}, {"N", n}, {"D", a.D}, {"edge", b.place(a.Edge)}, {"add", a.Add}},
		on{{"y", a.Y}, {"x", a.X}, {"weight", a.Weight}, {"ints", indexed}})
}
