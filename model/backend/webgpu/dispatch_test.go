//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"
	"testing"

	"mhacsp/model"
)

// TestDispatches counts the dispatches of a training step of mha-csp as a GPU gets it: few, since each costs the GPU
// microseconds in which it does nothing. (A software adapter makes one a step of the recurrence: recurrence_step.wgsl.)
func TestDispatches(t *testing.T) {
	const most = 62
	c, err := model.Preset("mha-csp")
	if err != nil {
		t.Fatal(err)
	}
	device := open(t).(*Backend)
	defer device.Close()
	device.soft = false
	step(t, device, c, arithmetic(t, 6))
	total := 0
	var list []string
	for kernel, n := range device.dispatched {
		total += n
		list = append(list, fmt.Sprintf("%s %d", kernel, n))
	}
	slices.Sort(list)
	t.Logf("%d dispatches: %v", total, list)
	if total > most {
		t.Errorf("%d dispatches a training step, at most %d are wanted", total, most)
	}
}
