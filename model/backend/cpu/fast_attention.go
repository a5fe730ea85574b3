package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// vectorised are the attention's inner loops on vectors.
type vectorised struct{}

func (vectorised) dot(a, b []float32) float32                 { return vec.Dot(a, b[:len(a)]) }
func (vectorised) sqDist(a, b []float32) float32              { return vec.SqDist(a, b[:len(a)]) }
func (vectorised) axpy(dst []float32, s float32, x []float32) { vec.Axpy(dst[:len(x)], s, x) }
func (vectorised) logAddExp(dst []float32, b float32)         { vec.LogAddExp(dst, dst, b) }

func (vectorised) softmaxNeg(dst, x []float32) {
	low := float32(math.MaxFloat32)
	for _, v := range x {
		low = min(low, v)
	}
	for i, v := range x {
		dst[i] = low - v
	}
	vec.Exp(dst, dst)
	vec.Scale(dst, 1/vec.Sum(dst))
}

func (vectorised) expDiff(dst, x, y []float32) {
	vec.Sub(dst, x, y)
	vec.Exp(dst, dst)
}

func (vectorised) addScaledDiff(dst []float32, s float32, a, b []float32) {
	vec.Axpy(dst, s, a)
	vec.Axpy(dst, -s, b)
}

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
