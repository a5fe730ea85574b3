package train

import (
	"errors"
	"math"
	"slices"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// laughing is a task whose every fourth sample, beginning with number 2, is a text that own data may have.
type laughing struct {
	tasks.Task
	text []int32
}

func (l laughing) MaxPrompt() int { return 1 + len(l.text) }

func (l laughing) Sample(s *tasks.Sample, d tasks.Draw, index uint64) {
	l.Task.Sample(s, d, index)
	if index%4 == 2 {
		s.Prompt = append(s.Prompt[:1], l.text...)
	}
}

// Place tells of each sample that it stands in a line of its own.
func (l laughing) Place(_ tasks.Draw, index uint64) (string, int, error) {
	return "laughs.jsonl", int(index) + 1, nil
}

// laughs is a run of such a task with a preset at its own size, four samples a step.
func laughs(t *testing.T, model string, seed uint64, text []int32) (Run, sequence.Network) {
	t.Helper()
	name := "mod3"
	if p, err := zoo.Preset(model); err == nil && p.Traits().Reach > 0 { // a memory is of no use for labels
		name = "arithmetic"
	}
	k := assert.Must(tasks.New(name, tasks.Options{}))(t)
	r := assert.Must(Recommended(laughing{k, text}, model))(t)
	x := &r.Training
	x.Seed, x.Batch, x.Steps, x.EvalEvery, x.EvalSamples, x.TestSamples = seed, 4, 3, 0, 1, 0
	assert.Must(r.Fit())(t)
	return r, network(t, r)
}

// TestBounded: every preset with the time loop of SPEC §2, whose gradient can grow without end, has a bound by
// default.
func TestBounded(t *testing.T) {
	for _, p := range zoo.Presets() {
		loops := p.New().Traits().Units > 0
		for _, task := range tasks.Names() {
			c := assert.Must(Begin(Head{Task: task, Model: p.Name}))(t).Training
			assert.Is(t, c.StateClip > 0, loops, "%s, %s: state_clip %v is a bound", task, p.Name, c.StateClip)
		}
		r, _ := laughs(t, p.Name, 0, []int32{1})
		assert.Is(t, r.Training.StateClip > 0, loops, "a custom task, %s: state_clip is a bound", p.Name)
	}
}

// TestStatesNotFinite: a long repetitive text is trained on with the defaults. Without the bound on the states'
// gradients it ends the run, and the error names the sample, its place, and the bound.
func TestStatesNotFinite(t *testing.T) {
	for model, text := range map[string][]int32{"csp": {3, 1, 4}, "mha-csp-s": {5, 5, 0}} {
		r, n := laughs(t, model, 2, slices.Repeat(text, 500))
		_, err := trainer(t, r, n).Step()
		assert.True(t, err == nil, "%s, with its defaults: %v", model, err)
		r.Training.StateClip = 0
		n.Initialise(r.Training.Seed)
		_, err = trainer(t, r, n).Step()
		bad, ok := errors.AsType[*NotFiniteError](err)
		assert.Need(t, ok && bad.Step == 1 && bad.Cause == States, "%s: %+v, %v", model, bad, err)
		assert.Is(t, bad.Sample, &FailedSample{Index: 2, Tokens: 1501, Path: "laughs.jsonl", Line: 3}, "%s", model)
	}
}

// TestLossNotFinite: where the loss is not finite the error names a sample too, and knows whether it is the only one.
func TestLossNotFinite(t *testing.T) {
	for _, model := range []string{"arformer", "gcn"} { // a row of their embedding touches its own samples alone
		for cause, token := range map[Cause]int32{Gradient: 15, Diverged: tasks.SOS} { // no other sample has 15
			r, n := laughs(t, model, 2, []int32{1, 15, 1})
			x := trainer(t, r, n)
			flat := parameters(t, n)
			rows, width := n.Params().Find(flat, "embedding.weight")
			copy(rows[int(token)*width:], slices.Repeat([]float32{math.MaxFloat32}, width))
			n.Params().Upload(flat)
			_, err := x.Step()
			bad, ok := errors.AsType[*NotFiniteError](err)
			assert.True(t, ok && bad.Cause == cause && bad.Sample != nil &&
				(cause != Gradient || bad.Sample.Line == 3), "%s, %d: %+v, %v", model, cause, bad, err)
		}
	}
}
