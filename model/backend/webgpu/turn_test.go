//go:build cgo || js

package webgpu

import (
	"math"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestTurnFar: an angle of thousands of radians is as right as turn.wgsl promises, up to the 4096 steps that it names.
func TestTurnFar(t *testing.T) {
	const p, n = 61, 97
	b := opened(t)
	state, psi, omega, want := make([]float32, 2*n), make([]float32, n), make([]float32, n), make([]float32, 2*p*n)
	row, steps := make([]int32, p), make([]int32, p)
	for j := range n {
		state[j], psi[j], omega[j] = 1, float32(j)/4-12, float32(2*math.Pi*float64(j)/(n-1))
	}
	for i := range p {
		steps[i] = int32(4096 - 64*i - i%2)
		for j := range n {
			sin, cos := math.Sincos(float64(psi[j]) + float64(steps[i])*float64(omega[j]))
			want[2*n*i+j], want[2*n*i+n+j] = float32(cos), float32(sin)
		}
	}
	vec := func(x []float32) backend.Vec {
		v := backend.All(b.Floats(len(x)))
		b.Upload(v, x)
		return v
	}
	index := func(x []int32) backend.Index {
		i := b.Ints(len(x))
		b.UploadInts(i, x)
		return i
	}
	got := make([]float32, len(want))
	out := vec(got)
	b.TurnForward(backend.TurnForward{Out: out, State: vec(state), Row: index(row), Steps: index(steps), Psi: vec(psi),
		Omega: vec(omega), P: p, N: n})
	assert.NoError(t, b.Download(got, out))
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	t.Logf("off by %.1e at most", worst)
	assert.True(t, worst <= 4e-6, "off by %.1e", worst)
}
