//go:build cgo && !js

package shaders

import (
	"testing"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend/backendtest"
	"mhacsp/tasks/assert"
)

// TestNaga: the compiler that the program contains takes every text, and the machine's driver what it makes of it.
func TestNaga(t *testing.T) {
	wgpu.SetLogLevel(wgpu.LogLevelError)
	instance := wgpu.CreateInstance(nil)
	defer instance.Release()
	adapter, err := instance.RequestAdapter(nil)
	if err != nil {
		backendtest.NoGPU(t, err)
	}
	defer adapter.Release()
	device := assert.Must(adapter.RequestDevice(nil))(t)
	defer device.Release()
	for name, text := range texts(t) {
		m, err := device.CreateShaderModule(&wgpu.ShaderModuleDescriptor{
			WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: text},
		})
		if err == nil {
			_, err = device.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
				Compute: wgpu.ProgrammableStageDescriptor{Module: m, EntryPoint: "main"},
			})
		}
		assert.True(t, err == nil, "%s: %v", name, err)
	}
}
