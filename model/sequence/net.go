package sequence

import (
	"errors"
	"fmt"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/model/param"
)

// Core computes what lies between the tokens of a batch and the rows that the head reads. Every buffer that its
// backward pass reads again is its own: a Net has one Core for training and one for generating, so that neither
// disturbs the other. A row that the head reads has as many elements as head.weight has columns.
type Core interface {
	// Forward runs the batch and returns the rows that the head reads: a.Reads rows, in the order of a.Wanted. Without
	// targets, and for classes, that is one row a prompt, its last.
	Forward(a *Arena) backend.Vec
	// BackwardStart clears what Backward adds to. It comes before the head's own backward pass, so that
	// a device can clear all of a step at once.
	BackwardStart(a *Arena)
	// Backward adds the gradients of all parameters but the head's, given that of the rows that Forward returned.
	Backward(a *Arena, dRows backend.Vec)

	// Begin makes room for free-running decoding after a Forward over prompts alone, whose rows it is given; rows is
	// the size of the arena that the answers take. Networks with `prefix` supervision only, and joined ones, are never
	// asked.
	Begin(a *Arena, prompts backend.Vec, rows int)
	// Step goes on by one token in each sequence of a window and returns the rows that the head reads, one a sequence.
	Step(w Window) backend.Vec

	// Dump runs the prompts (with `prefix` supervision prompt and target) with every position's output, and returns
	// the tensors of FORMATS.md that Traits promises, matrices of pairs of positions only where they are asked for.
	Dump(a *Arena, matrices bool) ([]Tensor, error)
}

// Design is what a family gives a Net in addition to its Core.
type Design struct {
	Config    Config
	Params    *param.Set // declared, not yet allocated
	Head      layer.Linear
	After     bool // Core's rows for the head are the states after the steps, not the steps' own rows (Arena.Wanted)
	Joined    bool // with `final` supervision the answer follows its prompt in one sequence; Core never has to Step
	Rows      bool // Core reads Arena.Step and Arena.After in training too, not only in Dump
	Positions bool // Core reads Arena.Steps and Arena.Fed
	Core      func() Core
}

// Net makes a Network of a Core; families embed it.
type Net struct {
	design          Design
	shape           Shape
	backend         backend.Base
	training, other half
	refused         error // of the last Gradients or Evaluate
}

// Where the numbers of a step lie in a Network's Results, and where there is room for the optimizer's.
const (
	ResultLoss  = 0
	ResultNorm2 = backend.Align     // the squared norm of the gradient: left to the optimizer
	ResultHits  = 2 * backend.Align // a number for each logits row: 1 where the target is the most probable, else 0
)

// half is one Core with its batch and its head.
type half struct {
	core    Core
	arena   Arena
	head    layer.Linear // logits = W_out y + b_out (SPEC §7)
	results backend.Vec

	bufWeight, bufDLogits, bufRowLoss, bufDY, bufResults layer.Floats
}

// Start allocates the parameters on the backend and makes the two Cores.
func (n *Net) Start(d Design, b backend.Base) {
	n.design, n.shape, n.backend = d, d.Config.Shape(), b
	d.Params.Allocate(b)
	for _, h := range []*half{&n.training, &n.other} {
		h.core, h.head = d.Core(), d.Head
		h.results = h.bufResults.Get(b, ResultHits)
	}
}

func (n *Net) context() layer.Context { return layer.Context{B: n.backend, P: n.design.Params} }

// Config implements Network.
func (n *Net) Config() Config { return n.design.Config }

// Params implements Network.
func (n *Net) Params() *param.Set { return n.design.Params }

// Backend implements Network.
func (n *Net) Backend() backend.Base { return n.backend }

// Initialise implements Network.
func (n *Net) Initialise(seed uint64) { n.Params().Upload(n.Params().Initial(seed)) }

// Forward runs a batch and leaves its logits on the device: see Logits, and for a batch of prompts alone one row a
// prompt, at its last position. They stay until the next call.
func (n *Net) Forward(b *Batch) (logits backend.Vec, rows int) { return n.logits(&n.training, b) }

// logits runs the forward pass up to the logits and returns them with their number of rows.
func (n *Net) logits(h *half, b *Batch) (backend.Vec, int) {
	h.arena.put(n.backend, n.design, b, n.design.Rows)
	rows := h.arena.Reads
	h.head.Forward(n.context(), h.core.Forward(&h.arena), rows)
	return h.head.Y, rows
}

// Logits implements Network.
func (n *Net) Logits(b *Batch) ([]float32, error) {
	if n.shape.Classes == 0 && b.Targets == nil {
		return nil, errors.New("batch has no targets; logits of sequences are read at target positions")
	}
	if err := b.fits(n.shape); err != nil {
		return nil, err
	}
	y, rows := n.Forward(b)
	out := make([]float32, rows*n.shape.Outputs())
	return out, n.backend.Download(out, y)
}

// loss computes the loss (SPEC §7), the cross-entropy of the last forward pass's logits, and returns their gradient.
func (h *half) loss(dev backend.Base) backend.Vec {
	a, n, outputs := &h.arena, h.arena.Count, h.arena.Outputs()
	weight := h.bufWeight.Get(dev, n)
	dev.Upload(weight, a.host.weight)
	d := h.bufDLogits.Get(dev, n*outputs)
	h.results = h.bufResults.Get(dev, ResultHits+n)
	dev.CrossEntropy(backend.CrossEntropy{
		Loss: h.results.Slice(ResultLoss, 1), RowLoss: h.bufRowLoss.Get(dev, n),
		Hit: h.results.Slice(ResultHits, n), DLogits: d,
		Logits: h.head.Y, Target: a.target, Weight: weight, P: n, C: outputs, Scale: 1 / a.host.total,
	})
	return d
}

// Gradients implements Network.
func (n *Net) Gradients(b *Batch) {
	if n.refused = b.fits(n.shape); n.refused != nil {
		return
	}
	h := &n.training
	n.Forward(b)
	d := h.loss(n.backend)
	h.core.BackwardStart(&h.arena)
	width := n.Params().Tensors[n.design.Head.Weight].Shape[1]
	dRows := h.bufDY.Get(n.backend, h.arena.Count*width)
	h.head.Backward(n.context(), dRows, d)
	h.core.Backward(&h.arena, dRows)
}

// Evaluate implements Network.
func (n *Net) Evaluate(b *Batch) {
	if n.refused = b.fits(n.shape); n.refused != nil {
		return
	}
	n.Forward(b)
	n.training.loss(n.backend)
}

// Loss implements Network.
func (n *Net) Loss() (float32, error) { return n.Hits(nil) }

// Hits implements Network.
func (n *Net) Hits(hits []float32) (float32, error) {
	if n.refused != nil {
		return 0, n.refused
	}
	numbers := make([]float32, ResultHits+len(hits))
	err := n.backend.Download(numbers, n.Results().Slice(0, len(numbers)))
	copy(hits, numbers[ResultHits:])
	return numbers[ResultLoss], err
}

// Results implements Network.
func (n *Net) Results() backend.Vec { return n.training.results }

// Dump implements Network.
func (n *Net) Dump(b *Batch) ([]Tensor, error) {
	if err := b.fits(n.shape); err != nil {
		return nil, err
	}
	var tail []Tensor
	if b.Targets != nil || n.shape.Classes > 0 {
		logits, err := n.Logits(b)
		if err != nil {
			return nil, err
		}
		tail = append(tail, padLogits(n.shape, b, logits))
		if b.Targets != nil || b.Labels != nil {
			n.training.loss(n.backend)
			loss, err := n.Loss()
			if err != nil {
				return nil, err
			}
			tail = append(tail, Tensor{"loss", []int{1}, []float32{loss}})
		}
	}
	blocks, err := n.blocks(b, true)
	return append(blocks, tail...), err
}

// States implements Network.
func (n *Net) States(b *Batch) ([]Tensor, error) {
	if err := b.fits(n.shape); err != nil {
		return nil, err
	}
	return n.blocks(b, false)
}

func (n *Net) blocks(b *Batch, matrices bool) ([]Tensor, error) {
	if n.design.Joined && !n.shape.Prefix {
		b = &Batch{Prompts: b.Prompts} // as where answers are apart
	}
	h := &n.training
	h.arena.put(n.backend, n.design, b, true)
	return h.core.Dump(&h.arena, matrices)
}

// Find is the tensor of a dump that a block has under that name.
func Find(dump []Tensor, block int, name string) (Tensor, error) {
	name = fmt.Sprintf("blocks.%d.%s", block, name)
	for _, x := range dump {
		if x.Name == name {
			return x, nil
		}
	}
	return Tensor{}, fmt.Errorf("the dump has no tensor %q", name)
}
