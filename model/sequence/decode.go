package sequence

import (
	"math"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/tasks/token"
)

// Generation is what a network wrote after one prompt.
type Generation struct {
	Tokens []int32     // up to and including <EOS>, or as many as were allowed
	Probs  [][]float32 // where asked for: the distribution each token was the most probable of
}

// Generate implements Network.
func (n *Net) Generate(prompts [][]int32, limit int, probs bool) ([]Generation, error) {
	out := make([]Generation, len(prompts))
	if err := (&Batch{Prompts: prompts}).fits(n.shape); err != nil {
		return nil, err
	}
	if n.shape.Prefix || n.design.Joined {
		return out, n.generateByPrefix(prompts, limit, probs, out)
	}
	return out, n.generateFinal(prompts, limit, probs, out)
}

// Classify implements Network.
func (n *Net) Classify(prompts [][]int32) ([]int32, []float32, error) {
	b := &Batch{Prompts: prompts}
	if err := b.fits(n.shape); err != nil {
		return nil, nil, err
	}
	y, rows := n.logits(&n.other, b)
	logits := make([]float32, rows*n.shape.Classes)
	if err := n.backend.Download(logits, y); err != nil {
		return nil, nil, err
	}
	labels := make([]int32, rows)
	for i := range labels {
		labels[i] = Argmax(logits[i*n.shape.Classes:][:n.shape.Classes])
	}
	return labels, logits, nil
}

// decoding is where the answers that are being written lie: sample s owns limit+1 rows of an arena of its own, and
// step k is the window from its row k to k+1.
type decoding struct {
	start, end, at, fed layer.Ints
	starts, ends        []int32 // [B]
	tokens, current     []int32 // [rows], [B]
}

// Window is one step of every answer that is being written.
type Window struct {
	backend.Sequences
	At   backend.Index // [Rows] token of the step in each row
	Ends backend.Index // [Hi] row of the state after the step
	Fed  backend.Index // [Hi] the step's token; where Design.Positions asks for it
}

// window is step k on the device.
func (d *decoding) window(dev backend.Memory, k, limit int) Window {
	for s := range d.starts {
		d.starts[s] = int32(s*(limit+1) + k)
		d.ends[s] = d.starts[s] + 1
		d.tokens[d.starts[s]] = d.current[s]
	}
	ends := d.end.Put(dev, d.ends)
	return Window{
		Sequences: backend.Sequences{
			Start: d.start.Put(dev, d.starts), End: ends, Hi: len(d.starts), Rows: len(d.tokens),
		},
		At: d.at.Put(dev, d.tokens), Ends: ends,
	}
}

// generateFinal reads each prompt once; from then on one state goes from token to token (SPEC §7).
func (n *Net) generateFinal(prompts [][]int32, limit int, probs bool, out []Generation) error {
	h, b, vocab := &n.other, len(prompts), n.shape.Vocab
	h.arena.put(n.backend, n.design, &Batch{Prompts: prompts}, n.design.Rows)
	rows := b * (limit + 1)
	h.core.Begin(&h.arena, h.core.Forward(&h.arena), rows)
	d := decoding{
		starts: make([]int32, b), ends: make([]int32, b), tokens: make([]int32, rows),
		current: slices.Repeat(sosOnly, b),
	}
	logits := make([]float32, b*vocab)
	open := b
	for k := 0; k < limit && open > 0; k++ {
		w := d.window(n.backend, k, limit)
		if n.design.Positions {
			w.Fed = d.fed.Put(n.backend, d.current)
		}
		h.head.Forward(n.context(), h.core.Step(w), b)
		if err := n.backend.Download(logits, h.head.Y); err != nil {
			return err
		}
		for s := range b {
			if d.current[s] == token.EOS {
				continue
			}
			d.current[s] = out[s].take(logits[s*vocab:][:vocab], probs)
			if d.current[s] == token.EOS {
				open--
			}
		}
	}
	return nil
}

// generateByPrefix runs the network on each prefix again: what is written joins the stream that it reads. A stream as
// long as the network can read ends.
func (n *Net) generateByPrefix(prompts [][]int32, limit int, probs bool, out []Generation) error {
	vocab := n.shape.Vocab
	streams, owner := make([][]int32, len(prompts)), make([]int, len(prompts))
	for i, prompt := range prompts {
		streams[i], owner[i] = append(make([]int32, 0, len(prompt)+1+limit), prompt...), i
		if !n.shape.Prefix {
			streams[i] = append(streams[i], token.SOS)
		}
	}
	logits := make([]float32, len(prompts)*vocab)
	for k := 0; k < limit && len(streams) > 0; k++ {
		y, rows := n.logits(&n.other, &Batch{Prompts: streams})
		if err := n.backend.Download(logits[:rows*vocab], y); err != nil {
			return err
		}
		left := 0
		for s, stream := range streams {
			id := out[owner[s]].take(logits[s*vocab:][:vocab], probs)
			if id != token.EOS && n.shape.Fits(len(stream)+1) == nil {
				streams[left], owner[left] = append(stream, id), owner[s]
				left++
			}
		}
		streams, owner = streams[:left], owner[:left]
	}
	return nil
}

// take appends the most probable token.
func (g *Generation) take(logits []float32, probs bool) int32 {
	id := Argmax(logits)
	g.Tokens = append(g.Tokens, id)
	if probs {
		g.Probs = append(g.Probs, Softmax(logits))
	}
	return id
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
