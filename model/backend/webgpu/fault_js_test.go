//go:build js

package webgpu

import (
	"errors"
	"strings"
	"syscall/js"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/tasks/assert"
)

// TestBrowserFaults: what a browser may lack, refuse or lose ends in an error that says so, and nothing hangs.
func TestBrowserFaults(t *testing.T) {
	navigator, object := js.Global().Get("navigator"), js.Global().Get("Object")
	for what, x := range map[string]struct{ gpu, wanted string }{
		"none":       {"undefined", "this browser has no WebGPU"},
		"no adapter": {"({requestAdapter: async () => null})", "no GPU adapter was found"},
		"refusal":    {"({requestAdapter: async () => { throw new Error('blocked') }})", "no GPU adapter was found"},
		"limits":     {"({requestAdapter: async () => ({limits: {maxBufferSize: 1}, info: {vendor: 'small'}})})", `adapter "small" cannot run the kernels: its maxBufferSize is 1,`},
		"no device": {"({requestAdapter: async () => ({limits: new Proxy({}, {get: () => 2 ** 32}), info: {vendor: 'mean'}, requestDevice: async () => { throw new Error('busy') }})})",
			`adapter "mean" gives no device: Error: busy`},
		"hardware only": {"({requestAdapter: async () => ({limits: {}, info: {vendor: 'soft', isFallbackAdapter: true}})})", `"soft" was not asked for`},
	} {
		object.Call("defineProperty", navigator, "gpu", map[string]any{
			"value": js.Global().Call("eval", x.gpu), "configurable": true,
		})
		b, err := Open(Options{Software: what != "hardware only"})
		js.Global().Get("Reflect").Call("deleteProperty", navigator, "gpu")
		if err == nil {
			b.Close()
		}
		assert.True(t, err != nil && strings.Contains(err.Error(), x.wanted), "%s: %v, want %q", what, err, x.wanted)
		assert.Is(t, errors.Is(err, ErrSoftware), what == "hardware only", "%s: %v: an adapter in software", what, err)
	}

	b := open(t)
	v := backend.All(b.Floats(64))
	b.dev.handle.Call("destroy")
	for range 2 {
		err := b.Sync()
		assert.True(t, errors.Is(err, backend.ErrDeviceLost), "after the device was destroyed: %v", err)
	}
	err := b.Download(make([]float32, 1), v)
	assert.True(t, errors.Is(err, backend.ErrDeviceLost), "a read-back after that: %v", err)
	b.Close()

	for _, asked := range []string{"popErrorScope", "createComputePipelineAsync"} { // of a GPU that crashes meanwhile
		b = open(t)
		b.dev.handle.Set(asked, js.Global().Call("eval",
			"(async function () { this.destroy(); throw new Error('Instance dropped'); })"))
		b.Zero(backend.All(b.Floats(64)))
		err := b.Sync()
		assert.True(t, errors.Is(err, backend.ErrDeviceLost) && !errors.Is(err, backend.ErrOutOfMemory),
			"%s of a GPU that has crashed: %v", asked, err)
		b.Close()
	}

	// A kernel that is still compiled when nothing wants it any more: Close waits for it.
	b = open(t)
	v = backend.All(b.Floats(64))
	b.grid("zero", 70000, 1, args{{"first", 0}, {"n", 64}}, on{{"x", v}}) // more workgroups than any adapter takes
	err = b.Sync()
	assert.True(t, err != nil && strings.Contains(err.Error(), "70000 workgroups"), "70 000 workgroups: %v", err)
	b.Close()

	b = open(t)
	wrong := func() { b.dev.handle.Call("createBuffer", map[string]any{"size": 4, "usage": 0}) }
	wrong()
	for range 3 { // the browser tells of it in an event of its own
		err = b.Sync()
	}
	assert.True(t, err != nil && strings.Contains(strings.ToLower(err.Error()), "usage"),
		"a buffer for no use: %v", err)
	wrong() // and of this one after the device's end
	b.Close()
}
