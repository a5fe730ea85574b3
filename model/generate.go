package model

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
)

// Generation is what the model wrote after one prompt.
type Generation struct {
	Tokens []int32     // up to and including <EOS>, or as many as were allowed
	Probs  [][]float32 // where asked for: the distribution each token was the most probable of
}

// Generate writes after each prompt, greedily and fed by its own output, until <EOS> or limit tokens (SPEC §9).
func (m *Model) Generate(prompts [][]int32, limit int, probs bool) ([]Generation, error) {
	out := make([]Generation, len(prompts))
	var err error
	if m.Config.Supervision == "prefix" {
		err = m.generatePrefix(prompts, limit, probs, out)
	} else {
		err = m.generateFinal(prompts, limit, probs, out)
	}
	return out, err
}

// Classify returns each prompt's most probable class, and the logits [B, classes].
func (m *Model) Classify(prompts [][]int32) ([]int32, []float32, error) {
	y, rows := m.decode.logits(&Batch{Prompts: prompts})
	logits := make([]float32, rows*m.Config.Classes)
	if err := m.backend.Download(logits, y); err != nil {
		return nil, nil, err
	}
	labels := make([]int32, rows)
	for i := range labels {
		labels[i] = Argmax(logits[i*m.Config.Classes:][:m.Config.Classes])
	}
	return labels, logits, nil
}

// generateFinal encodes each prompt once; from then on one state passes through block 1's cell (SPEC §7).
func (m *Model) generateFinal(prompts [][]int32, limit int, probs bool, out []Generation) error {
	p, c := m.decode, m.decode.ctx()
	p.upload(&Batch{Prompts: prompts}, false)
	p.encode(false)
	b, vocab := len(prompts), m.Config.Vocab
	// Sample s owns limit+1 rows of an arena of its own; step k is the window from row k to k+1.
	var loop struct {
		cell            layer.Recurrence
		start, end, at  layer.Ints
		starts, ends    []int32
		tokens, current []int32
	}
	loop.cell = m.blocks[0].recurrent
	rows := b * (limit + 1)
	loop.cell.Reserve(c, rows)
	loop.starts, loop.ends, loop.tokens, loop.current = make([]int32, b), make([]int32, b), make([]int32, rows), make([]int32, b)
	for i := range loop.current {
		loop.current[i] = sos
	}
	init := p.out[len(p.out)-1].Y
	logits := make([]float32, b*vocab)
	open := b
	for k := 0; k < limit && open > 0; k++ {
		for s := range b {
			loop.starts[s] = int32(s*(limit+1) + k)
			loop.ends[s] = loop.starts[s] + 1
			loop.tokens[loop.starts[s]] = loop.current[s]
		}
		ends := loop.end.Put(m.backend, loop.ends)
		seq := backend.Sequences{Start: loop.start.Put(m.backend, loop.starts), End: ends, Hi: b, Rows: rows}
		loop.cell.Forward(c, &p.cells[0], seq, loop.at.Put(m.backend, loop.tokens), init, k > 0)
		init = backend.Vec{}
		p.answer.Forward(c, loop.cell.State, ends, backend.Vec{}, nil, b)
		p.head.Forward(c, p.answer.Y, b)
		if err := m.backend.Download(logits, p.head.Y); err != nil {
			return err
		}
		for s := range b {
			if done(out[s].Tokens) {
				continue
			}
			loop.current[s] = out[s].take(logits[s*vocab:][:vocab], probs)
			if loop.current[s] == eos {
				open--
			}
		}
	}
	return nil
}

// generatePrefix runs the model on each prefix anew: what is written joins the stream that the encoder reads.
func (m *Model) generatePrefix(prompts [][]int32, limit int, probs bool, out []Generation) error {
	vocab := m.Config.Vocab
	streams, owner := make([][]int32, len(prompts)), make([]int, len(prompts))
	for i, prompt := range prompts {
		streams[i], owner[i] = append(make([]int32, 0, len(prompt)+limit), prompt...), i
	}
	logits := make([]float32, len(prompts)*vocab)
	for k := 0; k < limit && len(streams) > 0; k++ {
		y, rows := m.decode.logits(&Batch{Prompts: streams})
		if err := m.backend.Download(logits[:rows*vocab], y); err != nil {
			return err
		}
		left := 0
		for s, stream := range streams {
			token := out[owner[s]].take(logits[s*vocab:][:vocab], probs)
			if token != eos {
				streams[left], owner[left] = append(stream, token), owner[s]
				left++
			}
		}
		streams, owner = streams[:left], owner[:left]
	}
	return nil
}

func done(tokens []int32) bool { return len(tokens) > 0 && tokens[len(tokens)-1] == eos }

// take appends the most probable token.
func (g *Generation) take(logits []float32, probs bool) int32 {
	token := Argmax(logits)
	g.Tokens = append(g.Tokens, token)
	if probs {
		g.Probs = append(g.Probs, Softmax(logits))
	}
	return token
}

// Argmax is the index of the greatest element, the first of several.
func Argmax(x []float32) int32 {
	best, top := 0, x[0]
	for i, v := range x {
		if v > top {
			best, top = i, v
		}
	}
	return int32(best)
}

// Softmax returns the probabilities that logits stand for.
func Softmax(logits []float32) []float32 {
	top := float64(logits[Argmax(logits)])
	var sum float64
	p := make([]float32, len(logits))
	for _, x := range logits {
		sum += math.Exp(float64(x) - top)
	}
	for i, x := range logits {
		p[i] = float32(math.Exp(float64(x)-top) / sum)
	}
	return p
}
