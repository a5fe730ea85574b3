package train

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"mhacsp/model/metric"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
)

// fake answers prompts from a table and counts what it is asked.
type fake struct {
	outputs map[string][]int32
	labels  map[string]int32
	losses  []float32 // of the coming Evaluate calls
	batches []int     // sizes of the batches seen
	limits  []int
	broken  error
}

func key(prompt []int32) string {
	var s []byte
	for _, id := range prompt {
		s = append(s, byte(id))
	}
	return string(s)
}

func (f *fake) Gradients(*sequence.Batch) { panic("an evaluation trains") }

func (f *fake) Evaluate(b *sequence.Batch) { f.batches = append(f.batches, len(b.Prompts)) }

func (f *fake) Loss() (float32, error) {
	loss := f.losses[0]
	f.losses = f.losses[1:]
	return loss, f.broken
}

func (f *fake) Generate(prompts [][]int32, limit int, _ bool) ([]sequence.Generation, error) {
	f.limits = append(f.limits, limit)
	var out []sequence.Generation
	for _, p := range prompts {
		x := f.outputs[key(p)]
		out = append(out, sequence.Generation{Tokens: x[:min(len(x), limit)]})
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
	task, err := tasks.New("arithmetic", tasks.Options{Format: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	const end = tasks.EOS
	samples := []tasks.Sample{
		written(0, 1, 3, end), written(1, 2, 3, end), written(2, 2, 4, end),
		written(3, 2, 5, end), written(4, 3, 6, 1, 2, end), written(5, 3, 3, end),
	}
	f := &fake{losses: []float32{1, 2}, outputs: map[string][]int32{}}
	for i, x := range [][]int32{
		{3, end},          // right
		{3, 3, end},       // right answer, one token too many
		{4},               // right answer, no end
		{6, end},          // wrong answer
		{6, 1, 2, end, 0}, // goes on behind the target; a real model cannot
		{tasks.REPEAT},    // no answer
	} {
		f.outputs[key(samples[i].Prompt)] = x
	}
	r, err := Evaluate(f, task, samples, 4)
	if err != nil {
		t.Fatal(err)
	}
	if want := (metric.Tally{Count: 6, Exact: 1, Answer: 4}); r.Tally != want {
		t.Errorf("all: %+v, %+v wanted", r.Tally, want)
	}
	if want := (metric.Tally{Count: 1, Exact: 1, Answer: 1}); r.Trivial != want {
		t.Errorf("trivial: %+v, %+v wanted", r.Trivial, want)
	}
	byOperands := map[int]metric.Tally{
		1: {Count: 1, Exact: 1, Answer: 1}, 2: {Count: 3, Answer: 2}, 3: {Count: 2, Answer: 1},
	}
	if !reflect.DeepEqual(r.ByOperands, byOperands) {
		t.Errorf("by operands: %+v, %+v wanted", r.ByOperands, byOperands)
	}
	if math.Abs(r.Majority-0.5) > 1e-12 {
		t.Errorf("answer 3 has half the samples, not %v", r.Majority)
	}
	if want := (8*1 + 6*2.) / 14; math.Abs(r.Loss-want) > 1e-12 {
		t.Errorf("loss %v, %v wanted", r.Loss, want)
	}
	if !slices.Equal(f.batches, []int{4, 2}) {
		t.Errorf("batches %v", f.batches)
	}
	if !slices.Equal(f.limits, []int{3, 5}) { // an output longer than the longest target must show
		t.Errorf("limits %v", f.limits)
	}
}

func TestEvaluateClasses(t *testing.T) {
	task, err := tasks.New("parity", tasks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{losses: []float32{1, 4}, labels: map[string]int32{}}
	var samples []tasks.Sample
	for i := range 5 {
		s := tasks.Sample{Prompt: []int32{tasks.SOS, int32(i)}, Label: int32(i % 2), AnswerAt: -1, Length: i + 1}
		f.labels[key(s.Prompt)] = int32(toInt(i > 1)) // right at 0 and 3
		samples = append(samples, s)
	}
	r, err := Evaluate(f, task, samples, 3)
	if err != nil {
		t.Fatal(err)
	}
	if want := (metric.Tally{Count: 5, Exact: 2, Answer: 2}); r.Tally != want || r.Computed != want {
		t.Errorf("%+v and %+v, %+v wanted", r.Tally, r.Computed, want)
	}
	byLength := map[int]metric.Tally{
		1: {Count: 1, Exact: 1, Answer: 1}, 2: {Count: 1}, 4: {Count: 2, Exact: 1, Answer: 1}, 8: {Count: 1},
	}
	if !reflect.DeepEqual(r.ByLength, byLength) {
		t.Errorf("by length: %+v, %+v wanted", r.ByLength, byLength)
	}
	if want := (3*1 + 2*4.) / 5; math.Abs(r.Loss-want) > 1e-12 || math.Abs(r.Majority-0.6) > 1e-12 {
		t.Errorf("loss %v, %v wanted; majority %v, 0.6 wanted", r.Loss, want, r.Majority)
	}
	f.losses, f.broken = []float32{1}, errors.New("device lost")
	if _, err := Evaluate(f, task, samples, 3); !errors.Is(err, f.broken) {
		t.Errorf("a lost device gives the error %v", err)
	}
	if r, err := Evaluate(&fake{}, task, nil, 3); err != nil || r.Count != 0 || r.Loss != 0 {
		t.Errorf("no samples: %+v, %v", r, err)
	}
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
	score(samples, hits, func(i int, exact, answer bool) {
		if i != calls || [2]bool{exact, answer} != want[i] {
			t.Errorf("sample %d: exact %v, answer %v; %v wanted", i, exact, answer, want[i])
		}
		calls++
	})
	hits[0] = 0 // sample 0 is wrong before its answer
	score(samples[:1], hits, func(_ int, exact, answer bool) {
		if exact || !answer {
			t.Errorf("exact %v, answer %v", exact, answer)
		}
	})
	if calls != len(samples) {
		t.Errorf("%d of %d samples scored", calls, len(samples))
	}
}

func TestDraw(t *testing.T) {
	task, err := tasks.New("parity", tasks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := tasks.Draw{Seed: 3, Role: tasks.Test}
	if all := Draw(task, d, 10, 6); len(all) != 6 ||
		!reflect.DeepEqual(all[4:], Draw(task, d, 14, 2)) || reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("%+v", all)
	}
}
