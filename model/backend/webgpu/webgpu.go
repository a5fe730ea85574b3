//go:build cgo || js

package webgpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
	"mhacsp/shaders"
)

// ErrNoAdapter is what Open's error wraps where the machine has no adapter of the kind that was asked for.
var ErrNoAdapter = errors.New("webgpu: no GPU adapter was found")

// ErrSoftware is what Open's error wraps, in addition to ErrNoAdapter, where a browser has an adapter that computes in
// software and Options.Software is not set.
var ErrSoftware = errors.New("webgpu: the only adapter computes in software")

// Options choose the adapter.
type Options struct {
	Adapter  string // its exact name; empty: the first real GPU
	Software bool   // without a name: a software adapter will do where there is no real GPU
	Memory   int64  // most bytes to allocate; 0: softwareMemory on a software adapter, else no bound; negative: none
	turns    int    // in place of turnsMax; for tests
	idle     bool   // dispatches have no workgroups: the host's work alone is done; for tests

	Prepared func(done, all int) // told in a browser after each kernel that was waited for; nil: nobody asks
}

func (o Options) allows(i backend.Info) bool {
	if o.Adapter != "" {
		return o.Adapter == i.Adapter
	}
	return o.Software || !i.Software
}

// Backend is a backend.Backend on one device.
type Backend struct {
	dev     device
	info    backend.Info
	queue   *wgpu.Queue
	options Options
	err     error // sticky

	encoder *wgpu.CommandEncoder // nil: nothing is recorded
	pass    *wgpu.ComputePassEncoder
	epoch   uint64 // number of the submission that is being recorded, from 1
	carried uint64 // the last epoch that began in the midst of a call, whose indices were placed in an earlier one

	ring   *wgpu.Buffer // parameters, one slot a dispatch
	params []byte       // of the dispatches recorded so far
	names  []string     // of their kernels
	wait   []command    // recorded behind a kernel that is not ready

	dispatched map[string]int                                // calls of each kernel so far, and of copies
	observe    func(p *pipeline, workgroups [3]int, bind on) // told of each dispatch; nil but in tests

	forms      Forms                      // see Forms
	texts      map[string]*shaders.Kernel // see text
	pipelines  map[pipelineKey]*pipeline
	refused    map[pipelineKey]error // that Prepare has tried
	groups     map[groupKey]*wgpu.BindGroup
	groupsMade int // so far
	lastID     uint64
	bytes      int64     // allocated
	most       int64     // at any time
	bytesOut   []byte    // what an upload sends
	dying      []*memory // released while recorded calls still name them
	readback   *memory
	none       [2]*memory // stand-ins for optional bindings: read, written
	ints       heap
	lists      []backend.Index // see list
	scratch    map[string]*memory
	offset     []uint32 // of a dispatch's parameters
	plan       plan
	later      later
	padding    padding
	prepared   prepared
	attended   attended
	packed     packed
	kept       packed
	profile    *profile // nil: off
}

var (
	_ backend.Backend = (*Backend)(nil)
	_ backend.Meter   = (*Backend)(nil)
)

const (
	slot      = 256 // bytes of a dispatch's parameters: WebGPU's alignment of uniform bindings
	slots     = 512 // dispatches a submission
	spare     = 4   // of them for what waited (later) until the submission is full
	windowMax = 128 << 20
	bufferMax = 256 << 20

	// WebGPU does not tell how much memory an adapter has, and to exceed it may end the process. A software adapter's
	// is the machine's own, so it gets a bound that leaves room for the rest.
	softwareMemory = 1 << 30
)

// Open starts a device. Nothing falls back: an adapter that o does not allow is not taken.
func Open(o Options) (*Backend, error) {
	dev, info, err := openDevice(o)
	if err != nil {
		return nil, err
	}
	if o.Memory == 0 && info.Software {
		o.Memory = softwareMemory
	}
	b := &Backend{
		dev: dev, info: info, queue: dev.GetQueue(), options: o, epoch: 1, offset: make([]uint32, 1),
		texts: map[string]*shaders.Kernel{}, pipelines: map[pipelineKey]*pipeline{}, refused: map[pipelineKey]error{},
		groups: map[groupKey]*wgpu.BindGroup{}, scratch: map[string]*memory{}, dispatched: map[string]int{},
	}
	const usage = wgpu.BufferUsageUniform | wgpu.BufferUsageCopyDst
	b.ring, err = dev.CreateBuffer(&wgpu.BufferDescriptor{Usage: usage, Size: slot * slots})
	b.fail("parameters", err)
	for i := range b.none {
		b.none[i] = b.allocate(slot*8, storageUsage)
	}
	b.ints = heap{memory: b.allocate(firstHeap, storageUsage), host: make([]byte, 4*firstHeap)}
	if b.err != nil {
		b.Close()
		return nil, b.err
	}
	return b, nil
}

// fail keeps the first error.
func (b *Backend) fail(what string, err error) {
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("webgpu: %s: %w", what, b.sorted(err))
	}
}

// sorted tells on one line what an error of the library is about: by its text, natively it has no other mark.
func (b *Backend) sorted(err error) error {
	if errors.Is(err, backend.ErrOutOfMemory) || errors.Is(err, backend.ErrDeviceLost) {
		return err
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case strings.Contains(text, "device is lost"):
		return fmt.Errorf("%w: %s", backend.ErrDeviceLost, text)
	case strings.Contains(text, "Not enough memory left"):
		return fmt.Errorf("%w next to %d bytes in use on adapter %q: %s",
			backend.ErrOutOfMemory, b.bytes, b.info.Adapter, text)
	case text != err.Error():
		return errors.New(text)
	}
	return err
}

// Info names the adapter.
func (b *Backend) Info() backend.Info { return b.info }

// record returns the encoder of the submission under way.
func (b *Backend) record() *wgpu.CommandEncoder {
	if b.encoder == nil {
		var err error
		b.encoder, err = b.dev.CreateCommandEncoder(nil)
		b.fail("command encoder", err)
	}
	return b.encoder
}

// endPass closes the compute pass, for commands that stand outside one.
func (b *Backend) endPass() {
	if b.pass != nil {
		if err := b.dev.end(b.pass); err != nil {
			b.fail(b.kernels(), err)
		}
		b.pass.Release()
		b.pass = nil
	}
}

// kernels names what was recorded, for an error that concerns one of them.
func (b *Backend) kernels() string {
	return "one of the kernels " + strings.Join(slices.Compact(slices.Clone(b.names)), ", ")
}

// submit hands what was recorded to the device.
func (b *Backend) submit() {
	b.check()
	b.flush()
	if len(b.params) > 0 {
		b.fail("parameters", b.dev.write(b.queue, b.ring, 0, b.params))
		if b.err == nil {
			b.ints.write(b)
		}
	}
	b.catchUp()
	b.endPass()
	if b.encoder != nil {
		if b.profile != nil {
			b.fail("timestamps", b.profile.clock.finish(b.encoder))
		}
		b.hand()
		if b.profile != nil {
			b.measured(b.names)
		}
	}
	b.params, b.names = b.params[:0], b.names[:0]
	b.epoch++
	for _, m := range b.dying {
		m.destroy()
	}
	b.dying = b.dying[:0]
}

// Sync waits for all that was enqueued.
func (b *Backend) Sync() error {
	b.submit()
	b.dev.wait()
	return b.check()
}

// Close frees the device; buffers that were not released go with it.
func (b *Backend) Close() {
	b.submit()
	b.dev.wait()
	for _, g := range b.groups {
		g.Release()
	}
	clear(b.groups)
	for _, p := range b.pipelines {
		p.release()
	}
	for _, m := range b.scratch {
		m.Release()
	}
	for _, m := range []*memory{b.readback, b.none[0], b.none[1], b.ints.memory} {
		m.Release()
	}
	if b.ring != nil {
		b.ring.Release()
	}
	b.queue.Release()
	b.dev.close()
	b.fail("backend", errors.New("closed"))
}
