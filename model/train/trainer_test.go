package train

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// Step makes one training step and waits for its report. A report that was still due is dropped.
func (t *Trainer) Step() (Step, error) {
	if _, _, err := t.Drain(); err != nil {
		return Step{}, err
	}
	if _, _, err := t.Advance(); err != nil {
		return Step{}, err
	}
	s, _, err := t.Drain()
	return s, err
}

// remembered is arithmetic with the preset that it usually has: its network has a memory, its gradients a bound.
const remembered = "arithmetic, remembered"

// tiny is a run that takes milliseconds, with everything on that has state.
func tiny(t *testing.T, task string) Run {
	t.Helper()
	model := zoo.Labels
	if task == remembered {
		task, model = "arithmetic", zoo.Default
	}
	r := assert.Must(Begin(Head{Task: task, Model: model}))(t)
	own(r).Width, own(r).Heads, own(r).Memory = 8, 2, min(own(r).Memory, 4)
	c := &r.Training
	c.Steps, c.Batch, c.Warmup, c.Seed, c.Curriculum = 14, 16, 3, 9, true
	c.EvalEvery, c.EvalSamples, c.EvalBatch, c.TestSamples, c.CheckpointEvery, c.Patience = 3, 10, 4, 6, 5, 100
	if task == "arithmetic" {
		c.Format = "direct"
	} else {
		c.MaxLength = 12
	}
	assert.Must(r.Fit())(t)
	return r
}

func network(t *testing.T, r Run) sequence.Network {
	t.Helper()
	device := cpu.New()
	t.Cleanup(device.Close)
	m := assert.Must(r.Config.Open(device))(t)
	m.Initialise(r.Training.Seed)
	return m
}

func trainer(t *testing.T, r Run, n Network) *Trainer {
	t.Helper()
	return assert.Must(New(r, n))(t)
}

func parameters(t *testing.T, n Network) []float32 {
	t.Helper()
	return assert.Must(n.Params().Download(n.Params().Values()))(t)
}

func bitsEqual(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func steps(t *testing.T, x *Trainer, n int) (last Step) {
	t.Helper()
	for range n {
		last = assert.Must(x.Step())(t)
	}
	return last
}

// TestStepThreads: the same seed gives the same parameters after ten steps on 1, 2 and 8 threads; another seed others.
func TestStepThreads(t *testing.T) {
	for _, task := range []string{"arithmetic", "parity", remembered} {
		r := tiny(t, task)
		own(r).Width, own(r).Heads, r.Training.Batch = 36, 4, 70
		run := func(threads int, seed uint64) []float32 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			r.Training.Seed = seed
			n := network(t, r)
			start := parameters(t, n)
			steps(t, trainer(t, r, n), 10)
			end := parameters(t, n)
			assert.Need(t, !bitsEqual(start, end), "ten steps changed nothing")
			return end
		}
		want := run(1, 4)
		for _, threads := range []int{1, 2, 8} {
			assert.True(t, bitsEqual(run(threads, 4), want),
				"%s: %d threads give other parameters than one", task, threads)
		}
		assert.True(t, !bitsEqual(run(2, 5), want), "%s: another seed gives the same parameters", task)
	}
}

// TestStepReport holds what a step says of itself.
func TestStepReport(t *testing.T) {
	r := tiny(t, "arithmetic")
	n := network(t, r)
	x := trainer(t, r, n)
	for i := 1; i <= 4; i++ {
		batch := Draw(x.Task, tasks.Draw{Seed: r.Training.Seed, MaxOperands: x.curriculum.limit()},
			uint64((i-1)*r.Training.Batch), r.Training.Batch)
		before := parameters(t, n)
		s := steps(t, x, 1)
		want := 1e-3 * min(1, float64(i)/3)
		assert.True(t, i > 3 || math.Abs(s.LR-want) <= 1e-12, "step %d: rate %v, %v wanted", i, s.LR, want)
		// The loss and the shares are of the parameters before the step.
		again := network(t, r)
		again.Params().Upload(before)
		b := batchOf(batch, float32(r.Training.AnswerWeight))
		logits := assert.Must(again.Logits(b))(t)
		again.Evaluate(b)
		loss := assert.Must(again.Loss())(t)
		var exacts, answers float64
		var hits []float32
		tokens, outputs := 0, r.Config.Shape().Outputs()
		for _, sample := range batch {
			tokens += len(sample.Prompt) + len(sample.Target)
			for _, id := range sample.Target {
				hits = append(hits, float32(toInt(sequence.Argmax(logits[:outputs]) == id)))
				logits = logits[outputs:]
			}
		}
		assert.True(t, s.Step == i && x.Count() == i && s.Tokens == tokens && s.Limit == 2 && s.Seconds > 0,
			"step %d: %+v, %d tokens wanted", i, s, tokens)
		scores(batch, hits, func(_ int, x score) {
			exacts += float64(toInt(x.exact))
			answers += float64(toInt(x.answer))
		})
		assert.True(t, s.Loss == float64(loss) && s.Exact == exacts/16 && s.Answer == answers/16,
			"step %d: loss %v, exact %v, answer %v; wanted %v, %v, %v", i, s.Loss, s.Exact, s.Answer, loss, exacts/16,
			answers/16)
	}
}

// TestLearns: a tiny network learns parity of up to three bits in a few hundred steps, and the curriculum follows.
func TestLearns(t *testing.T) {
	r := tiny(t, "parity")
	r.Training.MaxLength, r.Training.Batch, r.Training.Steps = 3, 32, 400
	r.Training.LR, r.Training.Schedule, r.Training.Warmup = 1e-2, "constant", 10
	r.Training.Patience, r.Training.EvalEvery, r.Training.EvalSamples, r.Training.TestSamples = 0, 0, 64, 64
	x := trainer(t, r, network(t, r))
	var test Evaluation
	assert.NoError(t, x.Continue(context.Background(), func(e Event) {
		if v, ok := e.(Evaluation); ok {
			test = v
		}
	}, nil))
	assert.True(t, test.Role == "test" && test.Report.Count == 64 && test.Report.ExactRate() >= 0.95,
		"%s: %d of %d right", test.Role, test.Report.Exact, test.Report.Count)
	assert.True(t, x.curriculum.state.Over, "the curriculum stands at %+v", x.curriculum.state)
}

// TestContinue holds the order of events and checkpoints of a run without early stopping.
func TestContinue(t *testing.T) {
	r := tiny(t, "parity")
	r.Training.Patience = 0
	x := trainer(t, r, network(t, r))
	var log []any
	saves := 0
	err := x.Continue(context.Background(), func(e Event) {
		switch e := e.(type) {
		case Evaluation:
			log = append(log, [2]any{e.Role, e.Step})
		case Done:
			log = append(log, e)
		case Step:
			if e.Step == 1 || e.Step == r.Training.Steps {
				log = append(log, e.Step)
			}
		}
	}, func() error {
		saves++
		log = append(log, [2]any{"save", x.Count()})
		return nil
	})
	assert.NoError(t, err)
	assert.Is(t, log, []any{
		1, [2]any{"validation", 3}, [2]any{"save", 5}, [2]any{"validation", 6},
		[2]any{"validation", 9}, [2]any{"save", 10}, [2]any{"validation", 12},
		14, [2]any{"validation", 14}, [2]any{"test", 14}, [2]any{"save", 14}, Done{Step: 14, Reason: "finished"},
	}, "events")
	full := errors.New("disk full")
	x = trainer(t, r, network(t, r))
	err = x.Continue(context.Background(), func(Event) {}, func() error { return full })
	assert.True(t, errors.Is(err, full) && x.Count() == 5, "a failed checkpoint: %v at step %d", err, x.Count())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x = trainer(t, r, network(t, r))
	saves, log = 0, nil
	err = x.Continue(ctx, func(e Event) { log = append(log, e) }, func() error { saves++; return nil })
	assert.True(t, err == nil && saves == 1 && slices.Equal(log, []any{Done{Reason: "interrupted"}}),
		"interrupted at once: %v, %d checkpoints, events %v", err, saves, log)
}

// told is a network whose validation losses are given.
type told struct {
	sequence.Network
	losses     []float32
	evaluating bool
}

func (n *told) Gradients(b *sequence.Batch) {
	n.evaluating = false
	n.Network.Gradients(b)
}

func (n *told) Evaluate(b *sequence.Batch) {
	n.evaluating = true
	n.Network.Evaluate(b)
}

func (n *told) Hits(hits []float32) (float32, error) {
	loss, err := n.Network.Hits(hits)
	if n.evaluating {
		loss, n.losses = n.losses[0], n.losses[1:]
	}
	return loss, err
}

// TestEarlyStopping: the run ends when patience validations in a row were no better than the best, and gives the
// parameters of the best one.
func TestEarlyStopping(t *testing.T) {
	for _, x := range []struct {
		losses   []float32
		patience int
		best     int // step
		end      int
		reason   string
	}{
		{[]float32{3, 2, 2.5, 2, 9}, 2, 4, 8, "stopped early"}, // equal is not better
		{[]float32{3, 2, 2.5, 1, 2, 3, 9}, 2, 8, 12, "stopped early"},
		{[]float32{3, 4, 4, 4, 4, 4, 2}, 6, 14, 14, "finished"}, // the last validation counts
		{[]float32{3, 4, 4, 4, 4, 4, 4, 9}, 7, 2, 14, "finished"},
		{[]float32{float32(math.NaN()), 4, float32(math.NaN()), 5, 5}, 2, 4, 8, "stopped early"},
	} {
		r := tiny(t, "parity")
		r.Training.Patience, r.Training.EvalEvery, r.Training.EvalBatch, r.Training.TestSamples = x.patience, 2, 10, 0
		n := &told{Network: network(t, r), losses: x.losses}
		tr := trainer(t, r, n)
		at := map[int][]float32{}
		var done Done
		saved := false
		assert.NoError(t, tr.Continue(context.Background(), func(e Event) {
			switch e := e.(type) {
			case Evaluation:
				at[e.Step] = parameters(t, n)
			case Done:
				done = e
			}
		}, func() error {
			if tr.Count() == x.end {
				saved = bitsEqual(parameters(t, n), at[x.best])
			}
			return nil
		}))
		assert.Is(t, done, Done{Step: x.end, Reason: x.reason}, "losses %v", x.losses)
		assert.True(t, bitsEqual(parameters(t, n), at[x.best]) && saved,
			"losses %v: the parameters (saved: %v) are not those of step %d", x.losses, saved, x.best)
		assert.True(t, x.best == x.end || !bitsEqual(at[x.best], at[x.end]),
			"losses %v: steps %d and %d have the same parameters: the test does not test", x.losses, x.best, x.end)
	}
}

// TestNotFinite: a run that leaves the numbers stops with the step and the tensor
// named and the parameters as they were.
func TestNotFinite(t *testing.T) {
	for _, x := range []struct {
		tensor string
		value  float64
		want   string
	}{
		{"blocks.0.theta_h.weight", math.NaN(), "parameter blocks.0.theta_h.weight"},
		{"head.bias", math.Inf(1), "parameter head.bias"},
		{"embedding.weight", math.NaN(), "parameter embedding.weight"},
	} {
		r := tiny(t, "parity")
		n := network(t, r)
		tr := trainer(t, r, n)
		steps(t, tr, 3)
		flat := parameters(t, n)
		tensor, _ := n.Params().Find(flat, x.tensor)
		tensor[0] = float32(x.value)
		n.Params().Upload(flat)
		good := *tr.curriculum
		good.take(tr.waiting) // the results of step 3
		_, err := tr.Step()
		bad, ok := errors.AsType[*NotFiniteError](err)
		assert.Need(t, ok && bad.Step == 4 && bad.Tensor == x.want, "%s is %v: error %v", x.tensor, x.value, err)
		assert.True(t, bitsEqual(flat, parameters(t, n)),
			"%s is %v: the step changed the parameters", x.tensor, x.value)
		assert.True(t, tr.Count() == 3 && tr.curriculum.state == good.state,
			"%s is %v: the failed step counts: %d, %+v", x.tensor, x.value, tr.Count(), tr.curriculum.state)
		// Continue must hand the error on and leave the last good checkpoint alone.
		err = tr.Continue(context.Background(), func(Event) {}, func() error {
			t.Error("a checkpoint was written")
			return nil
		})
		assert.True(t, errors.As(err, &bad), "Continue: %v", err)
	}
}

// TestNotFiniteBehind: when the results of a bad step come, the next is under way; it must have changed
// nothing, however good it is, and the run is over.
func TestNotFiniteBehind(t *testing.T) {
	r := tiny(t, "parity")
	n := network(t, r)
	tr := trainer(t, r, n)
	for range 3 {
		_, _, err := tr.Advance()
		assert.NoError(t, err)
	}
	good := parameters(t, n)
	n.Params().Upload(slices.Repeat([]float32{float32(math.NaN())}, len(good)))
	s, ok, err := tr.Advance() // step 4 is bad, which nobody knows yet
	assert.Need(t, err == nil && ok && s.Step == 3, "step %d, %v: %v", s.Step, ok, err)
	n.Params().Upload(good)
	_, ok, err = tr.Advance()
	var lost *NotFiniteError
	assert.True(t, errors.As(err, &lost) && lost.Step == 4 && !ok && tr.Count() == 3,
		"after a bad step 4: %v, reported %v, %d steps count", err, ok, tr.Count())
	assert.True(t, bitsEqual(good, parameters(t, n)), "the step behind the bad one changed the parameters")
	_, _, again := tr.Advance()
	assert.True(t, again == err, "the next step: %v", again)
	_, _, again = tr.Drain()
	assert.True(t, again == err, "the end: %v", again)
}

// TestAdvance: a run that fetches each step's results behind the next step is the run that waits for each, bit
// for bit, reports and curriculum included.
func TestAdvance(t *testing.T) {
	r := tiny(t, "parity")
	r.Training.MaxLength, r.Training.LR, r.Training.Batch = 64, 1e-2, 32
	const many = 80
	var waited, behind []Step
	a, b := trainer(t, r, network(t, r)), trainer(t, r, network(t, r))
	limits := map[int]bool{}
	a.curriculum.state.Limit, b.curriculum.state.Limit = 20, 20 // which fails after 60 steps
	for range many {
		s := steps(t, a, 1)
		limits[s.Limit] = true
		waited = append(waited, s)
	}
	take := func(s Step, ok bool, err error) {
		assert.NoError(t, err)
		if ok {
			behind = append(behind, s)
		}
	}
	for i := range many {
		take(b.Advance())
		if i%7 == 3 { // as before a checkpoint
			take(b.Drain())
		}
	}
	take(b.Drain())
	for _, list := range [][]Step{waited, behind} {
		for i := range list {
			assert.True(t, list[i].Seconds > 0, "step %d took %v s", i+1, list[i].Seconds)
			list[i].Seconds = 0
		}
	}
	assert.True(t, slices.Equal(waited, behind), "reports\n%v\nof the run that waits\n%v", behind, waited)
	assert.True(t, bitsEqual(parameters(t, a.Network), parameters(t, b.Network)) &&
		a.curriculum.state == b.curriculum.state && a.waiting == b.waiting, "the runs end apart")
	assert.True(t, len(limits) >= 2, "the limit never moved (%v): the test does not test", limits)
}

// TestNewErrors: a run that does not fit its network or task is refused before the first step.
func TestNewErrors(t *testing.T) {
	r := tiny(t, "parity")
	n := network(t, r)
	bad := r
	bad.Training.Batch = 0
	sequencetest.Unfit(t, "batch 0", errOf(New(bad, n)), "batch", 0)
	bad = r
	bad.Training.Task = "sums"
	sequencetest.Unfit(t, "unknown task", errOf(New(bad, n)), "task", "sums")
	bad = tiny(t, "arithmetic")
	own(bad).Classes = 2
	_, err := New(bad, n)
	assert.OneLine(t, "sequences for a classifier", err, "does not fit", `"labels"`)
	assert.True(t, !strings.Contains(err.Error(), "panic"), "%v", err)
	bad = assert.Must(Begin(Head{Task: "parity", Model: "arformer"}))(t)
	bad.Training.MaxLength = 256
	assert.Must(bad.Fit())(t)
	assert.OneLine(t, "strings longer than learned positions", errOf(New(bad, n)), "257 tokens", "positions for 256",
		"context 257")
	bad.Training.MaxLength = 255
	assert.Must(New(bad, network(t, bad)))(t)
}

// TestWarnings: a run whose prompts are longer than the memory's period begins with a warning that names both.
func TestWarnings(t *testing.T) {
	for period, warned := range map[int]bool{96: false, 85: false, 84: true} {
		r := assert.Must(Begin(Head{Task: "arithmetic", Model: "mha-csp-m"}))(t)
		own(r).MemoryPeriod = period
		list := trainer(t, r, network(t, r)).Warnings()
		assert.True(t, (len(list) == 1) == warned && (!warned || strings.Contains(list[0].Error(), "85")),
			"period %d: warnings %q", period, list)
	}
	r := tiny(t, "arithmetic")
	assert.Is(t, trainer(t, r, network(t, r)).Warnings(), nil, "without a memory")
}
