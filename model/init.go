package model

import (
	"math"
	"math/rand/v2"

	"mhacsp/model/param"
	"mhacsp/tasks/token"
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
		}
	}
}

// steerBias starts b_θh: at first a unit that turns does so by about tanh(steerBias) = 0.76 of its token's angle
// (SPEC §2).
const steerBias = 1

// gatesInit starts b_γ: what is written into a memory, through gates half open, can be read from the first step on.
func gatesInit(c Config) param.Init {
	return func(_ *rand.Rand, dst []float32, _ []int) {
		for i := range c.Core() {
			dst[i] = float32(c.GateBias)
		}
	}
}

// starting fills a tensor with start values that are given beforehand.
func starting(numbers func() []float32) param.Init {
	return func(_ *rand.Rand, dst []float32, _ []int) { copy(dst, numbers()) }
}

// omega is the rates at which the memory's units turn: ω_j = 2πj/P (SPEC §2, memory), or what SPEC §10 puts in their
// place.
func (m *Model) omega() []float32 {
	x, period := make([]float32, m.config.Memory), m.config.Period()
	draw := uint32(period)
	for j := range x {
		switch m.config.Ablation {
		case "no-omega": // 0
		case "random-omega":
			draw = 1664525*draw + 1013904223
			x[j] = float32(2 * math.Pi * float64(draw) / (1 << 32))
		default:
			x[j] = float32(2 * math.Pi * float64(j) / float64(period))
		}
	}
	return x
}

// spoken is how many tokens of an answer come before its copy of the prompt: the result and " repeat " (SPEC §9).
const spoken = 2

// psi is where ψ starts: the first token of the prompt is at hand when its copy begins, and every token that is spoken
// clears its own slot: ψ = π + 2ω (SPEC §2, memory). The ablation no-pi leaves out the clearing.
func (m *Model) psi() []float32 {
	clear := float32(math.Pi)
	if m.config.Ablation == "no-pi" {
		clear = 0
	}
	x := m.omega()
	for j, omega := range x {
		x[j] = clear + spoken*omega
	}
	return x
}

// gateInit starts ζ: every token lets the memory be read, but the one that an answer begins with.
func gateInit(_ *rand.Rand, dst []float32, shape []int) {
	for i := range dst {
		if i/shape[1] != int(token.SOS) {
			dst[i] = 1
		}
	}
}
