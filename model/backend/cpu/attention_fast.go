package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// attentionSpans gives every worker a span.
type attentionSpans struct{ spans []*attentionSpan[float32] }

func (s *attentionSpans) shape(a backend.Attention, workers int) {
	for len(s.spans) < workers {
		s.spans = append(s.spans, newAttentionSpan[float32](vectorised{}))
	}
	steps := longest(a.Seq)
	for _, w := range s.spans {
		w.shape(a, steps)
	}
}

// attendJob runs one sequence a piece.
type attendJob struct {
	attentionSpans
	args backend.AttentionForward
}

func (j *attendJob) piece(worker, i int) { j.spans[worker].forward(j.args, j.args.Seq.Lo+i) }

// AttentionForward runs the sequences side by side.
func (f *Fast) AttentionForward(a backend.AttentionForward) {
	a.Check()
	j := &f.attend
	j.args = a
	j.shape(a.Attention, f.pool.workers)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

// unattendJob runs one sequence a piece; the shares of ρ and B are kept apart and added in order afterwards.
type unattendJob struct {
	attentionSpans
	args    backend.AttentionBackward
	shares  []float32 // [sequences, H + H²]
	perPart int
}

func (j *unattendJob) piece(worker, i int) {
	h := j.args.Heads
	share := j.shares[i*j.perPart:][:j.perPart]
	j.spans[worker].backward(j.args, j.args.Seq.Lo+i, share[:h], share[h:])
}

// AttentionBackward is the backward pass of AttentionForward.
func (f *Fast) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	j, h, count := &f.unattend, a.Heads, a.Seq.Hi-a.Seq.Lo
	j.args, j.perPart = a, h+h*h
	j.shape(a.Attention, f.pool.workers)
	if need := count * j.perPart; cap(j.shares) < need {
		j.shares = make([]float32, need)
	}
	j.shares = j.shares[:count*j.perPart]
	clear(j.shares)
	f.pool.run(j, count)
	for i := range count {
		share := j.shares[i*j.perPart:][:j.perPart]
		vec.Add(Data[float32](a.DRho)[:h], share[:h])
		vec.Add(Data[float32](a.DB)[:h*h], share[h:])
	}
}

// AttentionMatrices is the reference's: it makes pictures, at any pace.
func (*Fast) AttentionMatrices(a backend.AttentionMatrices) { attentionMatrices[float32](a) }
