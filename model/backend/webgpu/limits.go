//go:build cgo || js

package webgpu

import "fmt"

// limit is one of WebGPU's limits: what the kernels use, no more than the standard promises, and what an adapter has.
type limit struct {
	name         string
	needed, have uint64
}

// enough names the first limit of an adapter that is too small.
func enough(adapter string, limits []limit) error {
	for _, l := range limits {
		if l.have < l.needed {
			return fmt.Errorf("webgpu: adapter %q cannot run the kernels: its %s is %d, %d is needed; "+
				"choose another adapter or compute on the CPU", adapter, l.name, l.have, l.needed)
		}
	}
	return nil
}

// limits are what the kernels need of an adapter; have looks up what it has.
func limits(have func(name string) uint64) []limit {
	list := []limit{
		{name: "maxBufferSize", needed: bufferMax},
		{name: "maxStorageBufferBindingSize", needed: windowMax},
		{name: "maxStorageBuffersPerShaderStage", needed: 8},
		{name: "maxDynamicUniformBuffersPerPipelineLayout", needed: 1},
		{name: "maxComputeWorkgroupStorageSize", needed: 16 << 10},
		{name: "maxComputeInvocationsPerWorkgroup", needed: 256},
		{name: "maxComputeWorkgroupSizeX", needed: 256},
		{name: "maxComputeWorkgroupsPerDimension", needed: groupsMost},
	}
	for i := range list {
		list[i].have = have(list[i].name)
	}
	return list
}
