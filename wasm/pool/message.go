package pool

import "mhacsp/model/sequence"

// Message is what programs of a pool send one another. Both ends are the same program, and trust what comes.
type Message struct {
	Ints   []int32
	Floats []float32
}

// task asks for the sums of a span of a batch.
type task struct {
	span  span
	batch sequence.Batch // what is sent of it are the span's samples
}

// Rows of a task's numbers: these, then prompts and targets.
const (
	taskHead = iota // span, samples of the whole batch, prompts sent
	taskLabels
	taskAnswers
	taskPrompts
)

// extra are a task's floats behind the parameters: Whole.Weight, AnswerWeight, StateClip.
const extra = 3

// write puts a task into a message. floats are the parameters, with room for the extra.
func (t task) write(m *Message, floats []float32) {
	b := t.batch.Part(t.span.samples(len(t.batch.Prompts)))
	head := []int32{
		int32(t.span.from), int32(t.span.to), int32(t.span.parts), int32(b.Whole.Samples), int32(len(b.Prompts)),
	}
	answers := make([]int32, len(b.AnswerAt))
	for i, at := range b.AnswerAt {
		answers[i] = int32(at)
	}
	m.Ints, m.Floats = m.Ints[:0], floats
	for _, rows := range [][][]int32{{head, b.Labels, answers}, b.Prompts, b.Targets} {
		for _, row := range rows {
			m.Ints = append(append(m.Ints, int32(len(row))), row...)
		}
	}
	copy(floats[len(floats)-extra:], []float32{b.Whole.Weight, b.AnswerWeight, b.StateClip})
}

// readTask is the task of a message, whose batch is the span's samples alone, and the parameters.
func readTask(m Message) (t task, params []float32) {
	var rows [][]int32
	for x := m.Ints; len(x) > 0; {
		n := 1 + int(x[0])
		rows, x = append(rows, x[1:n:n]), x[n:]
	}
	n := len(m.Floats) - extra
	head, more, b := rows[taskHead], m.Floats[n:], &t.batch
	t.span = span{int(head[0]), int(head[1]), int(head[2])}
	b.Whole = sequence.Whole{Samples: int(head[3]), Weight: more[0]}
	b.AnswerWeight, b.StateClip = more[1], more[2]
	if labels := rows[taskLabels]; len(labels) > 0 {
		b.Labels = labels
	}
	for _, at := range rows[taskAnswers] {
		b.AnswerAt = append(b.AnswerAt, int(at))
	}
	b.Prompts = rows[taskPrompts:][:head[4]]
	if targets := rows[taskPrompts+head[4]:]; len(targets) > 0 {
		b.Targets = targets
	}
	return t, m.Floats[:n]
}

// writeAnswer puts what a span came to into a message: its sums, and the hits of its samples.
func writeAnswer(m *Message, p *partialSums, hits []float32) {
	m.Ints, m.Floats = m.Ints[:0], append(m.Floats[:0], hits...)
	for _, s := range p.sums {
		m.Ints, m.Floats = append(m.Ints, int32(s.at), int32(s.size)), append(m.Floats, s.flat...)
	}
}

// readAnswer hands the sums of an answer to add, size elements each, and returns its hits.
func readAnswer(m Message, size int, add func(at, size int, flat []float32)) (hits []float32) {
	flats := len(m.Floats) - len(m.Ints)/2*size // where they begin
	for i := 0; i < len(m.Ints); i += 2 {
		add(int(m.Ints[i]), int(m.Ints[i+1]), m.Floats[flats+i/2*size:][:size])
	}
	return m.Floats[:flats]
}
