package backend

import "fmt"

// MatMul computes Y = X·Wᵀ + Bias, a linear layer over M rows (FORMATS.md: weights are [out, in]).
type MatMul struct {
	Y       Vec // [M, N], overwritten
	X       Vec // [M, K]
	W       Vec // [N, K]
	Bias    Vec // [N], optional
	M, K, N int // at least 1
}

func (a MatMul) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }

// MatMulInput computes the gradient of MatMul's input, DX = DY·W (added to DX when Accumulate is set).
type MatMulInput struct {
	DX         Vec // [M, K]
	DY         Vec // [M, N]
	W          Vec // [N, K]
	M, K, N    int // at least 1
	Accumulate bool
}

func (a MatMulInput) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }

// MatMulWeight adds the gradients of MatMul's weight and bias: DW += DYᵀ·X, DBias += column sums of DY.
type MatMulWeight struct {
	DW      Vec // [N, K], added to
	DBias   Vec // [N], added to; optional
	DY      Vec // [M, Row]; of each row the first N numbers are read
	X       Vec // [M, K]
	M, K, N int // at least 1
	Width   int // at least N; 0: N
}

// Row is how many numbers a row of DY has.
func (a MatMulWeight) Row() int { return max(a.N, a.Width) }

func (a MatMulWeight) also(k string) {
	if a.Width != 0 && a.Width < a.N {
		panic(fmt.Sprintf("backend: %s.Width is %d, at least N (%d) needed", k, a.Width, a.N))
	}
}

func (a MatMulWeight) flops(func(Sequences) int) float64 { return product(a.M, a.K, a.N) }
