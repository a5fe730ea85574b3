package model

import (
	"math"
	"math/rand/v2"
)

// factorInit starts every metric near the identity over √(2d), 2 % noise (SPEC §3, §8): distances between random
// phases start near 1. What is stored is Λ before the softplus on its diagonal.
func factorInit(r *rand.Rand, dst []float32, shape []int) {
	d := shape[1]
	scale := 1 / math.Sqrt(2*float64(d))
	for i := range dst {
		row, col := i/d%d, i%d
		noise := 0.02 * scale * r.NormFloat64()
		switch {
		case col < row:
			dst[i] = float32(noise)
		case col == row:
			dst[i] = float32(math.Log(math.Expm1(scale + noise))) // softplus⁻¹
		default:
			dst[i] = 0
		}
	}
}
