//go:build cgo && !js

package webgpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mhacsp/model/backend/tune"
)

// wallTick: below a twentieth of a millisecond the host's clock says more of the host than of a step.
const wallTick = 50e-6

// driver stands for the versions of the machine's GPU drivers, which the library does not tell: that of NVIDIA's
// module, and a hash over what Vulkan's loader finds. Empty where nothing is known.
func driver() string {
	var parts []string
	if text, err := os.ReadFile("/sys/module/nvidia/version"); err == nil {
		parts = append(parts, "NVIDIA "+strings.TrimSpace(string(text)))
	}
	var seen []string
	for _, folder := range []string{"/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"} {
		files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
		for _, f := range files {
			text, _ := os.ReadFile(f)
			seen = append(seen, f, string(text))
		}
	}
	libraries, _ := filepath.Glob("/usr/lib/*/libvulkan_*.so")
	more, _ := filepath.Glob("/usr/lib*/libvulkan_*.so")
	for _, f := range append(libraries, more...) {
		if i, err := os.Stat(f); err == nil {
			seen = append(seen, fmt.Sprint(f, i.Size(), i.ModTime().Unix()))
		}
	}
	if len(seen) > 0 {
		parts = append(parts, "Vulkan "+tune.Hash(seen...))
	}
	return strings.Join(parts, ", ")
}
