package pool

import (
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
)

// Network is what a pool needs of a sequence.Network.
type Network interface {
	Params() *param.Set
	Backend() backend.Base
	Gradients(*sequence.Batch)
	Results() backend.Vec
}

// hands compute parts on a network. A device that fails is not looked at here: it says so again where the results of
// the step are read.
type hands struct {
	net     Network
	flat    []float32 // of the part just made
	results []float32
}

// size is how many numbers a sum has.
func (h *hands) size() int { return h.net.Params().Size() + 1 }

// part computes part number at of a batch, adds it to p and returns its hits, which stay until the next part.
func (h *hands) part(b *sequence.Batch, at int, p *partialSums) (hits []float32) {
	grads, device := h.net.Params().Grads(), h.net.Backend()
	device.Zero(grads)
	h.net.Gradients(b)
	r := h.net.Results()
	h.flat = slices.Grow(h.flat[:0], h.size())[:h.size()]
	h.results = slices.Grow(h.results[:0], r.Len)[:r.Len]
	_ = device.Download(h.flat[:grads.Len], grads)
	_ = device.Download(h.results, r)
	h.flat[grads.Len] = h.results[sequence.ResultLoss]
	p.add(at, 1, h.flat)
	return h.results[sequence.ResultHits:]
}

// Helper answers the tasks of a Pool in a program of its own.
type Helper struct {
	hands   hands
	partial partialSums
	hits    []float32
}

// NewHelper is a helper on a network of the Pool's configuration.
func NewHelper(n Network) *Helper { return &Helper{hands: hands{net: n}} }

// Do carries out a task. The answer is written over out's memory.
func (h *Helper) Do(in Message, out *Message) {
	t, params := readTask(in)
	h.hands.net.Params().Upload(params)
	h.partial.clear()
	h.hits = h.hits[:0]
	n := t.batch.Whole.Samples
	first, _ := t.span.samples(n)
	for i := t.span.from; i < t.span.to; i++ {
		from, to := t.span.one(i).samples(n)
		p := t.batch.Part(from-first, to-first)
		h.hits = append(h.hits, h.hands.part(&p, i, &h.partial)...)
	}
	writeAnswer(out, &h.partial, h.hits)
}
