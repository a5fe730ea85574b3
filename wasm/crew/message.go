package crew

import (
	"errors"
	"math"

	"mhacsp/model/sequence"
)

// Message is what programs of a crew send one another. What is in it is theirs to read alone.
type Message struct {
	Ints   []int32
	Floats []float32
}

// task asks for the sums of a span of a batch.
type task struct {
	turn  int32 // the answer has it again
	span  span
	batch sequence.Batch // whole; what is sent is the span's samples
}

// write puts a task into a message, with the parameters.
func (t task) write(m *Message, params []float32) {
	b := t.batch.Part(t.span.samples(len(t.batch.Prompts)))
	bits := func(x float32) int32 { return int32(math.Float32bits(x)) }
	x := append(m.Ints[:0], t.turn, int32(t.span.from), int32(t.span.to), int32(t.span.parts),
		int32(b.Whole.Samples), bits(b.Whole.Weight), bits(b.AnswerWeight), bits(b.StateClip),
		int32(len(b.Prompts)), int32(len(b.Targets)), int32(len(b.Labels)), int32(len(b.AnswerAt)))
	for _, rows := range [][][]int32{b.Prompts, b.Targets} {
		for _, row := range rows {
			x = append(append(x, int32(len(row))), row...)
		}
	}
	x = append(x, b.Labels...)
	for _, at := range b.AnswerAt {
		x = append(x, int32(at))
	}
	m.Ints, m.Floats = x, params
}

// reader takes numbers off a list; what is not there is 0, and bad is set.
type reader struct {
	rest []int32
	bad  bool
}

func (r *reader) list(n int32) []int32 {
	if n < 0 || int(n) > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	list := r.rest[:n:n]
	r.rest = r.rest[n:]
	return list
}

func (r *reader) next() int32 {
	if one := r.list(1); one != nil {
		return one[0]
	}
	return 0
}

func (r *reader) float() float32 { return math.Float32frombits(uint32(r.next())) }

func (r *reader) rows(n int32) (rows [][]int32) {
	for ; n > 0 && !r.bad; n-- {
		rows = append(rows, r.list(r.next()))
	}
	return rows
}

// readTask is the task of a message. Its batch is the span's samples alone.
func readTask(m Message) (t task, err error) {
	r := &reader{rest: m.Ints}
	t.turn, t.span = r.next(), span{int(r.next()), int(r.next()), int(r.next())}
	b := &t.batch
	b.Whole = sequence.Whole{Samples: int(r.next()), Weight: r.float()}
	b.AnswerWeight, b.StateClip = r.float(), r.float()
	prompts, targets, labels, answers := r.next(), r.next(), r.next(), r.next()
	b.Prompts, b.Targets, b.Labels = r.rows(prompts), r.rows(targets), r.list(labels)
	if labels == 0 {
		b.Labels = nil
	}
	for _, at := range r.list(answers) {
		b.AnswerAt = append(b.AnswerAt, int(at))
	}
	if s := t.span; r.bad || s.from < 0 || s.from >= s.to || s.to > s.parts || len(b.Prompts) == 0 {
		return t, errors.New("crew: a task cannot be read")
	}
	return t, nil
}

// answer is what a span came to.
type answer struct {
	turn int32
	pile *pile
	hits []float32 // of the span's samples
}

// write puts an answer into a message.
func (a answer) write(m *Message) {
	m.Ints, m.Floats = append(m.Ints[:0], a.turn), append(m.Floats[:0], a.hits...)
	for _, s := range a.pile.sums {
		m.Ints, m.Floats = append(m.Ints, int32(s.at), int32(s.size)), append(m.Floats, s.flat...)
	}
}

// readAnswer hands the sums of an answer to add, size elements each, and returns its hits.
func readAnswer(m Message, size int, add func(at, size int, flat []float32)) (hits []float32) {
	sums := m.Ints[1:]
	flats := m.Floats[len(m.Floats)-len(sums)/2*size:]
	for ; len(sums) > 0; sums, flats = sums[2:], flats[size:] {
		add(int(sums[0]), int(sums[1]), flats[:size])
	}
	return m.Floats[:len(m.Floats)-(len(m.Ints)-1)/2*size]
}
