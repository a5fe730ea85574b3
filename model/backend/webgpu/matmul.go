//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// tileRows is how many rows an invocation of a tiled product owns.
const tileRows = 8

// MatMul is Y = X·Wᵀ + Bias.
func (b *Backend) MatMul(a backend.MatMul) {
	a.Check()
	if !tiled(a.K) {
		p := b.padTo("matmul", a.K)
		p.reads("X", &a.X, a.M, a.M)
		p.reads("W", &a.W, a.N, a.N)
		a.K = p.width
	}
	b.tiles("matmul", a.N, 4, groupOf(a.M, tileRows),
		args{{"M", a.M}, {"K", a.K}, {"N", a.N}, {"biased", a.Bias.Given()}},
		on{{"y", a.Y}, {"x", a.X}, {"w", a.W}, {"bias", a.Bias}})
}

// MatMulInput is DX (+)= DY·W.
func (b *Backend) MatMulInput(a backend.MatMulInput) {
	a.Check()
	p := b.padTo("matmul", a.K)
	if !tiled(a.K) {
		p.reads("W", &a.W, a.N, a.N)
		p.updates("DX", &a.DX, a.M)
		a.K = p.width
	}
	dy, width := b.padded(a.DY, a.M, a.N)
	b.tiles("matmul_input", a.K, 4, groupOf(a.M, tileRows),
		args{{"M", a.M}, {"K", a.K}, {"N", a.N}, {"width", width}, {"accumulate", a.Accumulate}},
		on{{"dx", a.DX}, {"dy", dy}, {"w", a.W}})
	p.done()
}

// partRows is the least number of rows that one part of a weight gradient sums, partMax the most parts.
const partRows, partMax = 32, 64

// partsMost is the most numbers in all parts together, 32 MiB of them: an invocation holds 64 of a part's in
// registers, and no GPU has registers for 131 072 such. Matrices of the presets' sizes are never bounded by it.
const partsMost = 8 << 20

// partsFor is into how many parts, each of that many numbers in that many workgroups side by side, the rows of a
// weight gradient are cut. A GPU has more invocations than a weight matrix has tiles: parts are summed side by side.
func partsFor(rows, numbers, groups int) int {
	if rows <= 2*partRows {
		return 1 // not worth the second pass
	}
	parts := 1 // a power of two, lest bind groups differ with every batch
	for parts < partMax && 2*parts*partRows <= rows && 2*parts*numbers <= partsMost && 2*parts*groups <= groupsMost {
		parts *= 2
	}
	return parts
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (b *Backend) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	p := b.padTo("matmul", a.K)
	if !tiled(a.K) {
		p.reads("X", &a.X, a.M, a.M)
		p.updates("DW", &a.DW, a.N)
		a.K = p.width
	}
	defer p.done()
	dy, width := b.padded(a.DY, a.M, a.Row())
	blocks := groupOf(a.N, tileRows)
	parts := partsFor(a.M, a.N*(a.K+1), blocks)
	run := func(dw, dbias backend.Vec) {
		b.tiles("matmul_weight", a.K, 8, blocks*parts, args{
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
