//go:build cgo || js

package webgpu

import (
	"fmt"
	"slices"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/backend"
	"mhacsp/shaders"
)

type pipelineKey struct {
	kernel   string
	writable bool // the kernel in its form for windows of one buffer
	quads    bool // the kernel over quads of numbers
	lanes    int  // invocations a workgroup; 0: as the kernel's text has it
	keys     int  // KEYS of the gated delta rule's kernels
	theta    int  // THETA of the recurrence's kernels
	width    int  // units of a time loop on a GPU
	held     bool // its weights stay in registers
	head     int  // numbers, or quads, of a head of the softmax attention
	parts    int  // 1: the optimizer's where the norm comes in parts
}

// pipeline is a compiled kernel.
type pipeline struct {
	key     pipelineKey
	kernel  shaders.Kernel
	module  *wgpu.ShaderModule
	layout  *wgpu.BindGroupLayout
	shape   *wgpu.PipelineLayout
	compute *wgpu.ComputePipeline
	ready   func() error  // waits for compute; nil: it is there
	done    chan struct{} // of a pipeline that is prepared: closed when compute, or err, is there
	err     error
}

// wait returns when the kernel is compiled, or refused.
func (p *pipeline) wait() (err error) {
	if p.ready != nil {
		err = p.ready()
		p.ready = nil
	}
	return err
}

// release frees what was made, after it was: a browser would tell a program that may have ended. A kernel that was
// refused is incomplete.
func (p *pipeline) release() {
	_ = p.wait()
	if p.compute != nil {
		p.compute.Release()
	}
	if p.shape != nil {
		p.shape.Release()
	}
	if p.layout != nil {
		p.layout.Release()
	}
	if p.module != nil {
		p.module.Release()
	}
}

// window is a bound range of a buffer, in elements.
type window struct {
	buffer   uint64
	off, len int
}

// widen takes in the rest of the buffer where it is the only window there, so that batches of different sizes share
// bind groups; kernels know from their parameters how far they may go.
func (w *window) widen(m *memory, i int, all []window) {
	for j := range all {
		if j != i && all[j].buffer == w.buffer {
			return
		}
	}
	w.len = max(w.len, min(m.n-w.off, windowMax/4))
}

type groupKey struct {
	pipeline *pipeline
	windows  [8]window
}

// forget drops the bind groups that name a buffer.
func (b *Backend) forget(buffer uint64) {
	for k, g := range b.groups {
		if slices.ContainsFunc(k.windows[:], func(w window) bool { return w.buffer == buffer }) {
			g.Release()
			delete(b.groups, k)
		}
	}
}

// widest is the most workgroups of a call over n elements; an invocation then takes several. groupsMost is the most
// that WebGPU allows along a dimension.
const widest, groupsMost = 16384, 65535

// turnsMax is how many turns all loops of an invocation may take together on a software adapter: Mesa's llvmpipe
// leaves a loop at the 65 536th, without a word.
const turnsMax = 60000

// turnsGPU is the same for a GPU, where each turn waits for a read: a tenth of a second on a fast one. A system that
// draws with the device takes it away after a dispatch of some seconds (Windows: two). A GPU works on some `resident`
// workgroups at a time: of more some wait until others are done, and each may have only its share of the turns.
const turnsGPU, resident = 500000, 256

// turnsAllowed is turnsMax or turnsGPU, or less in a test.
func (b *Backend) turnsAllowed() int {
	switch {
	case b.options.turns > 0:
		return b.options.turns
	case b.info.Software:
		return turnsMax
	}
	return turnsGPU
}

// turnsEach is turnsAllowed for each of that many workgroups of a dispatch. A software adapter counts an invocation's
// turns, whatever the others do.
func (b *Backend) turnsEach(workgroups int) int {
	if b.info.Software {
		return b.turnsAllowed()
	}
	return b.turnsAllowed() / max(1, groupOf(workgroups, resident))
}

// turns keeps a call whose loops are too long for the adapter from giving wrong numbers.
func (b *Backend) turns(kernel string, n int) {
	if b.info.Software && n > b.turnsAllowed() {
		b.fail(kernel, fmt.Errorf("a loop of %d turns, the software adapter %q stops at 65 535; "+
			"use shorter sequences or a smaller batch, or compute on the CPU", n, b.info.Adapter))
	}
}

// each runs a kernel over n elements.
func (b *Backend) each(kernel string, n int, params args, bind on) {
	b.elements(kernel, false, n, params, bind)
}

// elements runs a kernel over n elements that are numbers, or n quads of them where that is asked for.
func (b *Backend) elements(kernel string, quads bool, n int, params args, bind on) {
	if n == 0 || b.err != nil {
		return
	}
	if p := b.pipeline(pipelineKey{kernel: kernel, quads: quads}, bind); p != nil {
		b.dispatch(p, min(widest, groupOf(n, p.kernel.Workgroup[0])), 1, 1, params, bind)
	}
}

// quads is n in quads of numbers, where all of the given sizes are whole quads, and whether they are.
func quads(n int, sizes ...int) (int, bool) {
	for _, s := range append(sizes, n) {
		if s%4 != 0 {
			return n, false
		}
	}
	return n / 4, true
}

// grid runs a kernel on x by y workgroups.
func (b *Backend) grid(kernel string, x, y int, params args, bind on) {
	b.formed(pipelineKey{kernel: kernel}, x, y, 1, params, bind)
}

// lanes is the workgroup of a tiled kernel: two of a GPU's warps, or one of its waves.
const lanes = 64

// lanesFor is lanes for n units in x of which a lane owns that many: half as many where that leaves fewer lanes idle
// at the end of a short row.
func lanesFor(n, each int) int {
	all := func(lanes int) int { return lanes * groupOf(n, each*lanes) }
	if half := lanes / 2; all(lanes) <= 2*lanes && all(half) < all(lanes) {
		return half
	}
	return lanes
}

// formed runs a kernel in one of its forms on x by y by z workgroups.
func (b *Backend) formed(key pipelineKey, x, y, z int, params args, bind on) {
	if x == 0 || y == 0 || z == 0 || b.err != nil {
		return
	}
	if p := b.pipeline(key, bind); p != nil {
		b.dispatch(p, x, y, z, params, bind)
	}
}

// tiles runs a kernel whose workgroup owns a tile of `each` units a lane in x, and one in y, over n by y.
func (b *Backend) tiles(kernel string, n, each, y int, params args, bind on) {
	b.tilesOf(1, kernel, n, each, y, params, bind)
}

// tilesOf is tiles for that many things of the same kind, along z.
func (b *Backend) tilesOf(things int, kernel string, n, each, y int, params args, bind on) {
	lanes := lanesFor(n, each)
	b.formed(pipelineKey{kernel: kernel, lanes: lanes}, groupOf(n, each*lanes), y, things, params, bind)
}

// copies stands for copies between buffers among the kernels' names.
const copies = "copy"

// groupOf is the number of groups of that many that n things make.
func groupOf(n, each int) int { return (n + each - 1) / each }

// pipeline returns the compiled kernel in the form that fits the buffers of a call.
func (b *Backend) pipeline(key pipelineKey, bind on) *pipeline {
	k := b.text(key.kernel)
	bind.agree(k)
	for i, w := range k.Storage {
		for j, r := range k.Storage {
			if w.Write && !r.Write && bind[i].Given() && bind[i].Buf == bind[j].Buf {
				key.writable = true
			}
		}
	}
	return b.compiled(key)
}

func (b *Backend) compiled(key pipelineKey) *pipeline {
	if p := b.pipelines[key]; p != nil {
		return p
	}
	return b.compile(key, *b.text(key.kernel))
}

// text is the kernel of a name in no form yet, read once.
func (b *Backend) text(name string) *shaders.Kernel {
	k := b.texts[name]
	if k == nil {
		read, err := shaders.Load(name)
		if err != nil {
			panic("webgpu: " + err.Error())
		}
		k, b.texts[name] = &read, &read
	}
	return k
}

// compile makes a kernel ready; nil where the device refuses it.
func (b *Backend) compile(key pipelineKey, k shaders.Kernel) *pipeline {
	p, err := b.build(key, k, device.build)
	if err != nil {
		b.fail("kernel "+key.kernel, err)
		p.release()
		return nil
	}
	b.pipelines[key] = p
	return p
}

// build makes a kernel in a form; compute compiles it. With an error comes what was made so far.
func (b *Backend) build(key pipelineKey, k shaders.Kernel, compute func(device, *pipeline) error) (*pipeline, error) {
	if key.writable {
		k = k.Writable()
	}
	if key.quads {
		k = k.Quads()
	}
	if key.width != 0 {
		k = key.loop(k)
	}
	for name, value := range map[string]int{
		"W": key.lanes, "KEYS": key.keys, "THETA": key.theta, "D": key.head, "PARTS": key.parts,
	} {
		if value != 0 {
			k = k.Set(name, value)
		}
	}
	p := &pipeline{key: key, kernel: k}
	entries := []wgpu.BindGroupLayoutEntry{{
		Visibility: wgpu.ShaderStageCompute,
		Buffer: wgpu.BufferBindingLayout{
			Type: wgpu.BufferBindingTypeUniform, HasDynamicOffset: true, MinBindingSize: slot,
		},
	}}
	for i, s := range k.Storage {
		kind := wgpu.BufferBindingTypeReadOnlyStorage
		if s.Write {
			kind = wgpu.BufferBindingTypeStorage
		}
		entries = append(entries, wgpu.BindGroupLayoutEntry{
			Binding: uint32(i + 1), Visibility: wgpu.ShaderStageCompute, Buffer: wgpu.BufferBindingLayout{Type: kind},
		})
	}
	err := b.dev.scoped(func() (err error) {
		source := wgpu.ShaderModuleDescriptor{WGSLDescriptor: &wgpu.ShaderModuleWGSLDescriptor{Code: k.Source}}
		if p.module, err = b.dev.CreateShaderModule(&source); err != nil {
			return err
		}
		if p.layout, err = b.dev.CreateBindGroupLayout(&wgpu.BindGroupLayoutDescriptor{Entries: entries}); err != nil {
			return err
		}
		shape := wgpu.PipelineLayoutDescriptor{BindGroupLayouts: []*wgpu.BindGroupLayout{p.layout}}
		if p.shape, err = b.dev.CreatePipelineLayout(&shape); err != nil {
			return err
		}
		return compute(b.dev, p)
	})
	return p, err
}

// dispatch records one call.
func (b *Backend) dispatch(p *pipeline, x, y, z int, params args, bind on) {
	if most := max(x, y, z); most > groupsMost {
		b.fail(p.kernel.Name, fmt.Errorf("%w: %d workgroups along a dimension, %d are allowed: use a smaller batch",
			backend.ErrOutOfMemory, most, groupsMost))
		return
	}
	for _, v := range bind {
		if v.Given() {
			b.before(v.Vec)
		}
	}
	if len(b.params) >= slot*(slots-spare) && !b.later.flushed {
		b.submit()
		b.carried = b.epoch
	}
	key := groupKey{pipeline: p}
	var buffers [8]*memory
	for i, v := range bind {
		s := p.kernel.Storage[i]
		w := window{off: v.Off, len: v.Len}
		var m *memory
		switch {
		case s.Type == "i32":
			m = b.ints.memory
			w = window{len: m.n}
		case !v.Given():
			m = b.none[0]
			if s.Write {
				m = b.none[1]
			}
			w = window{off: i * backend.Align, len: backend.Align}
		default:
			m = b.memoryOf(v.Vec)
		}
		switch {
		case m.buf == nil:
			return
		case w.off%backend.Align != 0:
			panic(fmt.Sprintf("backend: %s: %s starts at element %d, no multiple of %d",
				p.kernel.Name, s.Name, w.off, backend.Align))
		case w.len > windowMax/4:
			b.fail(p.kernel.Name, fmt.Errorf("%w: %s has %d MiB, a kernel sees at most %d; use a smaller batch or "+
				"shorter sequences, or compute on the CPU", backend.ErrOutOfMemory, s.Name, w.len>>18, windowMax>>20))
			return
		case w.len == 0:
			w.len = 1 // an empty binding is not allowed; nothing there is touched
			if w.off >= m.n {
				w.off = 0
			}
		}
		w.buffer = m.id
		key.windows[i], buffers[i] = w, m
	}
	for i := range bind {
		key.windows[i].widen(buffers[i], i, key.windows[:len(bind)])
	}
	group := b.groups[key]
	if group == nil {
		entries := []wgpu.BindGroupEntry{{Buffer: b.ring, Size: slot}}
		for i := range bind {
			w := key.windows[i]
			entries = append(entries, wgpu.BindGroupEntry{
				Binding: uint32(i + 1), Buffer: buffers[i].buf, Offset: 4 * uint64(w.off), Size: 4 * uint64(w.len),
			})
		}
		var err error
		group, err = b.dev.CreateBindGroup(&wgpu.BindGroupDescriptor{Layout: p.layout, Entries: entries})
		if err != nil {
			b.fail(p.kernel.Name, err)
			return
		}
		b.groups[key] = group
		b.groupsMade++
	}
	for i := range bind {
		buffers[i].used = b.epoch
		if p.kernel.Storage[i].Write {
			buffers[i].version++
		}
	}
	at := len(b.params)
	b.names = append(b.names, p.kernel.Name)
	b.params = params.append(b.params, &p.kernel)
	if b.observe != nil {
		// Not bind itself, which would then move to the heap at every call.
		b.observe(p, [3]int{x, y, z}, slices.Clone(bind))
	}
	if b.options.idle {
		x = 0
	}
	b.put(command{pipeline: p, group: group, at: uint32(at), x: uint32(x), y: uint32(y), z: uint32(z)})
	b.dispatched[p.key.kernel]++
}
