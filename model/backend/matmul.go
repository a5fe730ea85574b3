package backend

import "fmt"

// MatMul computes Y = X·Wᵀ + Bias, a linear layer over M rows (FORMATS.md: weights are [out, in]).
type MatMul struct {
	Y       Vec // [M, N], overwritten
	X       Vec // [M, K]
	W       Vec // [N, K]
	Bias    Vec // [N], optional
	M, K, N int
}

// Check panics on a shape that does not fit.
func (a MatMul) Check() {
	const k = "MatMul"
	positive(k, "M", a.M)
	positive(k, "K", a.K)
	positive(k, "N", a.N)
	need(k, "Y", a.Y, a.M*a.N)
	need(k, "X", a.X, a.M*a.K)
	need(k, "W", a.W, a.N*a.K)
	maybe(k, "Bias", a.Bias, a.N)
}

// On enqueues the call on b.
func (a MatMul) On(b Backend) { b.MatMul(a) }

func (a MatMul) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }

// MatMulInput computes the gradient of MatMul's input, DX = DY·W (added to DX when Accumulate is set).
type MatMulInput struct {
	DX         Vec // [M, K]
	DY         Vec // [M, N]
	W          Vec // [N, K]
	M, K, N    int
	Accumulate bool
}

// Check panics on a shape that does not fit.
func (a MatMulInput) Check() {
	const k = "MatMulInput"
	positive(k, "M", a.M)
	positive(k, "K", a.K)
	positive(k, "N", a.N)
	need(k, "DX", a.DX, a.M*a.K)
	need(k, "DY", a.DY, a.M*a.N)
	need(k, "W", a.W, a.N*a.K)
}

// On enqueues the call on b.
func (a MatMulInput) On(b Backend) { b.MatMulInput(a) }

func (a MatMulInput) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }

// MatMulWeight adds the gradients of MatMul's weight and bias: DW += DYᵀ·X, DBias += column sums of DY.
type MatMulWeight struct {
	DW      Vec // [N, K], added to
	DBias   Vec // [N], added to; optional
	DY      Vec // [M, Width]; of each row the first N numbers are read
	X       Vec // [M, K]
	M, K, N int
	Width   int // at least N; 0: N
}

// Row is how many numbers a row of DY has.
func (a MatMulWeight) Row() int { return max(a.N, a.Width) }

// Check panics on a shape that does not fit.
func (a MatMulWeight) Check() {
	const k = "MatMulWeight"
	positive(k, "M", a.M)
	positive(k, "K", a.K)
	positive(k, "N", a.N)
	if a.Width != 0 && a.Width < a.N {
		panic(fmt.Sprintf("backend: %s.Width is %d, at least N (%d) needed", k, a.Width, a.N))
	}
	need(k, "DW", a.DW, a.N*a.K)
	maybe(k, "DBias", a.DBias, a.N)
	need(k, "DY", a.DY, a.M*a.Row())
	need(k, "X", a.X, a.M*a.K)
}

// On enqueues the call on b.
func (a MatMulWeight) On(b Backend) { b.MatMulWeight(a) }

func (a MatMulWeight) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }
