package model

import (
	"fmt"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/sequence"
)

// pass is the sequence.Core of a Model: it runs batches through the blocks and keeps what the backward pass reads.
type pass struct {
	m      *Model
	blocks []block
	answer layer.Output // the decoder's states on the unit circle

	speaking layer.Recurrence // block 1's cell in free-running decoding
	spoken   backend.Vec      // what its first step goes on from; then nothing

	memory, recalling layer.Memory // of block 1, where there is one: in a batch and in free-running decoding

	bufBelow, bufDInit, bufDU                layer.Floats
	bufRead, bufDCore, bufDSlots, bufDSpoken layer.Floats
}

// encode runs all blocks over the prompts. With every set, the last block's output is computed at each position
// as well (for FORMATS.md's dump); otherwise only what the loss needs.
func (p *pass) encode(a *sequence.Arena, every bool) {
	c := p.m.context
	for l := range p.blocks {
		b := &p.blocks[l]
		u, drives, rows, at := p.m.params.Value(p.m.embedding), p.m.config.Vocab, a.Rows(), a.At
		if l > 0 {
			b.link.Forward(c.Context, p.blocks[l-1].output.Y, a.Encoded)
			u, drives, rows, at = b.link.Y, a.Encoded, a.Encoded, a.Step
		}
		b.cell.Forward(c, u, drives)
		b.recurrent.Reserve(c, rows)
		b.recurrent.Forward(c, &b.cell, a.Prompts(), at, backend.Vec{}, false)
		z, row, count := b.recurrent.State, a.After, a.Encoded // every position: a later block or the dump reads it
		wanted := l == len(p.blocks)-1 && !every
		if p.m.attention {
			b.attention.Forward(c, a.Prompts(), z, wanted && !a.Streams())
			z, row = b.attention.O, a.Step
		}
		switch {
		case !wanted:
		case a.Streams():
			row, count = a.Wanted, a.Count
		case p.m.attention:
			row, count = a.Each, a.B
		default:
			row, count = a.Last, a.B
		}
		b.output.Forward(c, z, row, b.recurrent.State, a.After, count)
	}
	if p.remembers() {
		p.memory.Reserve(c, a.Rows())
		p.memory.Forward(c, &p.blocks[0].cell, a.Prompts(), a.At, backend.Vec{}, false)
	}
}

// remembers reports whether block 1 has a memory of positions.
func (p *pass) remembers() bool { return p.m.config.Memory > 0 }

// Forward implements sequence.Core.
func (p *pass) Forward(a *sequence.Arena) backend.Vec {
	p.encode(a, false)
	y := p.blocks[len(p.blocks)-1].output.Y
	if !a.Decodes() {
		return y
	}
	c, b := p.m.context, &p.blocks[0]
	b.recurrent.Forward(c, &b.cell, a.Answers(), a.At, y, false)
	p.answer.Forward(c, b.recurrent.State, a.Wanted, backend.Vec{}, nil, a.Count)
	if !p.remembers() {
		return p.answer.Y
	}
	p.memory.HandOver(c, a.Last, a.Steps, a.B)
	p.memory.Forward(c, &b.cell, a.Answers(), a.At, p.memory.Init, false)
	p.memory.Recall(c, a.Wanted, a.Fed, a.Count)
	return p.read(&p.memory, a.Count)
}

// read is what the head reads with a memory: the core's units on the unit circle and what the memory was asked for.
func (p *pass) read(m *layer.Memory, rows int) backend.Vec {
	c, core := p.m.context, p.m.config.Core()
	out := p.bufRead.Get(c.B, 2*rows*p.m.config.Width)
	layer.Join(c, out, p.answer.Y, core, m.Read, m.N, rows)
	return out
}

// BackwardStart implements sequence.Core.
func (p *pass) BackwardStart(a *sequence.Arena) {
	c := p.m.context
	for l := range p.blocks {
		b := &p.blocks[l]
		b.recurrent.Bound = a.StateBound
		b.recurrent.BackwardStart(c, &b.cell, l == 0)
		if p.m.attention {
			b.attention.BackwardStart(c)
		}
	}
	if p.remembers() {
		p.memory.BackwardStart(c, &p.blocks[0].cell)
	}
}

// Backward implements sequence.Core.
func (p *pass) Backward(a *sequence.Arena, dy backend.Vec) {
	c := p.m.context
	if p.remembers() {
		dy = p.readBackward(a, dy)
	}
	if a.Decodes() {
		b := &p.blocks[0]
		p.answer.Backward(c, b.recurrent.DState, backend.Vec{}, dy)
		dy = p.bufDInit.Get(c.B, 2*a.B*p.m.config.Core())
		b.recurrent.Backward(c, &b.cell, a.Answers(), a.At, dy)
	}
	for l := len(p.blocks) - 1; l >= 0; l-- {
		dy = p.blockBackward(l, a, dy)
	}
}

// readBackward is the way back of what Forward does with the memory, the answers' part; it returns the gradient of the
// core's units.
func (p *pass) readBackward(a *sequence.Arena, dRead backend.Vec) backend.Vec {
	c, n, core := p.m.context, p.memory.N, p.m.config.Core()
	dCore, dSlots := p.bufDCore.Get(c.B, 2*a.Count*core), p.bufDSlots.Get(c.B, 2*a.Count*n)
	layer.Part(c, dCore, core, dSlots, n, dRead, a.Count)
	p.memory.RecallBackward(c, dSlots)
	dInit := p.bufDSpoken.Get(c.B, 2*a.B*n)
	p.memory.Backward(c, &p.blocks[0].cell, a.Answers(), a.At, dInit)
	p.memory.HandOverBackward(c, dInit, a.B)
	p.memory.Backward(c, &p.blocks[0].cell, a.Prompts(), a.At, backend.Vec{})
	return dCore
}

// blockBackward takes the gradient of block l's output and returns that of the block's below (nothing for l = 0).
func (p *pass) blockBackward(l int, a *sequence.Arena, dy backend.Vec) backend.Vec {
	c, n, b := p.m.context, p.m.config.Width, &p.blocks[l]
	r := &b.recurrent
	if p.m.attention {
		b.output.Backward(c, b.attention.DO, r.DState, dy)
		b.attention.Backward(c, a.Prompts(), r.State, r.DState)
	} else {
		b.output.Backward(c, r.DState, r.DState, dy)
	}
	if l == 0 {
		r.Backward(c, &b.cell, a.Prompts(), a.At, backend.Vec{})
		r.BackwardWeights(c, &b.cell, p.m.params.Grad(p.m.embedding), p.memory.DIn)
		return backend.Vec{}
	}
	r.Backward(c, &b.cell, a.Prompts(), a.Step, backend.Vec{})
	du := p.bufDU.Get(c.B, a.Encoded*n)
	r.BackwardWeights(c, &b.cell, du, backend.Vec{})
	below := p.bufBelow.Get(c.B, 2*a.Encoded*n)
	b.link.Backward(c.Context, below, du)
	return below
}

// Begin implements sequence.Core: block 1's cell goes on from the prompts' last outputs (SPEC §7).
func (p *pass) Begin(a *sequence.Arena, prompts backend.Vec, rows int) {
	c := p.m.context
	p.speaking.Reserve(c, rows)
	p.spoken = prompts
	if p.remembers() {
		p.memory.HandOver(c, a.Last, a.Steps, a.B)
		p.recalling.Reserve(c, rows)
	}
}

// Step implements sequence.Core.
func (p *pass) Step(w sequence.Window) backend.Vec {
	c, first := p.m.context, p.spoken.Given()
	p.speaking.Forward(c, &p.blocks[0].cell, w.Sequences, w.At, p.spoken, !first)
	p.spoken = backend.Vec{}
	p.answer.Forward(c, p.speaking.State, w.Ends, backend.Vec{}, nil, w.Hi)
	if !p.remembers() {
		return p.answer.Y
	}
	init := backend.Vec{}
	if first {
		init = p.memory.Init
	}
	p.recalling.Forward(c, &p.blocks[0].cell, w.Sequences, w.At, init, !first)
	p.recalling.Recall(c, w.Ends, w.Fed, w.Hi)
	return p.read(&p.recalling, w.Hi)
}

// Dump implements sequence.Core.
func (p *pass) Dump(a *sequence.Arena, matrices bool) ([]sequence.Tensor, error) {
	p.encode(a, true)
	n, t, h := p.m.config.Core(), a.MaxSteps, p.m.config.Heads
	var out []sequence.Tensor
	var failed error
	read := func(v backend.Vec) []float32 {
		x := make([]float32, v.Len)
		if err := p.m.Backend().Download(x, v); err != nil {
			failed = err
		}
		return x
	}
	for l := range p.blocks {
		b := &p.blocks[l]
		add := func(name string, data []float32, shape ...int) {
			out = append(out, sequence.Tensor{Name: fmt.Sprintf("blocks.%d.%s", l, name), Shape: shape, Data: data})
		}
		add("state", a.Spread(read(b.recurrent.State), 2*n, 1), a.B, t, 2*n)
		if p.m.attention && matrices {
			x := b.attention.Matrices(p.m.context, a.Prompts(), b.recurrent.State, t)
			add("distance", read(x.Distance), a.B, h, t, t)
			add("tree", read(x.Tree), a.B, h, t, t)
			add("fusion", read(x.Fusion), a.B, t, h, h)
			add("attention", read(x.Weights), a.B, h, t, t)
		}
		add("output", a.Spread(read(b.output.Y), 2*n, 0), a.B, t, 2*n)
		if p.remembers() {
			add("memory", a.Spread(read(p.memory.State), 2*p.memory.N, 1), a.B, t, 2*p.memory.N)
		}
	}
	return out, failed
}
