//go:build cgo && !js

package webgpu

// #include <unistd.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
)

// firstListed is the first API that lists an adapter, and what it lists: the next would list the same cards.
func firstListed[A any](apis []wgpu.InstanceBackend, list func(wgpu.InstanceBackend) []A) (found []A, by string) {
	for _, api := range apis {
		if found = list(api); len(found) > 0 {
			return found, api.String()
		}
	}
	return nil, ""
}

// errNone is of a machine without any adapter.
var errNone = fmt.Errorf("%w by %s", ErrNoAdapter, remedy)

// Adapters lists GPUs with memory of their own, then other GPUs, then software adapters.
func Adapters() ([]backend.Info, error) {
	var list []backend.Info
	for _, a := range enumerate() {
		list = append(list, a.info)
		a.Release()
	}
	if len(list) == 0 {
		return nil, errNone
	}
	return list, nil
}

type adapter struct {
	*wgpu.Adapter
	info backend.Info
	kind wgpu.AdapterType
}

// order sorts adapters as Adapters tells: laptops may list the GPU inside the processor first.
func order(list []adapter) {
	kinds := []wgpu.AdapterType{
		wgpu.AdapterTypeDiscreteGPU, wgpu.AdapterTypeIntegratedGPU, wgpu.AdapterTypeUnknown, wgpu.AdapterTypeCPU,
	}
	slices.SortStableFunc(list, func(a, b adapter) int {
		return slices.Index(kinds, a.kind) - slices.Index(kinds, b.kind)
	})
}

// instance is made once and stays. It looks for EGL too, which has one display in a process: an instance that is
// released closes it for another one that is being made, which ends the process.
var instance = sync.OnceValue(func() *wgpu.Instance {
	wgpu.SetLogLevel(wgpu.LogLevelError)
	// Mesa complains on standard error where this is not set, now and whenever adapters are listed; nothing needs it.
	if name := "XDG_RUNTIME_DIR"; os.Getenv(name) == "" {
		os.Setenv(name, os.TempDir())
	}
	// No descriptor, which could leave EGL out: the binding leaves fields of the one that it hands to C unset, and the
	// process aborts on what malloc had left there.
	return wgpu.CreateInstance(nil)
})

func enumerate() (list []adapter) {
	found, by := firstListed(apis(), func(api wgpu.InstanceBackend) []*wgpu.Adapter {
		return instance().EnumerateAdapters(&wgpu.InstanceEnumerateAdapterOptons{Backends: api})
	})
	for _, a := range found {
		i := a.GetInfo() // wgpu-native gives an adapter's name as its description
		software := i.AdapterType == wgpu.AdapterTypeCPU
		info := backend.Info{Name: "gpu", Adapter: i.DriverDescription, API: by, Software: software, Bits: 32}
		list = append(list, adapter{a, info, i.AdapterType})
	}
	order(list)
	return list
}

// wallTick: below a twentieth of a millisecond the host's clock says more of the host than of a step.
const wallTick = 50e-6

type device struct {
	*wgpu.Device
	faults  *fault // natively only tests set it: wgpu-native ends the process when a device is lost, see LastWords
	adapter *wgpu.Adapter
}

// openDevice takes the first adapter that o allows.
func openDevice(o Options) (device, backend.Info, error) {
	var chosen *wgpu.Adapter
	var info backend.Info
	var seen []string
	for _, a := range enumerate() {
		seen = append(seen, fmt.Sprintf("%q", a.info.Adapter))
		if chosen == nil && o.allows(a.info) {
			chosen, info = a.Adapter, a.info
			continue
		}
		a.Release()
	}
	if chosen == nil {
		switch {
		case len(seen) == 0:
			return device{}, info, errNone
		case o.Adapter != "":
			return device{}, info, fmt.Errorf("webgpu: no adapter is called %q; there are %s",
				o.Adapter, strings.Join(seen, ", "))
		}
		return device{}, info, fmt.Errorf("%w: %s computes on the CPU and is taken only when it is named",
			ErrNoAdapter, strings.Join(seen, ", "))
	}
	l := reflect.ValueOf(chosen.GetLimits().Limits)
	have := func(name string) uint64 { return l.FieldByName(strings.ToUpper(name[:1]) + name[1:]).Uint() }
	err := enough(info.Adapter, limits(have))
	var d *wgpu.Device
	if err == nil {
		var descriptor wgpu.DeviceDescriptor
		if chosen.HasFeature(wgpu.FeatureNameTimestampQuery) {
			descriptor.RequiredFeatures = []wgpu.FeatureName{wgpu.FeatureNameTimestampQuery}
		}
		d, err = chosen.RequestDevice(&descriptor)
	}
	if err != nil {
		chosen.Release()
		return device{}, info, fmt.Errorf("webgpu: adapter %q gives no device: %w", info.Adapter, err)
	}
	return device{d, &fault{}, chosen}, info, nil
}

func (d device) close() {
	d.Device.Release()
	d.adapter.Release()
}

// scoped runs f, which creates things on the device; natively its calls return their errors themselves.
func (d device) scoped(f func() error) error { return f() }

// build compiles a kernel.
func (d device) build(p *pipeline) (err error) {
	p.compute, err = d.CreateComputePipeline(&wgpu.ComputePipelineDescriptor{
		Layout: p.shape, Compute: wgpu.ProgrammableStageDescriptor{Module: p.module, EntryPoint: p.kernel.Entry},
	})
	return err
}

// begin compiles a kernel while the program runs. (An error may be told to a call of the program's that is under way
// at that moment: wgpu-native keeps one stack of error scopes for all threads.)
func (d device) begin(p *pipeline) error {
	p.inBackground(func() error { return d.build(p) })
	return nil
}

// end closes a pass; natively this is where a wrong dispatch is noticed.
func (d device) end(p *wgpu.ComputePassEncoder) error { return p.End() }

// wait returns when all submitted work is done.
func (d device) wait() { until(func() bool { return d.Poll(false, nil) }) }

// until asks again and again. Poll must not do the waiting itself: after five seconds it takes the work to be done
// (wgpu-core's CLEANUP_WAIT_MS), and what the device still uses is freed. On Linux time.Sleep takes a millisecond at
// least where nothing else runs (go.dev/issue/44343), which is longer than a GPU's step, so that C sleeps; on Windows
// it is C that counts in milliseconds.
func until(done func() bool) {
	for n := 0; !done(); n++ {
		switch {
		case n < 16:
		case runtime.GOOS == "windows":
			time.Sleep(time.Duration(min(n, 1000)) * time.Microsecond)
		default:
			C.usleep(C.useconds_t(min(n, 1000)))
		}
	}
}

// settle waits until a buffer may be freed: no submission that is under way can name it then.
func (d device) settle() { d.wait() }

// collector keeps devices of one process from switching the garbage collector back on for each other.
var collector sync.Mutex

// write copies data into a buffer.
func (d device) write(q *wgpu.Queue, b *wgpu.Buffer, offset uint64, data []byte) error {
	return q.WriteBuffer(b, offset, data)
}

// mapped calls use with the contents of the first n bytes of b once the work on it is done; what was submitted later
// is not waited for. The binding hands C a pointer to a Go variable that nothing else holds, and a garbage collection
// before the callback frees it: none may start until then. One that runs already spares what is allocated meanwhile.
func (d device) mapped(b *wgpu.Buffer, n int, use func([]byte)) error {
	status, done := wgpu.BufferMapAsyncStatusUnknown, false
	err := func() error {
		collector.Lock()
		defer collector.Unlock()
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		err := b.MapAsync(wgpu.MapModeRead, 0, uint64(n), func(s wgpu.BufferMapAsyncStatus) { status, done = s, true })
		if err == nil {
			until(func() bool {
				d.Poll(false, nil)
				return done
			})
		}
		return err
	}()
	switch {
	case err != nil:
		return err
	case status != wgpu.BufferMapAsyncStatusSuccess:
		return errors.New("webgpu: read-back failed: " + status.String())
	}
	use(b.GetMappedRange(0, uint(n)))
	return b.Unmap()
}
