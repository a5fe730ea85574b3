//go:build cgo && !js

package webgpu

import (
	"strings"
	"sync"
	"testing"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/tasks/assert"
)

// TestDriver: the adapter that Mesa's software driver offers says so, and one that is not there says nothing.
func TestDriver(t *testing.T) {
	b := open(t)
	info := b.Info()
	b.Close()
	driver := Driver(info.Adapter)
	t.Logf("%+v: %q", info, driver)
	if !strings.HasPrefix(info.Adapter, "llvmpipe") {
		return
	}
	other := Driver("no such adapter")
	assert.True(t, info.API == "vulkan" && strings.Contains(driver, "Mesa ") && other == "",
		"%+v has the driver %q; an adapter that is not there has %q", info, driver, other)
}

// TestAdapters: the first API that lists adapters is taken alone, and software comes last.
func TestAdapters(t *testing.T) {
	const vulkan, dx12 = wgpu.InstanceBackendVulkan, wgpu.InstanceBackendDX12
	for want, lists := range map[string]wgpu.InstanceBackend{"vulkan": vulkan | dx12, "dx12": dx12, "": 0} {
		found, by := firstListed([]wgpu.InstanceBackend{vulkan, dx12}, func(api wgpu.InstanceBackend) []string {
			return []string{"a card"}[:lists&api/api]
		})
		assert.True(t, by == want && (len(found) == 1) == (want != ""), "%q lists %q, want %q", by, found, want)
	}
	const real, software = wgpu.AdapterTypeDiscreteGPU, wgpu.AdapterTypeCPU
	list := []adapter{{kind: software}, {kind: wgpu.AdapterTypeUnknown}, {kind: real}}
	order(list)
	assert.True(t, list[0].kind == real && list[2].kind == software, "%+v", list)
}

// TestAtOnce: adapters are listed by several goroutines at once.
func TestAtOnce(t *testing.T) {
	open(t).Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				_, err := Adapters()
				assert.True(t, err == nil, "%v", err)
			}
		})
	}
	all.Wait()
}
