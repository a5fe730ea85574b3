package model

import (
	"fmt"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
)

// pass runs batches through the model and keeps what the backward pass reads. A model has one for training and
// one for generating, so that neither disturbs the other's buffers.
type pass struct {
	m      *Model
	plan   plan
	cells  []layer.Drive
	recur  []layer.Recurrence
	attend []layer.Attention
	out    []layer.Output
	link   []layer.Linear // U_l of blocks ≥ 1
	answer layer.Output   // the decoder's states on the unit circle
	head   layer.Linear

	start, end, at, step, after, lastRow, iota, wanted, target backend.Index
	bufStart, bufEnd, bufAt, bufStep, bufAfter, bufLast        layer.Ints
	bufIota, bufWanted, bufTarget                              layer.Ints
	bufWeight, bufDLogits, bufRowLoss, bufDY, bufDInit         layer.Floats
	bufDU                                                      layer.Floats
	bufResults                                                 layer.Floats
	results                                                    backend.Vec
}

func newPass(m *Model) *pass {
	p := &pass{m: m, head: m.head, answer: layer.Output{N: m.Config.Width, Gate: layer.None}}
	for _, b := range m.blocks {
		p.cells, p.recur = append(p.cells, b.cell), append(p.recur, b.recurrent)
		p.attend, p.out = append(p.attend, b.attention), append(p.out, b.output)
		p.link = append(p.link, layer.Linear{Weight: b.drive, Bias: layer.None})
	}
	p.results = p.bufResults.Get(m.backend, ResultHits)
	return p
}

func (p *pass) ctx() layer.Context { return layer.Context{B: p.m.backend, P: p.m.params} }

// prompts are the encoder's sequences.
func (p *pass) prompts() backend.Sequences {
	return backend.Sequences{Start: p.start, End: p.end, Lo: 0, Hi: p.plan.b, Rows: p.plan.encRows}
}

// answers are the decoder's sequences.
func (p *pass) answers() backend.Sequences {
	return backend.Sequences{Start: p.start, End: p.end, Lo: p.plan.b, Hi: p.plan.s, Rows: p.plan.rows()}
}

func (p *pass) decodes() bool { return p.plan.s > p.plan.b }

// prefix tells whether logits are read at many positions of the encoder's own stream. Without targets only the
// prompts' last outputs are wanted, whatever the supervision.
func (p *pass) prefix() bool {
	return p.m.Config.Supervision == "prefix" && len(p.plan.wanted) > 0 && p.m.Config.Classes == 0
}

// upload lays the batch out and sends the layout to the device; every as in encode.
func (p *pass) upload(b *Batch, every bool) {
	dev := p.m.backend
	p.plan.fill(p.m.Config, b)
	q := &p.plan
	p.start, p.end, p.at = p.bufStart.Put(dev, q.start), p.bufEnd.Put(dev, q.end), p.bufAt.Put(dev, q.at)
	p.iota, p.lastRow = p.bufIota.Put(dev, q.iota), p.bufLast.Put(dev, q.lastRow)
	p.wanted, p.target = p.bufWanted.Put(dev, q.wanted), p.bufTarget.Put(dev, q.target)
	if len(p.cells) > 1 || every {
		p.step, p.after = p.bufStep.Put(dev, q.step), p.bufAfter.Put(dev, q.after)
	}
}

// drives fills block l's drive and returns the drive row of each step.
func (p *pass) drives(l int) backend.Index {
	c := p.ctx()
	if l == 0 {
		p.cells[0].Forward(c, p.m.params.Value(p.m.embedding), p.m.Config.Vocab)
		return p.at
	}
	p.link[l].Forward(c, p.out[l-1].Y, p.plan.encRows)
	p.cells[l].Forward(c, p.link[l].Y, p.plan.encRows)
	return p.step
}

// encode runs all blocks over the prompts. With every set, the last block's output is computed at each position
// as well (for SPEC §12's dump and for `prefix` supervision); otherwise only what the loss needs.
func (p *pass) encode(every bool) {
	c, attention := p.ctx(), p.m.Config.Attention()
	for l := range p.cells {
		rows := p.plan.encRows
		if l == 0 {
			rows = p.plan.rows()
		}
		at := p.drives(l)
		p.recur[l].Reserve(c, rows)
		p.recur[l].Forward(c, &p.cells[l], p.prompts(), at, backend.Vec{}, false)
		lastOnly := l == len(p.cells)-1 && !every && !p.prefix()
		if attention {
			p.attend[l].Forward(c, p.prompts(), p.recur[l].State, lastOnly)
		}
		p.output(l, every)
	}
}

// output normalises block l: every position where a later block (or the dump) reads it, else the wanted ones.
func (p *pass) output(l int, every bool) {
	c := p.ctx()
	z, row, count := p.recur[l].State, p.after, p.plan.encRows
	if p.m.Config.Attention() {
		z, row = p.attend[l].O, p.step
	}
	if l == len(p.cells)-1 && !every {
		switch {
		case p.prefix():
			row, count = p.wanted, len(p.plan.wanted)
		case p.m.Config.Attention():
			row, count = p.iota, p.plan.b
		default:
			row, count = p.lastRow, p.plan.b
		}
	}
	p.out[l].Forward(c, z, row, p.recur[l].State, p.after, count)
}

// logits runs the forward pass up to the logits and returns them with their number of rows: the target positions,
// or one row a sample for classes.
func (p *pass) logits(b *Batch) (backend.Vec, int) {
	p.upload(b, false)
	p.encode(false)
	return p.read()
}

// read goes from the last block's wanted outputs to the logits.
func (p *pass) read() (backend.Vec, int) {
	c := p.ctx()
	y, count := p.out[len(p.out)-1].Y, len(p.plan.wanted)
	switch {
	case p.decodes():
		p.recur[0].Forward(c, &p.cells[0], p.answers(), p.at, y, false)
		p.answer.Forward(c, p.recur[0].State, p.wanted, backend.Vec{}, nil, count)
		y = p.answer.Y
	case count == 0 || p.m.Config.Classes > 0:
		count = p.plan.b
	}
	p.head.Forward(c, y, count)
	return p.head.Y, count
}

// crossEntropy computes the loss from the logits and returns their gradient.
func (p *pass) crossEntropy() backend.Vec {
	dev, q := p.m.backend, &p.plan
	n, classes := len(q.target), p.m.Config.Outputs()
	weight := p.bufWeight.Get(dev, n)
	dev.Upload(weight, q.weight)
	d := p.bufDLogits.Get(dev, n*classes)
	p.results = p.bufResults.Get(dev, ResultHits+n)
	dev.CrossEntropy(backend.CrossEntropy{
		Loss: p.results.Slice(ResultLoss, 1), RowLoss: p.bufRowLoss.Get(dev, n), Hit: p.results.Slice(ResultHits, n), DLogits: d, Logits: p.head.Y, Target: p.target, Weight: weight,
		P: n, C: classes, Scale: 1 / q.total,
	})
	return d
}

// backward adds the gradients of all parameters, given that of the logits.
func (p *pass) backward(dLogits backend.Vec) {
	c, q, dev := p.ctx(), &p.plan, p.m.backend
	n, last := p.m.Config.Width, len(p.cells)-1
	count := len(q.target)
	for l := range p.recur {
		p.recur[l].BackwardStart(c, &p.cells[l], l == 0)
		if p.m.Config.Attention() {
			p.attend[l].BackwardStart(c)
		}
	}
	dy := p.bufDY.Get(dev, 2*max(count, q.encRows)*n).Slice(0, 2*count*n)
	p.head.Backward(c, dy, dLogits)
	if p.decodes() {
		p.answer.Backward(c, p.recur[0].DState, backend.Vec{}, dy)
		dy = p.bufDInit.Get(dev, 2*q.b*n)
		p.recur[0].Backward(c, &p.cells[0], p.answers(), p.at, dy)
	}
	for l := last; l >= 0; l-- {
		dy = p.blockBackward(l, dy)
	}
}

// blockBackward takes the gradient of block l's output and returns that of the block's below (nothing for l = 0).
func (p *pass) blockBackward(l int, dy backend.Vec) backend.Vec {
	c, q, dev := p.ctx(), &p.plan, p.m.backend
	n, r := p.m.Config.Width, &p.recur[l]
	if p.m.Config.Attention() {
		p.out[l].Backward(c, p.attend[l].DO, r.DState, dy)
		p.attend[l].Backward(c, p.prompts(), r.State, r.DState)
	} else {
		p.out[l].Backward(c, r.DState, r.DState, dy)
	}
	at := p.step
	if l == 0 {
		at = p.at
	}
	r.Backward(c, &p.cells[l], p.prompts(), at, backend.Vec{})
	if l == 0 {
		r.BackwardWeights(c, &p.cells[0], p.m.params.Grad(p.m.embedding))
		return backend.Vec{}
	}
	du := p.bufDU.Get(dev, q.encRows*n)
	r.BackwardWeights(c, &p.cells[l], du)
	below := p.bufDY.Get(dev, 2*q.encRows*n)
	p.link[l].Backward(c, below, du)
	return below
}

// Logits runs a batch and returns its logits, row-major [rows, outputs]: the target positions of all samples one
// after another, or one row a sample for classes.
func (m *Model) Logits(b *Batch) ([]float32, error) {
	if m.Config.Classes == 0 && b.Targets == nil {
		return nil, fmt.Errorf("batch has no targets; logits of sequences are read at target positions")
	}
	y, rows := m.train.logits(b)
	out := make([]float32, rows*m.Config.Outputs())
	if err := m.backend.Download(out, y); err != nil {
		return nil, err
	}
	return out, nil
}

// Gradients computes the loss and adds the gradients of all parameters to Params().Grads, which the caller has
// cleared. Nothing is read back: Loss does that. The batch needs targets or labels.
func (m *Model) Gradients(b *Batch) {
	m.train.logits(b)
	m.train.backward(m.train.crossEntropy())
}

// Evaluate runs the forward pass and the loss without gradients.
func (m *Model) Evaluate(b *Batch) {
	m.train.logits(b)
	m.train.crossEntropy()
}

// Loss waits for the device and returns the loss of the last Gradients or Evaluate.
func (m *Model) Loss() (float32, error) {
	var loss [1]float32
	err := m.backend.Download(loss[:], m.LossOnDevice())
	return loss[0], err
}

// LossOnDevice is the loss of the last Gradients or Evaluate, one number that has not been read back.
func (m *Model) LossOnDevice() backend.Vec { return m.train.results.Slice(ResultLoss, 1) }

// Where the numbers of a step lie in Results, and where there is room for the optimizer's.
const (
	ResultLoss  = 0
	ResultNorm2 = backend.Align     // the squared norm of the gradient: left to the optimizer
	ResultHits  = 2 * backend.Align // a number for each logits row: 1 where the target is the most probable, else 0
)

// Results is what a host wants to know of the last Gradients or Evaluate, in one piece on the device.
func (m *Model) Results() backend.Vec { return m.train.results }
