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
	cells  []layer.Drive
	recur  []layer.Recurrence
	attend []layer.Attention
	out    []layer.Output
	link   []layer.Linear // U_l of blocks ≥ 1
	answer layer.Output   // the decoder's states on the unit circle

	speaking layer.Recurrence // block 1's cell in free-running decoding
	spoken   backend.Vec      // what its first step goes on from; then nothing

	bufBelow, bufDInit, bufDU layer.Floats
}

func newPass(m *Model) *pass {
	p := &pass{m: m, answer: layer.Output{N: m.config.Width, Gate: layer.None}, speaking: m.blocks[0].recurrent}
	for _, b := range m.blocks {
		p.cells, p.recur = append(p.cells, b.cell), append(p.recur, b.recurrent)
		p.attend, p.out = append(p.attend, b.attention), append(p.out, b.output)
		p.link = append(p.link, layer.Linear{Weight: b.drive, Bias: layer.None})
	}
	return p
}

// drives fills block l's drive and returns the drive row of each step.
func (p *pass) drives(l int, a *sequence.Arena) backend.Index {
	c := p.m.context
	if l == 0 {
		p.cells[0].Forward(c, p.m.params.Value(p.m.embedding), p.m.config.Vocab)
		return a.At
	}
	p.link[l].Forward(c.Context, p.out[l-1].Y, a.Encoded)
	p.cells[l].Forward(c, p.link[l].Y, a.Encoded)
	return a.Step
}

// encode runs all blocks over the prompts. With every set, the last block's output is computed at each position
// as well (for SPEC §12's dump); otherwise only what the loss needs.
func (p *pass) encode(a *sequence.Arena, every bool) {
	c := p.m.context
	for l := range p.cells {
		rows := a.Encoded
		if l == 0 {
			rows = a.Rows()
		}
		at := p.drives(l, a)
		p.recur[l].Reserve(c, rows)
		p.recur[l].Forward(c, &p.cells[l], a.Prompts(), at, backend.Vec{}, false)
		lastOnly := l == len(p.cells)-1 && !every && !a.Streams()
		if p.m.attention {
			p.attend[l].Forward(c, a.Prompts(), p.recur[l].State, lastOnly)
		}
		p.output(l, a, every)
	}
}

// output normalises block l: every position where a later block (or the dump) reads it, else the wanted ones.
func (p *pass) output(l int, a *sequence.Arena, every bool) {
	z, row, count := p.recur[l].State, a.After, a.Encoded
	if p.m.attention {
		z, row = p.attend[l].O, a.Step
	}
	if l == len(p.cells)-1 && !every {
		switch {
		case a.Streams():
			row, count = a.Wanted, a.Count
		case p.m.attention:
			row, count = a.Each, a.B
		default:
			row, count = a.Last, a.B
		}
	}
	p.out[l].Forward(p.m.context, z, row, p.recur[l].State, a.After, count)
}

// Forward implements sequence.Core.
func (p *pass) Forward(a *sequence.Arena) backend.Vec {
	p.encode(a, false)
	y := p.out[len(p.out)-1].Y
	if !a.Decodes() {
		return y
	}
	c := p.m.context
	p.recur[0].Forward(c, &p.cells[0], a.Answers(), a.At, y, false)
	p.answer.Forward(c, p.recur[0].State, a.Wanted, backend.Vec{}, nil, a.Count)
	return p.answer.Y
}

// BackwardStart implements sequence.Core.
func (p *pass) BackwardStart(*sequence.Arena) {
	c := p.m.context
	for l := range p.recur {
		p.recur[l].BackwardStart(c, &p.cells[l], l == 0)
		if p.m.attention {
			p.attend[l].BackwardStart(c)
		}
	}
}

// Backward implements sequence.Core.
func (p *pass) Backward(a *sequence.Arena, dy backend.Vec) {
	c := p.m.context
	if a.Decodes() {
		p.answer.Backward(c, p.recur[0].DState, backend.Vec{}, dy)
		dy = p.bufDInit.Get(c.B, 2*a.B*p.m.config.Width)
		p.recur[0].Backward(c, &p.cells[0], a.Answers(), a.At, dy)
	}
	for l := len(p.cells) - 1; l >= 0; l-- {
		dy = p.blockBackward(l, a, dy)
	}
}

// blockBackward takes the gradient of block l's output and returns that of the block's below (nothing for l = 0).
func (p *pass) blockBackward(l int, a *sequence.Arena, dy backend.Vec) backend.Vec {
	c, n, r := p.m.context, p.m.config.Width, &p.recur[l]
	if p.m.attention {
		p.out[l].Backward(c, p.attend[l].DO, r.DState, dy)
		p.attend[l].Backward(c, a.Prompts(), r.State, r.DState)
	} else {
		p.out[l].Backward(c, r.DState, r.DState, dy)
	}
	at := a.Step
	if l == 0 {
		at = a.At
	}
	r.Backward(c, &p.cells[l], a.Prompts(), at, backend.Vec{})
	if l == 0 {
		r.BackwardWeights(c, &p.cells[0], p.m.params.Grad(p.m.embedding))
		return backend.Vec{}
	}
	du := p.bufDU.Get(c.B, a.Encoded*n)
	r.BackwardWeights(c, &p.cells[l], du)
	below := p.bufBelow.Get(c.B, 2*a.Encoded*n)
	p.link[l].Backward(c.Context, below, du)
	return below
}

// Begin implements sequence.Core: block 1's cell goes on from the prompts' last outputs (SPEC §7).
func (p *pass) Begin(_ *sequence.Arena, prompts backend.Vec, rows int) {
	p.speaking.Reserve(p.m.context, rows)
	p.spoken = prompts
}

// Step implements sequence.Core.
func (p *pass) Step(window backend.Sequences, at, ends backend.Index) backend.Vec {
	c := p.m.context
	p.speaking.Forward(c, &p.cells[0], window, at, p.spoken, !p.spoken.Given())
	p.spoken = backend.Vec{}
	p.answer.Forward(c, p.speaking.State, ends, backend.Vec{}, nil, window.Hi)
	return p.answer.Y
}

// Dump implements sequence.Core.
func (p *pass) Dump(a *sequence.Arena) ([]sequence.Tensor, error) {
	p.encode(a, true)
	n, t, h := p.m.config.Width, a.MaxSteps, p.m.config.Heads
	var out []sequence.Tensor
	var failed error
	read := func(v backend.Vec) []float32 {
		x := make([]float32, v.Len)
		if err := p.m.Backend().Download(x, v); err != nil {
			failed = err
		}
		return x
	}
	for l := range p.cells {
		add := func(name string, data []float32, shape ...int) {
			out = append(out, sequence.Tensor{Name: fmt.Sprintf("blocks.%d.%s", l, name), Shape: shape, Data: data})
		}
		add("state", a.Spread(read(p.recur[l].State), 2*n, 1), a.B, t, 2*n)
		if p.m.attention {
			x := p.attend[l].Matrices(p.m.context, a.Prompts(), p.recur[l].State, t)
			add("distance", read(x.Distance), a.B, h, t, t)
			add("tree", read(x.Tree), a.B, h, t, t)
			add("fusion", read(x.Fusion), a.B, t, h, h)
			add("attention", read(x.Weights), a.B, h, t, t)
		}
		add("output", a.Spread(read(p.out[l].Y), 2*n, 0), a.B, t, 2*n)
	}
	return out, failed
}
