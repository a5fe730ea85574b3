package train

import (
	"fmt"
	"slices"

	"mhacsp/model/metric"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
)

// Model is what training and evaluation need of a network.
type Model interface {
	Gradients(*sequence.Batch) // loss and gradients, added to the parameters' gradients
	Evaluate(*sequence.Batch)  // loss alone
	Hits([]float32) (loss float32, err error)
	Generate(prompts [][]int32, limit int, probs bool) ([]sequence.Generation, error)
	Classify(prompts [][]int32) ([]int32, []float32, error)
}

// batchOf collects samples into a batch; the batch shares the samples' slices.
func batchOf(samples []tasks.Sample, answerWeight float32) *sequence.Batch {
	b := &sequence.Batch{AnswerWeight: answerWeight}
	fillBatch(b, samples)
	return b
}

func fillBatch(b *sequence.Batch, samples []tasks.Sample) {
	b.Prompts, b.Targets, b.Labels, b.AnswerAt = b.Prompts[:0], b.Targets[:0], b.Labels[:0], b.AnswerAt[:0]
	for i := range samples {
		s := &samples[i]
		b.Prompts = append(b.Prompts, s.Prompt)
		if s.Label >= 0 {
			b.Labels = append(b.Labels, s.Label)
			continue
		}
		b.Targets = append(b.Targets, s.Target)
		b.AnswerAt = append(b.AnswerAt, s.AnswerAt)
	}
}

// A score is what the hits of teacher-forced logits (sequence.Network.Hits) say of a sample. The most probable tokens
// are all right exactly when greedy decoding writes the target: up to the first error both read the same input.
type score struct {
	exact, answer bool
	doubtful      bool // an error stands before the answer: what is written behind it only decoding tells
}

// scores reads the scores of samples off their hits, which lie one after another.
func scores(samples []tasks.Sample, hits []float32, each func(i int, x score)) {
	for i := range samples {
		s := &samples[i]
		if s.Label >= 0 {
			ok := hits[0] != 0
			hits = hits[1:]
			each(i, score{exact: ok, answer: ok})
			continue
		}
		x := score{exact: true}
		for t := range s.Target {
			ok := hits[0] != 0
			hits = hits[1:]
			if t == s.AnswerAt {
				x.answer, x.doubtful = ok, !x.exact
			}
			x.exact = x.exact && ok
		}
		x.answer = x.answer || s.AnswerAt < 0 && x.exact
		each(i, x)
	}
}

// Evaluate reports on samples in batches of size. What greedy decoding writes is read off the hits (score), and
// decoded only where they leave an answer open. Of the first batch some are decoded all the same: a difference is an
// error. Where yield is given it is called between batches; its error ends the evaluation.
func Evaluate(m Model, t tasks.Task, samples []tasks.Sample, size int, yield func() error) (metric.Report, error) {
	return evaluate(m, t, len(samples), size, yield, func(from, to int) ([]tasks.Sample, error) {
		return samples[from:to], nil
	})
}

// evaluate is Evaluate of n samples that are drawn when their batch comes.
func evaluate(m Model, t tasks.Task, n, size int, yield func() error,
	draw func(from, to int) ([]tasks.Sample, error)) (metric.Report, error) {
	var r metric.Report
	var loss, tokens float64
	for from := 0; from < n; from += size {
		if yield != nil && from > 0 {
			if err := yield(); err != nil {
				return r, err
			}
		}
		part, err := draw(from, min(from+size, n))
		if err != nil {
			return r, err
		}
		b := batchOf(part, 0)
		m.Evaluate(b)
		count := len(b.Labels)
		for _, x := range b.Targets {
			count += len(x)
		}
		hits := make([]float32, count)
		mean, err := m.Hits(hits)
		if err != nil {
			return r, err
		}
		loss += float64(mean) * float64(count)
		tokens += float64(count)
		checked := 0
		if from == 0 {
			checked = min(decodedAnyway, len(part))
		}
		if err := evaluatePart(&r, m, t, part, b, hits, checked); err != nil {
			return r, err
		}
	}
	if tokens > 0 {
		r.Loss = loss / tokens
	}
	return r, nil
}

// decodedAnyway is how many samples of an evaluation are decoded to check their hits.
const decodedAnyway = 64

// evaluatePart counts a batch's samples. The first of them, that many as are checked, are decoded too.
func evaluatePart(r *metric.Report, m Model, t tasks.Task, part []tasks.Sample, b *sequence.Batch, hits []float32,
	checked int) error {
	if t.Classes() > 0 {
		labels, _, err := m.Classify(b.Prompts)
		if err != nil {
			return err
		}
		for i := range part {
			ok := labels[i] == part[i].Label
			add(r, &part[i], ok, ok)
			if t.Classes() <= metric.MaxClasses {
				r.AddClass(t.ClassName(part[i].Label), t.ClassName(labels[i]))
			}
		}
		return nil
	}
	all := make([]score, len(part))
	var open []int
	longest := 0
	scores(part, hits, func(i int, x score) {
		if all[i] = x; x.doubtful || i < checked {
			open = append(open, i)
			longest = max(longest, len(part[i].Target))
		}
	})
	prompts := make([][]int32, len(open))
	for k, i := range open {
		prompts[k] = part[i].Prompt
	}
	if len(open) > 0 {
		out, err := m.Generate(prompts, longest+1, checked > 0) // one more shows that an output is too long
		if err != nil {
			return err
		}
		for k, i := range open {
			s, x := &part[i], &all[i]
			if exact := slices.Equal(out[k].Tokens, s.Target); exact != x.exact && !tied(out[k], s.Target) {
				return fmt.Errorf("evaluation: decoding sample %d says exact match %t, its hits say %t; "+
					"please report this with the command and the device", i, exact, x.exact)
			}
			if answer, ok := t.Answer(out[k].Tokens); s.AnswerAt >= 0 {
				x.answer = ok && answer == s.Target[s.AnswerAt]
			}
		}
	}
	for i := range part {
		add(r, &part[i], all[i].exact, all[i].answer)
	}
	return nil
}

// tied reports whether what was written leaves the target where that was as probable as the token that was taken: then
// rounding decides, and may decide otherwise in another order of sums.
func tied(g sequence.Generation, target []int32) bool {
	for i := range min(len(g.Tokens), len(target)) {
		if g.Tokens[i] != target[i] {
			return i < len(g.Probs) && g.Probs[i][target[i]] > 0.999*g.Probs[i][g.Tokens[i]]
		}
	}
	return false
}

// add counts a sample in its groups.
func add(r *metric.Report, s *tasks.Sample, exact, answer bool) {
	r.Add(describe(s), exact, answer)
	for _, g := range s.Groups {
		r.AddGroup(g.Field, g.Value, exact, answer)
	}
}

func describe(s *tasks.Sample) metric.Sample {
	d := metric.Sample{Operands: s.Operands, Depth: s.Depth, Length: s.Length, Trivial: s.Trivial, Answer: s.Label}
	switch {
	case s.AnswerAt >= 0:
		d.Answer = s.Target[s.AnswerAt]
	case s.Label < 0: // a constant guess is a whole target
		h := uint32(2166136261)
		for _, id := range s.Target {
			h = (h ^ uint32(id)) * 16777619 // FNV-1a, a token a step
		}
		d.Answer = int32(h)
	}
	return d
}

// Draw makes samples first..first+n−1 of a draw.
func Draw(t tasks.Task, d tasks.Draw, first uint64, n int) []tasks.Sample {
	samples := make([]tasks.Sample, n)
	for i := range samples {
		t.Sample(&samples[i], d, first+uint64(i))
	}
	return samples
}

// Drawn is the error of a task that reads its samples somewhere and could not, if it has such: a method Err() error.
// What it drew is then worth nothing.
func Drawn(t tasks.Task) error {
	if t, ok := t.(interface{ Err() error }); ok {
		return t.Err()
	}
	return nil
}

// Tokens is how many tokens of prompts and targets a step of the run has, the mean of its first n steps without the
// curriculum's limit.
func (r Run) Tokens(n int) (float64, error) {
	task, err := r.task()
	if err != nil {
		return 0, err
	}
	c := r.Training
	var s tasks.Sample
	sum := 0
	for i := range n * c.Batch {
		d := tasks.Draw{Seed: c.Seed, IID: c.Split == "iid",
			MinOperands: long(c.LongShare, i%c.Batch, task.Curriculum())}
		task.Sample(&s, d, uint64(i))
		sum += len(s.Prompt) + len(s.Target)
	}
	return float64(sum) / float64(n), Drawn(task)
}
