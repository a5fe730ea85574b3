//go:build cgo || js

package webgpu

import "github.com/cogentcore/webgpu/wgpu"

// A browser compiles kernels while the program runs, several at once, and what is recorded meanwhile waits for them in
// a list: the kernels of a first training step are asked for within milliseconds, not one after another. Natively a
// kernel is ready when it is first recorded, and the list stays empty.

// command is a dispatch, or a copy between buffers where pipeline is nil.
type command struct {
	pipeline *pipeline
	group    *wgpu.BindGroup
	at       uint32 // of the parameters, in bytes
	x, y, z  uint32

	dst, src    *memory
	to, from, n int // in elements
}

// inBackground runs the compiling of a pipeline in a goroutine.
func (p *pipeline) inBackground(compile func() error) {
	p.done = make(chan struct{})
	go func() {
		p.err = compile()
		close(p.done)
	}()
	p.ready = func() error {
		<-p.done
		return p.err
	}
}

// put encodes a command, or lets it wait behind one whose kernel is not ready.
func (b *Backend) put(c command) {
	if len(b.wait) > 0 || c.pipeline != nil && c.pipeline.ready != nil {
		b.wait = append(b.wait, c)
		return
	}
	b.encodeCommand(c)
}

func (b *Backend) encodeCommand(c command) {
	e := b.record()
	if b.err != nil {
		return
	}
	if c.pipeline == nil {
		b.endPass()
		b.fail("copy", e.CopyBufferToBuffer(c.src.buf, 4*uint64(c.from), c.dst.buf, 4*uint64(c.to), 4*uint64(c.n)))
		return
	}
	if b.profile != nil {
		b.endPass()
		b.fail("timestamp", b.profile.clock.mark(e))
	}
	if b.pass == nil {
		b.pass = e.BeginComputePass(nil)
	}
	b.pass.SetPipeline(c.pipeline.compute)
	b.offset[0] = c.at
	b.pass.SetBindGroup(0, c.group, b.offset)
	b.pass.DispatchWorkgroups(c.x, c.y, c.z)
	if b.profile != nil {
		b.endPass()
		b.fail("timestamp", b.profile.clock.mark(e))
	}
}

// catchUp encodes what waits for kernels, in its order. What stands before a kernel that is not ready is handed to the
// device, which computes while the rest is compiled.
func (b *Backend) catchUp() {
	if len(b.wait) == 0 {
		return
	}
	// Not b.pipelines: what is put off (see later.go) may have asked for a kernel whose turn is in the next list.
	asked := map[*pipeline]bool{}
	for _, c := range b.wait {
		if p := c.pipeline; p != nil && p.ready != nil {
			asked[p] = true
		}
	}
	done, all := 0, len(asked)
	for _, c := range b.wait {
		if p := c.pipeline; p != nil && p.ready != nil && b.err == nil {
			b.hand()
			b.fail("kernel "+p.key.kernel, p.wait())
			done++
			if b.options.Prepared != nil {
				b.options.Prepared(done, all)
			}
		}
		if b.check() != nil {
			break
		}
		b.encodeCommand(c)
	}
	clear(b.wait)
	b.wait = b.wait[:0]
}

// hand submits what is encoded so far. Natively a submission that is not valid would end the process: nothing is
// submitted after an error.
func (b *Backend) hand() {
	b.endPass()
	if b.encoder == nil {
		return
	}
	commands, err := b.encoder.Finish(nil)
	if err != nil {
		b.fail(b.kernels(), err)
	}
	if b.err == nil {
		b.queue.Submit(commands)
	}
	if commands != nil {
		commands.Release()
	}
	b.encoder.Release()
	b.encoder = nil
}
