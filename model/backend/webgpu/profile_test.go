//go:build cgo && !js

package webgpu

import (
	"errors"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestProfile: the device's own times of kernels add up to no more than the host saw pass, and to a good part of it
// where the device is kept busy.
func TestProfile(t *testing.T) {
	b := opened(t)
	err := b.Profile(true)
	if errors.Is(err, errNoClock) {
		t.Skip(err)
	}
	assert.NoError(t, err)
	const n = 768 // its products take far longer than a busy processor leaves the zeros waiting
	x, w, y := backend.All(b.Floats(n*n)), backend.All(b.Floats(n*n)), backend.All(b.Floats(n*n))
	few := backend.All(b.Floats(64)) // many would be cleared without a kernel

	assert.NoError(t, b.Profile(true)) // forgets
	begin := time.Now()
	for range 3 {
		b.MatMul(backend.MatMul{Y: y, X: x, W: w, M: n, N: n, K: n})
	}
	b.Zero(few)
	list := assert.Must(b.KernelTimes())(t)
	passed := time.Since(begin).Seconds()
	assert.Need(t, len(list) == 2 && list[0].Calls == 3 && list[1].Name == "zeros" && list[1].Calls == 1,
		"measured %+v", list)
	sum := list[0].Seconds + list[1].Seconds
	t.Logf("%.2f ms of %.2f ms", 1000*sum, 1000*passed)
	assert.True(t, sum <= 1.05*passed && list[0].Seconds > list[1].Seconds && list[1].Seconds >= 0,
		"%v s of kernels in %v s", list, passed)
	assert.NoError(t, b.Profile(false))
	b.Zero(y)
	list, err = b.KernelTimes()
	assert.True(t, err == nil && list == nil, "after the end: %v, %v", list, err)
}
