package vec

import (
	"fmt"
	"slices"
)

// need panics where an input holds fewer than n values.
func need(n, have int) {
	if have < n {
		panicShort(n, have)
	}
}

//go:noinline
func panicShort(n, have int) {
	panic(fmt.Sprintf("vec: slice of %d values where %d are needed", have, n))
}

// total32 is what four partial sums of a loop come to, and greatest32 the greatest of four.
func total32(s *[4]float32) float32 { return (s[0] + s[1]) + (s[2] + s[3]) }

func total64(s *[4]float32) float64 {
	return (float64(s[0]) + float64(s[1])) + (float64(s[2]) + float64(s[3]))
}

func greatest32(s *[4]float32) float32 { return max(max(s[0], s[1]), max(s[2], s[3])) }

// SumSquares is Σ x_j², summed in float32 lanes over runs of 1024 values and in float64 over the runs.
func SumSquares(x []float32) (s float64) {
	for run := range slices.Chunk(x, 1024) {
		s += sumSquares(len(run), run)
	}
	return s
}
