//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// tileRows is how many rows an invocation of a tiled product owns.
const tileRows = 8

// tiled tells whether rows of k numbers can be read four at a time, as the tiled products do.
func tiled(k int) bool { return k%4 == 0 }

// padding is what the padded rows at hand were made of.
type padding struct {
	from, to stamp
	m, n     int
}

// paddedTo is memory for m rows of n numbers and zeros, and how wide they are.
func (b *Backend) paddedTo(m, n int) (backend.Vec, int) {
	width := (n + 3) / 4 * 4
	return b.temporary("padded", m*width), width
}

// pad copies from [m, n] to rows of another number and width: to (+)= from where both reach, zeros elsewhere.
func (b *Backend) pad(to backend.Vec, rows, width int, from backend.Vec, m, n int, add bool) {
	b.each("pad", rows*width,
		args{{"M", rows}, {"width", width}, {"rows", m}, {"N", n}, {"add", add}},
		on{{"out", to}, {"source", from}})
}

// padded is dy [m, n] with rows of a width that is a multiple of four. The gradient of a layer's output is asked for twice.
func (b *Backend) padded(dy backend.Vec, m, n int) (backend.Vec, int) {
	if n%4 == 0 {
		return dy.Slice(0, m*n), n
	}
	to, width := b.paddedTo(m, n)
	if b.padding != (padding{b.stamp(dy), b.stamp(to), m, n}) {
		b.pad(to, m, width, dy, m, n, false)
		b.padding = padding{b.stamp(dy), b.stamp(to), m, n}
	}
	return to, width
}

// MatMul is Y = X·Wᵀ + Bias.
func (b *Backend) MatMul(a backend.MatMul) {
	a.Check()
	p := args{{"M", a.M}, {"K", a.K}, {"N", a.N}, {"biased", a.Bias.Given()}}
	bind := on{{"y", a.Y}, {"x", a.X}, {"w", a.W}, {"bias", a.Bias}}
	if tiled(a.K) {
		b.tiles("matmul_tile", a.N, 4, groupOf(a.M, tileRows), p, bind)
		return
	}
	b.each("matmul", a.M*a.N, p, bind)
}

// MatMulInput is DX (+)= DY·W.
func (b *Backend) MatMulInput(a backend.MatMulInput) {
	a.Check()
	if tiled(a.K) {
		dy, width := b.padded(a.DY, a.M, a.N)
		b.tiles("matmul_input_tile", a.K, 4, groupOf(a.M, tileRows),
			args{{"M", a.M}, {"K", a.K}, {"N", a.N}, {"width", width}, {"accumulate", a.Accumulate}},
			on{{"dx", a.DX}, {"dy", dy}, {"w", a.W}})
		return
	}
	b.each("matmul_input", a.M*a.K,
		args{{"M", a.M}, {"K", a.K}, {"N", a.N}, {"accumulate", a.Accumulate}},
		on{{"dx", a.DX}, {"dy", a.DY}, {"w", a.W}})
}

// partRows is the least number of rows that one part of a weight gradient sums on a GPU, partMax the most parts.
const partRows, partMax = 32, 64

// partsFor is into how many parts the rows of a weight gradient are cut. A GPU has more invocations than a weight matrix has
// tiles, so there parts are summed side by side and then added up; a software adapter has few, but may bound the loop.
func (b *Backend) partsFor(rows int) int {
	switch {
	case b.soft:
		return groupOf(rows, b.turnsAllowed())
	case rows <= 2*partRows:
		return 1 // not worth the second pass
	}
	parts := 1 // a power of two, lest bind groups differ with every batch
	for parts < partMax && 2*parts*partRows <= rows {
		parts *= 2
	}
	return parts
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (b *Backend) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	if !tiled(a.K) {
		b.turns("matmul_weight", a.M)
		b.each("matmul_weight", a.N*a.K,
			args{{"M", a.M}, {"K", a.K}, {"N", a.N}},
			on{{"dw", a.DW}, {"dy", a.DY}, {"x", a.X}})
		if a.DBias.Given() {
			b.each("column_sum", a.N,
				args{{"M", a.M}, {"N", a.N}},
				on{{"dst", a.DBias}, {"src", a.DY}})
		}
		return
	}
	dy, width := b.padded(a.DY, a.M, a.N)
	blocks, parts := groupOf(a.N, tileRows), b.partsFor(a.M)
	run := func(dw, dbias backend.Vec) {
		b.tiles("matmul_weight_tile", a.K, 8, blocks*parts, args{
			{"M", a.M}, {"K", a.K}, {"N", a.N}, {"width", width}, {"rows", groupOf(a.M, parts)}, {"blocks", blocks},
			{"add", parts == 1}, {"biased", a.DBias.Given()},
		}, on{{"dw", dw}, {"dbias", dbias}, {"dy", dy}, {"x", a.X}})
	}
	if parts == 1 {
		run(a.DW, a.DBias)
		return
	}
	matrix := (parts*a.N*a.K + backend.Align - 1) / backend.Align * backend.Align
	to := b.partsOf(2, matrix+parts*a.N)
	run(to.Slice(0, matrix), to.Slice(matrix, parts*a.N))
	b.sum(a.DW, to, 0, a.N*a.K, parts)
	if a.DBias.Given() {
		b.sum(a.DBias, to, matrix, a.N, parts)
	}
}
