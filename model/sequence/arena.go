package sequence

import (
	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/tasks/token"
)

// Arena is a batch on the row arena (package backend): sequences 0 to B−1 are what the network reads first; with
// `final` supervision of sequences, B to 2B−1 are the answers, which go on from the state that the prompts end in.
// Where Design.Joined is set there are B sequences only: prompt, <SOS> and target one after another.
type Arena struct {
	Shape
	B        int // samples
	Encoded  int // rows of sequences 0 to B−1
	MaxSteps int // of sequences 0 to B−1
	Count    int // rows that the head reads for the loss; 0 where the batch has neither targets nor labels
	Reads    int // rows that the head reads: Count, or B where only the prompts' last outputs are wanted

	// StateBound is of the gradient of one unit's state after one step: Batch.StateClip over the samples, 0: none.
	StateBound float32

	Start, End backend.Index // [sequences] first and last row
	At         backend.Index // [Rows] token of each step, −1 in a sequence's last row
	Step       backend.Index // [Encoded] the row itself, −1 in a sequence's last row; where rows were asked for
	After      backend.Index // [Encoded] the row of the state after the step, −1 likewise
	Last       backend.Index // [B] row of the prompt's last state
	Each       backend.Index // [B] 0 to B−1
	Wanted     backend.Index // [Reads] the row of the step, or of the state after it, that each logits row reads

	// Where Design.Positions asks for them:
	Steps backend.Index // [B] tokens of each prompt
	Fed   backend.Index // [Count] token that was read before each wanted row; with answers apart from the prompts

	target backend.Index // [Count]
	host   layout

	bufStart, bufEnd, bufAt, bufStep, bufAfter, bufLast, bufEach, bufWanted, bufTarget layer.Ints
	bufSteps, bufFed                                                                   layer.Ints
}

// layout is an arena's numbers on the host.
type layout struct {
	start, end, at, step, after, last, each []int32
	wanted, target                          []int32
	steps, fed                              []int32
	weight                                  []float32
	total                                   float32 // Σ weight, of the whole batch
}

// Rows is the number of rows of all sequences.
func (a *Arena) Rows() int { return len(a.host.at) }

// Tokens is the token of each step, as At, on the host.
func (a *Arena) Tokens() []int32 { return a.host.at }

// Decodes reports whether the batch has answers apart from the prompts (`final` supervision of sequences).
func (a *Arena) Decodes() bool { return len(a.host.start) > a.B }

// Streams reports whether logits are read at many positions of one stream of prompt and target. Without targets only
// the prompts' last outputs are wanted, whatever the supervision.
func (a *Arena) Streams() bool { return a.Prefix && a.Count > 0 }

// Prompts are the sequences that the network reads first.
func (a *Arena) Prompts() backend.Sequences {
	return backend.Sequences{Start: a.Start, End: a.End, Hi: a.B, Rows: a.Encoded}
}

// Answers are the decoder's sequences.
func (a *Arena) Answers() backend.Sequences {
	return backend.Sequences{Start: a.Start, End: a.End, Lo: a.B, Hi: len(a.host.start), Rows: a.Rows()}
}

// Spread copies arena rows of a width, offset rows after each prompt's first, to a tensor (B, MaxSteps, width),
// right-padded with zeros.
func (a *Arena) Spread(rows []float32, width, offset int) []float32 {
	out := make([]float32, a.B*a.MaxSteps*width)
	for s := range a.B {
		first, steps := int(a.host.start[s])+offset, int(a.host.end[s]-a.host.start[s])
		copy(out[s*a.MaxSteps*width:], rows[width*first:][:width*steps])
	}
	return out
}

// put lays a batch out and sends the layout to the device, with Step and After where rows is set.
func (a *Arena) put(dev backend.Memory, d Design, b *Batch, rows bool) {
	a.fill(d, b)
	h := &a.host
	a.Start, a.End, a.At = a.bufStart.Put(dev, h.start), a.bufEnd.Put(dev, h.end), a.bufAt.Put(dev, h.at)
	a.Each, a.Last = a.bufEach.Put(dev, h.each), a.bufLast.Put(dev, h.last)
	a.Wanted, a.target = a.bufWanted.Put(dev, h.wanted), a.bufTarget.Put(dev, h.target)
	if rows {
		a.Step, a.After = a.bufStep.Put(dev, h.step), a.bufAfter.Put(dev, h.after)
	}
	if d.Positions {
		a.Steps, a.Fed = a.bufSteps.Put(dev, h.steps), a.bufFed.Put(dev, h.fed)
	}
}

// add appends a sequence made of runs of tokens.
func (h *layout) add(first, second, third []int32) {
	h.start = append(h.start, int32(len(h.at)))
	h.at = append(append(append(h.at, first...), second...), third...)
	h.end = append(h.end, int32(len(h.at)))
	h.at = append(h.at, -1)
}

// loss counts a target in the loss.
func (h *layout) loss(target int32, weight float32) {
	h.target = append(h.target, target)
	h.weight = append(h.weight, weight)
	h.total += weight
}

// fill lays out the batch. Without targets or labels only what the network reads first is made.
func (a *Arena) fill(d Design, b *Batch) {
	h, s := &a.host, d.Config.Shape()
	*h = layout{
		start: h.start[:0], end: h.end[:0], at: h.at[:0], step: h.step[:0], after: h.after[:0], last: h.last[:0],
		each: h.each[:0], steps: h.steps[:0], fed: h.fed[:0],
		wanted: h.wanted[:0], target: h.target[:0], weight: h.weight[:0],
	}
	a.Shape, a.B, a.MaxSteps = s, len(b.Prompts), 0
	a.StateBound = b.StateClip / float32(max(1, len(b.Prompts), b.Whole.Samples))
	offset := int32(0) // from the row of a step to what the head reads of it
	if d.After {
		offset = 1
	}
	joined := s.Prefix || d.Joined // a prompt and its target are one sequence
	for i, prompt := range b.Prompts {
		var start, more []int32 // what starts an answer, and the target but for its last token, which is never read
		if joined && b.Targets != nil {
			more = b.Targets[i][:len(b.Targets[i])-1]
			if !s.Prefix {
				start = sosOnly
			}
		}
		h.add(prompt, start, more)
		h.last = append(h.last, h.start[i]+int32(len(prompt)))
		h.each = append(h.each, int32(i))
		if d.Positions {
			h.steps = append(h.steps, int32(len(prompt)))
		}
		a.MaxSteps = max(a.MaxSteps, len(prompt)+len(start)+len(more))
	}
	a.Encoded = len(h.at)
	for r, id := range h.at {
		if id < 0 {
			h.step, h.after = append(h.step, -1), append(h.after, -1)
		} else {
			h.step, h.after = append(h.step, int32(r)), append(h.after, int32(r+1))
		}
	}
	if b.Targets == nil {
		for _, row := range h.last {
			h.wanted = append(h.wanted, row-1+offset)
		}
		for _, l := range b.Labels {
			h.loss(l, 1)
		}
	}
	for i, target := range b.Targets {
		row := h.end[i] - int32(len(target)) + offset
		if !joined {
			row = int32(len(h.at)) + 1
			h.add(sosOnly, target[:len(target)-1], nil)
			if d.Positions {
				h.fed = append(append(h.fed, token.SOS), target[:len(target)-1]...)
			}
		}
		for t, id := range target {
			h.wanted = append(h.wanted, row+int32(t))
			h.loss(id, b.weight(i, t))
		}
	}
	a.Count, a.Reads = len(h.target), len(h.wanted)
	if b.Whole.Samples > 0 {
		h.total = b.Whole.Weight
	}
}

var sosOnly = []int32{token.SOS}
