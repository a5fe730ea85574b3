//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// tileRows is how many rows an invocation of a tiled product owns.
const tileRows = 8

// tiled tells whether rows of k numbers can be read four at a time, as the tiled products do.
func tiled(k int) bool { return k%4 == 0 }

// padded is dy [m, n] with rows of a width that is a multiple of four.
func (b *Backend) padded(dy backend.Vec, m, n int) (backend.Vec, int) {
	if n%4 == 0 {
		return dy.Slice(0, m*n), n
	}
	width := (n + 3) / 4 * 4
	to := b.temporary("padded", m*width)
	b.each("pad", m*width, words(m, n, width), to, dy)
	return to, width
}

// MatMul is Y = X·Wᵀ + Bias.
func (b *Backend) MatMul(a backend.MatMul) {
	a.Check()
	p := words(a.M, a.K, a.N, a.Bias.Given())
	if tiled(a.K) {
		b.tiles("matmul_tile", a.N, 4, groupOf(a.M, tileRows), p, a.Y, a.X, a.W, a.Bias)
		return
	}
	b.each("matmul", a.M*a.N, p, a.Y, a.X, a.W, a.Bias)
}

// MatMulInput is DX (+)= DY·W.
func (b *Backend) MatMulInput(a backend.MatMulInput) {
	a.Check()
	if tiled(a.K) {
		dy, width := b.padded(a.DY, a.M, a.N)
		b.tiles("matmul_input_tile", a.K, 4, groupOf(a.M, tileRows), words(a.M, a.K, a.N, width, a.Accumulate), a.DX, dy, a.W)
		return
	}
	b.each("matmul_input", a.M*a.K, words(a.M, a.K, a.N, a.Accumulate), a.DX, a.DY, a.W)
}

// partRows is the least number of rows that one part of a weight gradient sums on a GPU, partMax the most parts.
const partRows, partMax = 32, 64

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY. A GPU has more invocations than a weight matrix has tiles, so
// there the rows are cut into parts that are summed side by side and then added up.
func (b *Backend) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	if !tiled(a.K) {
		b.turns("matmul_weight", a.M)
		b.each("matmul_weight", a.N*a.K, words(a.M, a.K, a.N), a.DW, a.DY, a.X)
		if a.DBias.Given() {
			b.each("column_sum", a.N, words(a.M, a.N), a.DBias, a.DY)
		}
		return
	}
	dy, width := b.padded(a.DY, a.M, a.N)
	blocks := groupOf(a.N, tileRows)
	parts := 1
	if !b.soft {
		parts = min(partMax, groupOf(a.M, partRows))
	}
	rows := groupOf(a.M, parts)
	run := func(dw, dbias backend.Vec, first, last int, add bool) {
		b.tiles("matmul_weight_tile", a.K, 8, blocks*parts,
			words(first, last, a.K, a.N, width, rows, blocks, add, a.DBias.Given()), dw, dbias, dy, a.X)
	}
	if parts == 1 {
		for first := 0; first < a.M; first += turnsMax {
			rows = min(turnsMax, a.M-first)
			run(a.DW, a.DBias, first, first+rows, true)
		}
		return
	}
	part, bias := b.temporary("part weight", parts*a.N*a.K), b.temporary("part bias", parts*a.N)
	run(part, bias, 0, a.M, false)
	b.each("partial_sum", a.N*a.K, words(a.N*a.K, parts, true), a.DW, part)
	if a.DBias.Given() {
		b.each("partial_sum", a.N, words(a.N, parts, true), a.DBias, bias)
	}
}

// Scatter is Dst[v] = Σ over rows r with At[r] = v of Src[r].
func (b *Backend) Scatter(a backend.Scatter) {
	a.Check()
	b.turns("scatter", a.Rows)
	b.each("scatter", a.Table*a.Width, words(b.place(a.At), a.Rows, a.Width, a.Table), a.Dst, a.Src, indexed)
}
