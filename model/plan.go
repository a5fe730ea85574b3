package model

// Tokens of SPEC §9 that the model itself needs.
const (
	sos = 16
	eos = 17
)

// plan lays a batch out on the row arena (package backend): sequences 0..B−1 are what the encoder reads; with
// `final` supervision of sequences, B..2B−1 are the answers, which go on from the prompts' last outputs.
type plan struct {
	b, s     int     // samples, sequences
	start    []int32 // [s] first row
	end      []int32 // [s] last row
	at       []int32 // [rows] token of the step, −1 in a sequence's last row
	encRows  int     // rows of sequences 0..b−1
	step     []int32 // [encRows] the row itself, −1 in a sequence's last row
	after    []int32 // [encRows] the row of the state after the step, −1 likewise
	lastRow  []int32 // [b] row of the prompt's last state
	iota     []int32 // [b] 0..b−1
	wanted   []int32 // [p] arena row of the step (attention) or state (csp, decoder) that each logit row reads
	target   []int32 // [p]
	weight   []float32
	total    float32 // Σ weight
	maxSteps int     // of the encoder's sequences
}

func (p *plan) rows() int { return len(p.at) }

func (p *plan) reset() {
	*p = plan{
		start: p.start[:0], end: p.end[:0], at: p.at[:0], step: p.step[:0], after: p.after[:0], lastRow: p.lastRow[:0],
		iota: p.iota[:0], wanted: p.wanted[:0], target: p.target[:0], weight: p.weight[:0],
	}
}

// add appends a sequence made of up to two runs of tokens.
func (p *plan) add(first, second []int32) {
	p.start = append(p.start, int32(len(p.at)))
	p.at = append(append(p.at, first...), second...)
	p.end = append(p.end, int32(len(p.at)))
	p.at = append(p.at, -1)
	p.s++
}

// fill lays out the batch. Without targets or labels only the encoder's part is made.
func (p *plan) fill(c Config, b *Batch) {
	p.reset()
	p.b = len(b.Prompts)
	prefix := c.Supervision == "prefix" && c.Classes == 0
	for i, prompt := range b.Prompts {
		var more []int32
		if prefix && b.Targets != nil {
			more = b.Targets[i][:len(b.Targets[i])-1]
		}
		p.add(prompt, more)
		p.lastRow = append(p.lastRow, p.end[i])
		p.iota = append(p.iota, int32(i))
		p.maxSteps = max(p.maxSteps, len(prompt)+len(more))
	}
	p.encRows = len(p.at)
	for r, token := range p.at {
		if token < 0 {
			p.step, p.after = append(p.step, -1), append(p.after, -1)
		} else {
			p.step, p.after = append(p.step, int32(r)), append(p.after, int32(r+1))
		}
	}
	switch {
	case c.Classes > 0:
		for _, l := range b.Labels {
			p.want(0, l, 1)
		}
	case b.Targets == nil:
	case prefix:
		offset := int32(0) // the output of step t is in its own row with attention, in the next row (h) without
		if !c.Attention() {
			offset = 1
		}
		for i, target := range b.Targets {
			row := p.start[i] + int32(len(b.Prompts[i])) - 1 + offset
			for t, id := range target {
				p.want(row+int32(t), id, b.weight(i, t))
			}
		}
	default:
		for i, target := range b.Targets {
			row := int32(len(p.at)) + 1
			p.add(sosOnly, target[:len(target)-1])
			for t, id := range target {
				p.want(row+int32(t), id, b.weight(i, t))
			}
		}
	}
}

var sosOnly = []int32{sos}

func (p *plan) want(row, target int32, weight float32) {
	p.wanted = append(p.wanted, row)
	p.target = append(p.target, target)
	p.weight = append(p.weight, weight)
	p.total += weight
}

func (b *Batch) weight(i, t int) float32 {
	if b.AnswerWeight > 0 && b.AnswerAt != nil && b.AnswerAt[i] == t {
		return b.AnswerWeight
	}
	return 1
}
