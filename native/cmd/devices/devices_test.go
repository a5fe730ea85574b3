//go:build !js

package devices

import (
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/tasks/assert"
)

// TestDevicesText: devices shows what was found for an adapter.
func TestDevicesText(t *testing.T) {
	times := []tune.Time{{Value: "streamed", Ms: 2}, {Value: "registers", Ms: 1}}
	found := tune.Record{
		Key:     tune.Key{Adapter: "An adapter", Width: 132, Angle: "token", Batch: 128},
		Choices: []tune.Choice{{Knob: "forward", Value: "registers", Times: times}},
	}
	list := []deviceInfo{
		{Info: backend.Info{Name: "cpu", Adapter: "some"}},
		{backend.Info{Name: "gpu", Adapter: "An adapter", API: "vulkan"}, tune.Records{found}},
	}
	var out strings.Builder
	printDevices(&out, list)
	assert.Is(t, out.String(), "cpu  some        processor\ngpu  An adapter  GPU (vulkan)\n"+
		"     width 132, angles by token, up to 128 sequences: forward registers (50 % less time a step)\n", "printed")
}
