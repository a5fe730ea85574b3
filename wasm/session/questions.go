package session

import (
	"errors"
	"fmt"

	"mhacsp/model/ask"
	"mhacsp/model/metric"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/wasm/protocol"
)

func (s *Session) read(text string) (protocol.Event, error) {
	q, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	t := s.trainer
	format := t.Run.Training.Format
	if t.Run.Own != nil { // the user's answers may stand anywhere, as in copies
		format = "copy"
	}
	r, err := trace.Read(s.net, t.Task, format, q)
	if err != nil {
		return nil, err
	}
	r.Step = t.Count()
	out := protocol.Reading{Reading: *r}
	if k, ok := t.Task.(tasks.Practised); ok {
		out.Unpractised, out.Instead = k.Unpractised(q.Tokens)
	}
	return out, nil
}

// samples lets the model answer the first n test samples; without a test, of the user's, the first of its validation.
func (s *Session) samples(n int) (protocol.Event, error) {
	t := s.trainer
	d := tasks.Draw{Seed: t.Run.Training.Seed, Role: tasks.Test, IID: t.Run.Training.Split == "iid"}
	if o := ownOf(t.Run); o != nil {
		if o.Samples(d.Role) == 0 {
			d.Role = tasks.Validation
		}
		n = min(n, o.Samples(d.Role))
	}
	list := train.Draw(t.Task, d, 0, n)
	if err := train.Drawn(t.Task); err != nil {
		return nil, err
	}
	answered, err := ask.Samples(s.net, t.Task, list)
	return protocol.SampleList{Samples: answered}, err
}

// lengths measures n samples of each set beyond what was trained: longer strings, or expressions by their operands.
func (s *Session) lengths(n int) (protocol.Event, error) {
	if s.trainer.Task.Classes() == 0 {
		return s.byOperands(n)
	}
	c := s.trainer.Run.Training
	out := protocol.LengthList{Sets: []protocol.LengthSet{}}
	for _, o := range tasks.LengthSets(c.Task, c.Options) {
		task, err := tasks.New(c.Task, o)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%d characters", o.MaxLength)
		if o.MinLength < o.MaxLength {
			name = fmt.Sprintf("%d to %d characters", o.MinLength, o.MaxLength)
		}
		r, err := s.measure(task, train.Draw(task, tasks.Draw{Seed: c.Seed, Role: tasks.Test}, 0, n), o.MaxLength)
		if err != nil {
			return nil, err
		}
		out.Sets = append(out.Sets, protocol.LengthSet{
			Name: name, Length: o.MaxLength, Samples: n, Accuracy: r.AnswerRate(), Chance: r.Majority,
		})
	}
	return out, nil
}

// measure evaluates in batches small enough that commands need not wait, and lets them in before the first.
func (s *Session) measure(task tasks.Task, samples []tasks.Sample, length int) (metric.Report, error) {
	if err := s.yieldAsked(); err != nil {
		return metric.Report{}, err
	}
	size := min(max(1024/max(length, 1), 1), s.trainer.Run.Training.EvalBatch)
	return train.Evaluate(s.net, task, samples, size, s.yieldAsked)
}

// drawsPerSample bounds the search for expressions of each operand count.
const drawsPerSample = 100

// byOperands draws until there are n samples of every operand count that the task has.
func (s *Session) byOperands(n int) (protocol.Event, error) {
	t := s.trainer
	k, c := t.Task.Curriculum(), t.Run.Training
	d := tasks.Draw{Seed: c.Seed, Role: tasks.Test, IID: c.Split == "iid"}
	groups := map[int][]tasks.Sample{}
	for i, full := 0, 0; i < n*drawsPerSample && full < k.Full-1; i++ {
		x := train.Draw(t.Task, d, uint64(i), 1)[0]
		if g := groups[x.Operands]; len(g) < n {
			groups[x.Operands] = append(g, x)
			if len(g)+1 == n && x.Operands > 1 {
				full++
			}
		}
	}
	out := protocol.LengthList{Sets: []protocol.LengthSet{}}
	for operands := 1; operands <= k.Full; operands++ {
		if len(groups[operands]) == 0 {
			continue
		}
		r, err := s.measure(t.Task, groups[operands], t.Task.MaxPrompt())
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%d operands", operands)
		if operands == 1 {
			name = "1 operand"
		}
		out.Sets = append(out.Sets, protocol.LengthSet{
			Name: name, Operands: operands, Samples: r.Count, Accuracy: r.AnswerRate(), Chance: r.Majority,
		})
	}
	return out, nil
}

// embedding shows the embeddings of the task's characters in the first two principal components of
// their rows, and the spectrum of the whole embedding matrix. Rows of tokens that never occur in the
// task are as they began: they are no points.
func (s *Session) embedding() (protocol.Event, error) {
	params := s.net.Params()
	flat, err := params.Download(params.Values())
	if err != nil {
		return nil, err
	}
	rows, width := params.Find(flat, "embedding.weight")
	if rows == nil {
		return nil, errors.New("the model has no embedding matrix")
	}
	vocab := len(rows) / width
	_, spectrum := principal(rows, vocab, width)
	task := s.trainer.Task
	ids, err := task.Vocabulary().Tokenise(task.Characters())
	if err != nil {
		return nil, err
	}
	var shown []float32
	for _, id := range ids {
		shown = append(shown, rows[int(id)*width:][:width]...)
	}
	scores, _ := principal(shown, len(ids), width)
	out := protocol.Embedding{Spectrum: spectrum[:min(vocab-1, width)]} // centred rows have one dimension less
	for i, id := range ids {
		at := protocol.Point{Token: task.Vocabulary().Token(id), X: scores[0][i]}
		if len(scores) > 1 { // else there is one token, or one unit
			at.Y = scores[1][i]
		}
		out.Points = append(out.Points, at)
	}
	return out, nil
}
