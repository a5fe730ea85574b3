package model

import (
	"fmt"

	"mhacsp/model/backend"
)

// Tensor is a named array on the host, row-major.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

// Dump runs a batch and returns everything SPEC §12's `forward` writes: every block's matrices, logits and loss.
func (m *Model) Dump(b *Batch) ([]Tensor, error) {
	var tail []Tensor
	if b.Targets != nil || m.Config.Classes > 0 {
		logits, err := m.Logits(b)
		if err != nil {
			return nil, err
		}
		tail = append(tail, m.padLogits(b, logits))
		if b.Targets != nil || b.Labels != nil {
			m.train.crossEntropy()
			loss, err := m.Loss()
			if err != nil {
				return nil, err
			}
			tail = append(tail, Tensor{"loss", []int{1}, []float32{loss}})
		}
	}
	blocks, err := m.dumpBlocks(b)
	return append(blocks, tail...), err
}

// padLogits spreads rows of logits over (B, T_target, V); classes are (B, C) as they are.
func (m *Model) padLogits(b *Batch, logits []float32) Tensor {
	c := m.Config.Outputs()
	if m.Config.Classes > 0 {
		return Tensor{"logits", []int{len(b.Prompts), c}, logits}
	}
	longest := 0
	for _, t := range b.Targets {
		longest = max(longest, len(t))
	}
	out := make([]float32, len(b.Targets)*longest*c)
	for i, t := range b.Targets {
		logits = logits[copy(out[i*longest*c:][:len(t)*c], logits):]
	}
	return Tensor{"logits", []int{len(b.Targets), longest, c}, out}
}

func (m *Model) dumpBlocks(b *Batch) ([]Tensor, error) {
	p, n := m.train, m.Config.Width
	p.upload(b, true)
	p.encode(true)
	q := &p.plan
	size, t, h := q.b, q.maxSteps, m.Config.Heads
	var out []Tensor
	var failed error
	read := func(v backend.Vec) []float32 {
		x := make([]float32, v.Len)
		if err := m.backend.Download(x, v); err != nil {
			failed = err
		}
		return x
	}
	// rows spreads arena rows, offset rows after each sequence's first, over (B, T, 2N).
	rows := func(name string, v backend.Vec, offset int) {
		x, full := read(v), make([]float32, size*t*2*n)
		for s := range size {
			first, steps := int(q.start[s])+offset, int(q.end[s]-q.start[s])
			copy(full[s*t*2*n:], x[2*n*first:][:2*n*steps])
		}
		out = append(out, Tensor{name, []int{size, t, 2 * n}, full})
	}
	for l := range p.cells {
		name := func(s string) string { return fmt.Sprintf("blocks.%d.%s", l, s) }
		rows(name("state"), p.recur[l].State, 1)
		if m.Config.Attention() {
			x := p.attend[l].Matrices(p.ctx(), p.prompts(), p.recur[l].State, t)
			square := []int{size, h, t, t}
			out = append(out,
				Tensor{name("distance"), square, read(x.Distance)}, Tensor{name("tree"), square, read(x.Tree)},
				Tensor{name("fusion"), []int{size, t, h, h}, read(x.Fusion)}, Tensor{name("attention"), square, read(x.Weights)})
		}
		rows(name("output"), p.out[l].Y, 0)
	}
	return out, failed
}
