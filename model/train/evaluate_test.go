package train

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// fake answers prompts from a table and counts what it is asked.
type fake struct {
	outputs map[string][]int32
	labels  map[string]int32
	losses  []float32 // of the coming Evaluate calls
	batches []int     // sizes of the batches seen
	limits  []int
	decoded int // prompts
	broken  error

	batch *sequence.Batch
	lying bool // the last hit is the opposite of what it is
	even  bool // all tokens are as probable
}

func key(prompt []int32) string { return fmt.Sprint(prompt) }

func (f *fake) Gradients(*sequence.Batch) { panic("an evaluation trains") }

func (f *fake) Evaluate(b *sequence.Batch) { f.batch, f.batches = b, append(f.batches, len(b.Prompts)) }

// Hits are right up to the first error of what is written; behind it one hits, one does not, and so on.
func (f *fake) Hits(hits []float32) (float32, error) {
	at := 0
	for i, target := range f.batch.Targets {
		x, same := f.outputs[key(f.batch.Prompts[i])], true
		for t, id := range target {
			if same = same && t < len(x) && x[t] == id; same || (t%2 == 1 && t > 0 && x[t-1] != target[t-1]) {
				hits[at] = 1
			}
			at++
		}
	}
	if f.lying {
		hits[at-1] = 1 - hits[at-1]
	}
	loss := f.losses[0]
	f.losses = f.losses[1:]
	return loss, f.broken
}

func (f *fake) Generate(prompts [][]int32, limit int, probs bool) ([]sequence.Generation, error) {
	f.limits, f.decoded = append(f.limits, limit), f.decoded+len(prompts)
	var out []sequence.Generation
	for _, p := range prompts {
		x := f.outputs[key(p)]
		g := sequence.Generation{Tokens: x[:min(len(x), limit)]}
		for i := range g.Tokens {
			if probs {
				g.Probs = append(g.Probs, make([]float32, tasks.EOS+20))
				if g.Probs[i][g.Tokens[i]] = 1; f.even {
					for k := range g.Probs[i] {
						g.Probs[i][k] = 0.1
					}
				}
			}
		}
		out = append(out, g)
	}
	return out, nil
}

func (f *fake) Classify(prompts [][]int32) ([]int32, []float32, error) {
	var out []int32
	for _, p := range prompts {
		out = append(out, f.labels[key(p)])
	}
	return out, nil, nil
}

func written(prompt int32, operands int, target ...int32) tasks.Sample {
	return tasks.Sample{
		Prompt: []int32{tasks.SOS, prompt}, Target: target, Label: -1, AnswerAt: 0,
		Operands: operands, Depth: operands - 1, Trivial: operands == 1,
	}
}

// TestEvaluateSequences: exact match is the whole free-running output, nothing cut to the target's length; the
// answer is the digit alone; the loss is the mean over target tokens, not over batches.
func TestEvaluateSequences(t *testing.T) {
	task := assert.Must(tasks.New("arithmetic", tasks.Options{Format: "direct"}))(t)
	const end = tasks.EOS
	samples := []tasks.Sample{
		written(0, 1, 3, end), written(1, 2, 3, end), written(2, 2, 4, end),
		written(3, 2, 5, end), written(4, 3, 6, 1, 2, end), written(5, 3, 3, end),
	}
	f := &fake{losses: []float32{1, 2}, outputs: map[string][]int32{}}
	for i, x := range [][]int32{
		{3, end},          // right
		{3, 3, end},       // right answer, one token too many
		{4, 4},            // right answer, no end
		{6, end},          // wrong answer
		{6, 1, 2, 0},      // right answer, goes on where the target ends
		{tasks.REPEAT, 0}, // no answer
	} {
		f.outputs[key(samples[i].Prompt)] = x
	}
	r := assert.Must(Evaluate(f, task, samples, 4, nil))(t)
	assert.Is(t, r.Tally, metric.Tally{Count: 6, Exact: 1, Answer: 4}, "all")
	trivial := metric.Tally{Count: 1, Exact: 1, Answer: 1}
	assert.Is(t, r.Trivial, trivial, "trivial")
	byOperands := map[int]metric.Tally{1: trivial, 2: {Count: 3, Answer: 2}, 3: {Count: 2, Answer: 1}}
	assert.Is(t, r.ByOperands, byOperands, "by operands")
	assert.True(t, math.Abs(r.Majority-0.5) <= 1e-12, "answer 3 has half the samples, not %v", r.Majority)
	want := (8*1 + 6*2.) / 14
	assert.True(t, math.Abs(r.Loss-want) <= 1e-12, "loss %v, %v wanted", r.Loss, want)
	assert.Is(t, f.batches, []int{4, 2}, "batches")
	assert.Is(t, f.limits, []int{3}, "limits") // an output longer than the longest target must show
	assert.Is(t, f.decoded, 4, "the answer is first, only the first batch is decoded: prompts")
}

// TestEvaluateDecodes: an answer behind an error is decoded, and nothing else but the first samples, whose hits must
// say what decoding says unless two tokens are as probable.
func TestEvaluateDecodes(t *testing.T) {
	task := assert.Must(tasks.New("arithmetic", tasks.Options{Format: "copy"}))(t)
	var samples []tasks.Sample
	f := &fake{outputs: map[string][]int32{}}
	for i := range 4 * decodedAnyway {
		var s tasks.Sample
		task.Sample(&s, tasks.Draw{Seed: 1}, uint64(i))
		s.Prompt = []int32{int32(i), int32(i >> 8)}
		out := slices.Clone(s.Target)
		switch i % 4 {
		case 1: // an error in the copy; the answer is right all the same
			out[0] ^= 1
		case 2: // the answer is wrong
			out[s.AnswerAt] = (out[s.AnswerAt] + 1) % tasks.Modulus
		}
		f.outputs[key(s.Prompt)] = out
		samples = append(samples, s)
	}
	f.losses = []float32{1, 1, 1, 1}
	r := assert.Must(Evaluate(f, task, samples, decodedAnyway, nil))(t)
	const n = 4 * decodedAnyway
	assert.True(t, r.Exact == n/2 && r.Answer == 3*n/4,
		"%d exact and %d answers of %d, want half and three quarters", r.Exact, r.Answer, n)
	assert.Is(t, f.decoded, decodedAnyway+3*decodedAnyway/4, "decoded")
	f.lying = true
	f.losses = []float32{1}
	_, err := Evaluate(f, task, samples[:4], 4, nil)
	assert.OneLine(t, "hits that are wrong", err, "sample 3")
	f.outputs[key(samples[3].Prompt)] = append(slices.Clone(samples[3].Target[:len(samples[3].Target)-1]), 1)
	f.losses, f.even = []float32{1}, true
	_, err = Evaluate(f, task, samples[:4], 4, nil)
	assert.True(t, err == nil, "two tokens are as probable: %v", err)
}

func TestEvaluateClasses(t *testing.T) {
	task := assert.Must(tasks.New("parity", tasks.Options{}))(t)
	f := &fake{losses: []float32{1, 4}, labels: map[string]int32{}}
	var samples []tasks.Sample
	for i := range 5 {
		s := tasks.Sample{Prompt: []int32{tasks.SOS, int32(i)}, Label: int32(i % 2), AnswerAt: -1, Length: i + 1}
		f.labels[key(s.Prompt)] = int32(toInt(i > 1)) // right at 0 and 3
		samples = append(samples, s)
	}
	r := assert.Must(Evaluate(f, task, samples, 3, nil))(t)
	want := metric.Tally{Count: 5, Exact: 2, Answer: 2}
	assert.True(t, r.Tally == want && r.Computed == want, "%+v and %+v, %+v wanted", r.Tally, r.Computed, want)
	assert.Is(t, r.ByLength, map[int]metric.Tally{
		1: {Count: 1, Exact: 1, Answer: 1}, 2: {Count: 1}, 4: {Count: 2, Exact: 1, Answer: 1}, 8: {Count: 1},
	}, "by length")
	assert.True(t, math.Abs(r.Loss-(3*1+2*4.)/5) <= 1e-12 && math.Abs(r.Majority-0.6) <= 1e-12,
		"loss %v, 2.2 wanted; majority %v, 0.6 wanted", r.Loss, r.Majority)
	f.losses, f.broken = []float32{1}, errors.New("device lost")
	_, err := Evaluate(f, task, samples, 3, nil)
	assert.True(t, errors.Is(err, f.broken), "a lost device gives the error %v", err)
	r, err = Evaluate(&fake{}, task, nil, 3, nil)
	assert.True(t, err == nil && r.Count == 0 && r.Loss == 0, "no samples: %+v, %v", r, err)
}

// TestScore: the hits of targets of unequal length, one after another.
func TestScore(t *testing.T) {
	samples := []tasks.Sample{
		{Target: []int32{1, 2, 4}, AnswerAt: 1, Label: -1}, {Target: []int32{3}, AnswerAt: 0, Label: -1},
		{Target: []int32{0, 4}, AnswerAt: 0, Label: -1}, {Label: 2, AnswerAt: -1},
	}
	hits := []float32{1, 1, 1, 1, 0, 1, 1} // wrong once: the answer of sample 2
	want := [][2]bool{{true, true}, {true, true}, {false, false}, {true, true}}
	calls := 0
	scores(samples, hits, func(i int, x score) {
		assert.True(t, i == calls && [2]bool{x.exact, x.answer} == want[i] && !x.doubtful,
			"sample %d: %+v; %v wanted", i, x, want[i])
		calls++
	})
	hits[0] = 0 // sample 0 is wrong before its answer
	scores(samples[:1], hits, func(_ int, x score) {
		assert.True(t, !x.exact && x.answer && x.doubtful, "%+v", x)
	})
	assert.True(t, calls == len(samples), "%d of %d samples scored", calls, len(samples))
}

func TestDraw(t *testing.T) {
	task := assert.Must(tasks.New("parity", tasks.Options{}))(t)
	d := tasks.Draw{Seed: 3, Role: tasks.Test}
	all := Draw(task, d, 10, 6)
	assert.True(t, len(all) == 6 && reflect.DeepEqual(all[4:], Draw(task, d, 14, 2)) &&
		!reflect.DeepEqual(all[0], all[1]), "%+v", all)
}
