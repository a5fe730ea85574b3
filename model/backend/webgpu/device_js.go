//go:build js

package webgpu

import (
	"errors"
	"fmt"
	"syscall/js"
	"unsafe"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
)

// await blocks the calling goroutine, never a callback of the page, until a promise is settled.
func await(promise js.Value) (js.Value, error) { return settled(promise)() }

// settled hears of a promise from now on; the function it returns waits for it, and may be called once.
func settled(promise js.Value) func() (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	came := make(chan result, 1)
	var then, fail js.Func
	end := func(r result) {
		then.Release()
		fail.Release()
		came <- r
	}
	then = js.FuncOf(func(_ js.Value, args []js.Value) any {
		end(result{value: args[0]})
		return nil
	})
	fail = js.FuncOf(func(_ js.Value, args []js.Value) any {
		end(result{err: errors.New(js.Global().Call("String", args[0]).String())})
		return nil
	})
	promise.Call("then", then, fail)
	return func() (js.Value, error) {
		r := <-came
		return r.value, r.err
	}
}

func adapter() (js.Value, backend.Info, error) {
	gpu := js.Global().Get("navigator").Get("gpu")
	if !gpu.Truthy() {
		return js.Value{}, backend.Info{}, fmt.Errorf("%w: this browser has no WebGPU", ErrNoAdapter)
	}
	a, err := await(gpu.Call("requestAdapter"))
	if err != nil || !a.Truthy() {
		return js.Value{}, backend.Info{}, fmt.Errorf("%w: this browser's WebGPU has none to offer", ErrNoAdapter)
	}
	i := a.Get("info")
	name := "WebGPU"
	if i.Truthy() {
		for _, key := range []string{"description", "device", "architecture", "vendor"} {
			if s := i.Get(key); s.Type() == js.TypeString && s.String() != "" {
				name = s.String()
				break
			}
		}
	}
	soft := a.Get("isFallbackAdapter").Truthy() || i.Truthy() &&
		(i.Get("isFallbackAdapter").Truthy() || i.Get("architecture").Equal(js.ValueOf("swiftshader")))
	return a, backend.Info{Name: "gpu", Adapter: name, Software: soft, Bits: 32}, nil
}

type device struct {
	*wgpu.Device
	handle js.Value
	faults *fault
	*staging
}

func openDevice(o Options) (device, backend.Info, error) {
	a, info, err := adapter()
	if err != nil {
		return device{}, info, err
	}
	if !o.allows(info) {
		return device{}, info, fmt.Errorf("%w: %w: %q was not asked for", ErrNoAdapter, ErrSoftware, info.Adapter)
	}
	have := func(name string) uint64 {
		if x := a.Get("limits").Get(name); x.Type() == js.TypeNumber {
			return uint64(x.Float())
		}
		return 0 // a limit that the browser has not heard of
	}
	if err := enough(info.Adapter, limits(have)); err != nil {
		return device{}, info, err
	}
	h, err := await(a.Call("requestDevice"))
	if err != nil {
		return device{}, info, fmt.Errorf("webgpu: adapter %q gives no device: %w", info.Adapter, err)
	}
	inner := wgpu.NewDevice(h)
	d := device{&inner, h, &fault{}, &staging{}}
	d.watch()
	return d, info, nil
}

// watch hears what the device reports. The functions live as long as the page: the device may speak after its end.
func (d device) watch() {
	d.handle.Call("addEventListener", "uncapturederror", js.FuncOf(func(_ js.Value, args []js.Value) any {
		d.faults.set(errors.New("webgpu: " + args[0].Get("error").Get("message").String()))
		return nil
	}))
	d.handle.Get("lost").Call("then", js.FuncOf(func(_ js.Value, args []js.Value) any {
		d.faults.lost(args[0].Get("message").String())
		return nil
	}))
}

// scoped runs f, which creates things on the device, and returns the error that it caused there.
func (d device) scoped(f func() error) error {
	filters := []string{"out-of-memory", "validation"}
	for _, filter := range filters {
		d.handle.Call("pushErrorScope", filter)
	}
	err := f()
	for range filters {
		caused, failed := await(d.handle.Call("popErrorScope"))
		switch {
		case err != nil:
		case failed != nil: // only where the device is lost
			err = fmt.Errorf("%w: %w", backend.ErrDeviceLost, failed)
		case caused.Truthy():
			err = errors.New(caused.Get("message").String())
		}
	}
	return err
}

// build begins to compile a kernel; the browser goes on with it while the program runs.
func (d device) build(p *pipeline) error {
	wait := settled(d.handle.Call("createComputePipelineAsync", map[string]any{
		"layout":  *(*js.Value)(unsafe.Pointer(p.shape)),
		"compute": map[string]any{"module": *(*js.Value)(unsafe.Pointer(p.module)), "entryPoint": p.kernel.Entry},
	}))
	p.ready = func() error {
		made, err := wait()
		if err != nil {
			return d.reason(err)
		}
		p.compute = (*wgpu.ComputePipeline)(unsafe.Pointer(&made))
		return nil
	}
	return nil
}

// begin compiles a kernel while the program runs, as build does, and lets Prepare ask whether it is done.
func (d device) begin(p *pipeline) error {
	err := d.build(p) // nil: what goes wrong is told by p.ready
	p.inBackground(p.ready)
	return err
}

// CreateBindGroupLayout stands before the binding's own, which knows textures too: the names of all their formats are
// then no part of the page's program, 5 KB of what is fetched. All that a kernel binds are buffers.
func (d device) CreateBindGroupLayout(l *wgpu.BindGroupLayoutDescriptor) (*wgpu.BindGroupLayout, error) {
	entries := make([]any, len(l.Entries))
	for i, e := range l.Entries {
		entries[i] = map[string]any{
			"binding": e.Binding, "visibility": uint32(e.Visibility), "buffer": map[string]any{
				"type": e.Buffer.Type.String(), "hasDynamicOffset": e.Buffer.HasDynamicOffset,
				"minBindingSize": e.Buffer.MinBindingSize,
			},
		}
	}
	made := d.handle.Call("createBindGroupLayout", map[string]any{"entries": entries})
	return (*wgpu.BindGroupLayout)(unsafe.Pointer(&made)), nil
}

// The binding's objects are the browser's and nothing else, so that either can be had from the other; another layout
// does not compile.
const (
	_ = -(unsafe.Sizeof(wgpu.BindGroupLayout{}) ^ unsafe.Sizeof(js.Value{}))
	_ = -(unsafe.Sizeof(wgpu.PipelineLayout{}) ^ unsafe.Sizeof(js.Value{}))
	_ = -(unsafe.Sizeof(wgpu.ShaderModule{}) ^ unsafe.Sizeof(js.Value{}))
	_ = -(unsafe.Sizeof(wgpu.ComputePipeline{}) ^ unsafe.Sizeof(js.Value{}))
)

// settle: browsers keep a destroyed buffer until the work that names it is done.
func (d device) settle() {}

// newClock: the binding cannot write timestamps in a browser.
func (d device) newClock(*Backend) (clock, error) { return nil, errNoClock }

// wallTick is how fine a browser's clock is at worst, in seconds: they make it coarse on purpose.
const wallTick = 1e-3

// Driver is the browser, whose compiler the kernels meet; of the GPU's it tells nothing.
func Driver(string) string { return js.Global().Get("navigator").Get("userAgent").String() }

// end closes a pass; a wrong dispatch is reported later, to watch.
func (d device) end(p *wgpu.ComputePassEncoder) error {
	p.End()
	return nil
}

// close waits for the device's last word: it would find no program to speak to if that ends at once.
func (d device) close() {
	d.handle.Call("destroy")
	_, _ = await(d.handle.Get("lost"))
}

// wait returns when all submitted work is done.
func (d device) wait() { _, _ = await(d.handle.Get("queue").Call("onSubmittedWorkDone")) }

// staging is memory of the browser that uploads pass through; it grows to the largest.
type staging struct{ array js.Value }

// write copies data into a buffer. Not by the binding's WriteBuffer: that hands the browser a view of the program's
// memory, which is worth nothing where the call itself makes the memory grow.
func (d device) write(_ *wgpu.Queue, b *wgpu.Buffer, offset uint64, data []byte) error {
	if d.array.IsUndefined() || d.array.Length() < len(data) {
		d.array = js.Global().Get("Uint8Array").New(max(len(data)+len(data)/4, 1<<16))
	}
	js.CopyBytesToJS(d.array, data)
	d.handle.Get("queue").Call("writeBuffer", valueOf(b), offset, d.array, 0, len(data))
	return nil
}

// mapped calls use with the contents of the first n bytes of b.
func (d device) mapped(b *wgpu.Buffer, n int, use func([]byte)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case js.Error:
			err = r
		default:
			panic(r)
		}
	}()
	// Not by the binding's MapAsync: that takes a failure for success, and its logging alone is 60 KB of the trainer.
	buffer := valueOf(b)
	if _, err := await(buffer.Call("mapAsync", uint32(wgpu.MapModeRead), 0, n)); err != nil {
		return d.reason(err)
	}
	bytes := make([]byte, n)
	js.CopyBytesToGo(bytes, js.Global().Get("Uint8Array").New(buffer.Call("getMappedRange", 0, n)))
	use(bytes)
	buffer.Call("unmap")
	return nil
}

// reason is why a promise of the device failed: one that is lost gives up what it was asked for first, and says that
// it is lost a moment later.
func (d device) reason(err error) error {
	const moment = 500 // ms
	g := js.Global()
	wait := js.FuncOf(func(_ js.Value, args []js.Value) any { return g.Call("setTimeout", args[0], moment) })
	defer wait.Release()
	_, _ = await(g.Get("Promise").Call("race", []any{d.handle.Get("lost"), g.Get("Promise").New(wait)}))
	if lost := d.faults.get(); lost != nil {
		return lost
	}
	return err
}

// valueOf is the GPUBuffer of the binding's, which is all that this holds; another layout does not compile.
func valueOf(b *wgpu.Buffer) js.Value {
	const _ = -(unsafe.Sizeof(wgpu.Buffer{}) ^ unsafe.Sizeof(js.Value{}))
	return *(*js.Value)(unsafe.Pointer(b))
}
