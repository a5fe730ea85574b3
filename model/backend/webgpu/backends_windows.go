//go:build cgo

package webgpu

import "github.com/cogentcore/webgpu/wgpu"

// apis: Vulkan goes first because the kernels were tried with it.
func apis() []wgpu.InstanceBackend {
	return []wgpu.InstanceBackend{wgpu.InstanceBackendVulkan, wgpu.InstanceBackendDX12}
}

// remedy says what was asked, and what to do where it lists no GPU.
const remedy = "Vulkan or Direct3D 12: install the graphics driver of the GPU's maker (NVIDIA, AMD or Intel)"

// LastWords does nothing here: Windows has no such signal.
func LastWords(string, int) {}
