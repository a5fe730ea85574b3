//go:build cgo

package webgpu

import (
	"syscall"

	"github.com/cogentcore/webgpu/wgpu"
)

func apis() []wgpu.InstanceBackend { return []wgpu.InstanceBackend{wgpu.InstanceBackendMetal} }

// remedy says what was asked, and what to do where it lists no GPU.
const remedy = "Metal: macOS itself has the drivers, so update macOS; a virtual machine may have no GPU"

// Driver is the version of macOS, whose part the drivers are.
func Driver(string) string {
	version, _ := syscall.Sysctl("kern.osproductversion")
	return "macOS " + version
}
