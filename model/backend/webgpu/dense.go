//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// MatMul is Y = X·Wᵀ + Bias.
func (b *Backend) MatMul(a backend.MatMul) {
	a.Check()
	b.each("matmul", a.M*a.N, words(a.M, a.K, a.N, a.Bias.Given()), a.Y, a.X, a.W, a.Bias)
}

// MatMulInput is DX (+)= DY·W.
func (b *Backend) MatMulInput(a backend.MatMulInput) {
	a.Check()
	b.each("matmul_input", a.M*a.K, words(a.M, a.K, a.N, a.Accumulate), a.DX, a.DY, a.W)
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (b *Backend) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	b.turns("matmul_weight", a.M)
	b.each("matmul_weight", a.N*a.K, words(a.M, a.K, a.N), a.DW, a.DY, a.X)
	if a.DBias.Given() {
		b.each("column_sum", a.N, words(a.M, a.N), a.DBias, a.DY)
	}
}

// Scatter is Dst[v] = Σ over rows r with At[r] = v of Src[r].
func (b *Backend) Scatter(a backend.Scatter) {
	a.Check()
	b.turns("scatter", a.Rows)
	b.each("scatter", a.Table*a.Width, words(b.place(a.At), a.Rows, a.Width, a.Table), a.Dst, a.Src, indexed)
}
