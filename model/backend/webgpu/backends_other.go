//go:build cgo && !darwin && !windows && !js

package webgpu

import "github.com/cogentcore/webgpu/wgpu"

func apis() []wgpu.InstanceBackend { return []wgpu.InstanceBackend{wgpu.InstanceBackendVulkan} }

// remedy says what was asked, and what to do where it lists no GPU.
const remedy = "Vulkan: install the GPU's Vulkan driver and its loader (on Debian and Ubuntu libvulkan1, " +
	"and mesa-vulkan-drivers for AMD and Intel)"
