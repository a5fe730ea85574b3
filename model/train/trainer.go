package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/optim"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Network is a Model with its parameters and device.
type Network interface {
	Model
	Params() *param.Set
	Backend() backend.Base
	Results() backend.Vec // what Gradients leaves on the device: package model tells where
}

// Trainer trains one network. Its whole state is the parameters, the optimizer's moments, a step count, the
// curriculum's and early stopping's few numbers, and the last step's results while the curriculum has not taken them:
// sample i of the run is a pure function of the seed and i.
//
// The device is never waited for between two steps: the results of step k are fetched while step k+1 runs, and the
// curriculum takes them after step k+1 is enqueued and before step k+2 is drawn, on every backend, so that nothing
// depends on when they came.
type Trainer struct {
	Run     Run
	Task    tasks.Task
	Network Network
	Before  int // training steps behind the parameters that the run began with; 0 where it drew them

	// Yield, where set, is called between the batches of an evaluation; its error ends the evaluation and is returned.
	Yield func() error

	// Between, where set, is called by Continue after each step, what was due after it
	// included; it may Settle. Its error ends the run.
	Between func() error

	// Halt, where set, is the device that the network computes on: Continue then ends in
	// the middle of a step or an evaluation. What was given up is made again by a resumed run.
	Halt *Halt

	// Spread, where set, computes what the Network's Gradients would, by other means, and returns what Results
	// would. It may round differently, but always in the same way.
	Spread func(*sequence.Batch) backend.Vec

	// Observer, where set, is told of each step that begins from then on.
	Observer StepObserver

	pending string // what is due at this step and not done yet: pendingValidation or pendingTest

	adam       *optim.Adam
	schedule   optim.Schedule
	curriculum *curriculum
	step       int
	early      earlyState
	best       []float32 // parameters of the best validation, kept with patience only

	slots   [2]slot // a step has the slot of its number modulo 2
	fetched int     // the last step whose results are here
	waiting tally   // of step fetched, until the curriculum takes it
	last    time.Time
	failed  error // the run cannot go on
}

// What a run may be stopped in, to be done first when it goes on.
const (
	pendingValidation = "validation" // after a step
	pendingTest       = "test"       // the run's last validation is done, and the best parameters are taken
)

// slot is a step that is under way.
type slot struct {
	begin    time.Time
	report   Step
	samples  []tasks.Sample
	batch    sequence.Batch
	fetch    backend.Fetch
	numbers  []float32
	observer StepObserver // told when it began
	cold     bool         // nothing was under way then
}

// earlyState is what a checkpoint keeps of early stopping.
type earlyState struct {
	Best  float64 `json:"best"` // lowest validation loss
	Step  int     `json:"step"` // where it was
	Since int     `json:"since"`
}

// New prepares a run from step 0. The network's parameters are taken as they are; one whose parameters nobody set,
// by Initialise or from a checkpoint, is refused: from zeros it would learn nothing.
func New(r Run, n Network) (*Trainer, error) {
	task, err := r.task()
	if err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	shape := r.Config.Shape()
	if err := shape.Fits(shape.Stream(task.MaxPrompt(), task.MaxTarget())); err != nil {
		return nil, err
	}
	if !n.Params().Filled() {
		return nil, errors.New("the network's parameters were never initialised; " +
			"call Initialise, or load a checkpoint")
	}
	t := &Trainer{
		Run: r, Task: task, Network: n, early: earlyState{Best: math.MaxFloat64},
		adam:     optim.NewAdam(r.Training.optimizer(), n.Backend(), n.Params()),
		schedule: r.Training.schedule(), curriculum: newCurriculum(task, r.Training.Curriculum),
	}
	for i := range t.slots {
		t.slots[i].samples, t.slots[i].fetch = make([]tasks.Sample, r.Training.Batch), n.Backend().NewFetch()
	}
	first, err := t.draw(tasks.Train, 0, 1)
	if err != nil {
		return nil, err
	}
	if err := batchOf(first, 0).Validate(shape, 0); err != nil { // before the model panics on it
		return nil, fmt.Errorf("data does not fit the model: %w", err)
	}
	return t, nil
}

// draw returns the samples from one number to another of a role without the curriculum's limit.
func (t *Trainer) draw(role tasks.Role, from, to int) ([]tasks.Sample, error) {
	d := tasks.Draw{Seed: t.Run.Training.Seed, Role: role, IID: t.Run.Training.Split == "iid"}
	return Draw(t.Task, d, uint64(from), to-from), Drawn(t.Task)
}

// Count is the number of steps made.
func (t *Trainer) Count() int { return t.step }

// next draws the batch of the coming step.
func (t *Trainer) next(s *slot) {
	c := t.Run.Training
	d := tasks.Draw{Seed: c.Seed, Role: tasks.Train, IID: c.Split == "iid"}
	t.curriculum.apply(&d)
	s.report = Step{Step: t.step + 1, LR: t.schedule.At(t.step + 1), Limit: t.curriculum.limit()}
	lengths := t.Task.Curriculum()
	for i := range s.samples {
		x := &s.samples[i]
		d.MinOperands = long(c.LongShare, i, lengths)
		t.Task.Sample(x, d, uint64(t.step)*uint64(c.Batch)+uint64(i))
		s.report.Tokens += len(x.Prompt) + len(x.Target)
	}
	s.batch.AnswerWeight, s.batch.StateClip = float32(c.AnswerWeight), float32(c.StateClip)
	fillBatch(&s.batch, s.samples)
}

// long is the fewest numbers of sample i of a step, of which a share is long, spread evenly; the long ones go from
// Long to Longest in turn (SPEC §8).
func long(share float64, i int, c tasks.Curriculum) int {
	before := math.Floor(float64(i) * share)
	if math.Floor(float64(i+1)*share) == before {
		return 0
	}
	return c.Long + int(before)%(c.Longest-c.Long+1)
}

// Advance enqueues one training step and returns the report of the step before it, unless that was had already. An
// error is of the step before too; Count then says how far the run is good.
func (t *Trainer) Advance() (report Step, ok bool, err error) {
	if t.failed != nil {
		return Step{}, false, t.failed
	}
	s := &t.slots[(t.step+1)%2]
	s.begin = backend.Now()
	t.next(s)
	if err := Drawn(t.Task); err != nil {
		return Step{}, false, err
	}
	s.observer, s.cold = t.Observer, t.fetched == t.step
	if s.observer != nil {
		s.observer.Begin()
	}
	results := t.gradients(&s.batch)
	for s.observer != nil && s.observer.Again(t.Network.Params().Grads()) {
		results = t.gradients(&s.batch)
	}
	t.adam.Step(s.report.LR, results.Slice(sequence.ResultLoss, 1), results.Slice(sequence.ResultNorm2, 1))
	s.fetch.Start(results)
	s.numbers = slices.Grow(s.numbers[:0], results.Len)[:results.Len]
	t.step++
	t.pending = ""
	if t.step >= t.Run.Training.Steps {
		t.pending = pendingValidation // Finish is still to come
	}
	if t.fetched < t.step-1 {
		if report, err = t.collect(t.step - 1); err != nil {
			return report, false, err
		}
		ok = true
	}
	t.curriculum.take(t.waiting)
	t.waiting = tally{}
	return report, ok, nil
}

// gradients computes a batch's and returns the results of the step.
func (t *Trainer) gradients(b *sequence.Batch) backend.Vec {
	t.Network.Backend().Zero(t.Network.Params().Grads())
	if t.Spread != nil {
		return t.Spread(b)
	}
	t.Network.Gradients(b)
	return t.Network.Results()
}

// Drain waits for the step that is under way, if there is one, and returns its report.
func (t *Trainer) Drain() (report Step, ok bool, err error) {
	if t.failed != nil || t.fetched == t.step {
		return Step{}, false, t.failed
	}
	report, err = t.collect(t.step)
	return report, err == nil, err
}

// collect waits for the results of a step.
func (t *Trainer) collect(step int) (Step, error) {
	x := &t.slots[step%2]
	s := &x.report
	err := x.fetch.Wait(x.numbers)
	if err == nil {
		s.Loss, s.Norm = float64(x.numbers[sequence.ResultLoss]), math.Sqrt(float64(x.numbers[sequence.ResultNorm2]))
		if !finite(s.Loss) || !finite(s.Norm) {
			err = t.Halt.whole(func() error { return t.diagnose(x) })
		}
	}
	if err != nil {
		// The step behind this one changed nothing: after a bad step the optimizer leaves all as it is.
		t.step, t.failed, t.pending = step-1, err, ""
		return *s, err
	}
	w := tally{Limit: s.Limit}
	var exacts, answers int
	scores(x.samples, x.numbers[sequence.ResultHits:], func(i int, sample score) {
		exacts += toInt(sample.exact)
		answers += toInt(sample.answer)
		if x := &x.samples[i]; t.curriculum.at(s.Limit, x) && !(x.Trivial && x.Label < 0) {
			w.Count++
			w.Hits += toInt(sample.answer)
		}
	})
	s.Exact, s.Answer = float64(exacts)/float64(len(x.samples)), float64(answers)/float64(len(x.samples))
	now := backend.Now()
	if t.last.Before(x.begin) {
		t.last = x.begin
	}
	s.Seconds = now.Sub(t.last).Seconds()
	t.last, t.fetched, t.waiting = now, step, w
	x.ends()
	return *s, nil
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Evaluate reports on a role's first n samples.
func (t *Trainer) Evaluate(role tasks.Role, n int) (Evaluation, error) {
	begin := backend.Now()
	r, err := evaluate(t.Network, t.Task, n, t.Run.Training.EvalBatch, t.Yield,
		func(from, to int) ([]tasks.Sample, error) { return t.draw(role, from, to) })
	return Evaluation{Step: t.step, Role: role.String(), Seconds: backend.Now().Sub(begin).Seconds(), Report: r}, err
}

// Continue runs to the run's own end, or until ctx is done: then it gives up an evaluation between two batches, and
// where there is a Halt that was asked, anything. It emits every event, in the order of the steps; a step's comes when
// the next step is under way. save, where given, is called whenever a checkpoint is due, at the end and on
// interruption.
func (t *Trainer) Continue(ctx context.Context, emit func(Event), save func() error) error {
	if save == nil {
		save = func() error { return nil }
	}
	for _, err := range t.Warnings() {
		emit(Warning{Step: t.step, Text: err.Error(), Err: err})
	}
	yield := t.Yield
	t.Yield = func() error {
		if ctx.Err() != nil {
			return errHalted
		}
		if yield == nil {
			return nil
		}
		return t.Halt.whole(yield)
	}
	defer func() { t.Yield = yield }()
	type place struct {
		step    int
		pending string
	}
	saved := place{step: -1}
	var reason string
	err := t.Halt.guard(func() (err error) {
		reason, err = t.course(ctx, emit, func() error {
			saved = place{t.step, t.pending}
			return save()
		})
		return err
	})
	if err != nil && err != errHalted {
		return err
	}
	if err := t.Settle(emit); err != nil {
		return err
	}
	if err == nil || saved != (place{t.step, t.pending}) { // a large checkpoint takes a while
		if err := save(); err != nil {
			return err
		}
	}
	emit(Done{Step: t.step, Reason: cmp.Or(reason, "interrupted")})
	return nil
}

// course is the run from here to its end, or to errHalted.
func (t *Trainer) course(ctx context.Context, emit func(Event), save func() error) (reason string, err error) {
	if t.pending == pendingValidation && !t.exhausted() {
		if err := t.Due(emit, save); err != nil {
			return "", err
		}
	}
	for !t.Over() {
		if ctx.Err() != nil {
			return "", errHalted
		}
		if err := pass(emit)(t.Advance()); err != nil {
			return "", err
		}
		if err := t.Due(emit, save); err != nil {
			return "", err
		}
		if t.Between != nil {
			if err := t.Halt.whole(t.Between); err != nil {
				return "", err
			}
		}
	}
	if err := t.Settle(emit); err != nil {
		return "", err
	}
	return t.Finish(emit)
}

// Warnings are what the user should know of the run before it is trained.
func (t *Trainer) Warnings() (list []error) {
	traits, longest := t.Run.Config.Traits(), t.Task.MaxPrompt()
	if traits.Outgrows(longest) {
		list = append(list, strict.Unfit("memory_period", traits.Reach,
			", and a prompt may have up to %d tokens: of one "+
				"longer than the period the memory cannot tell the positions apart; choose %[1]d", longest))
	}
	if c := t.Run.Training; c.Warmup > c.Steps {
		list = append(list, strict.Unfit("warmup", c.Warmup,
			", and the run ends at step %d: the learning rate never comes to its peak; choose less", c.Steps))
	}
	if c := t.Run.Training; c.StateClip > 0 && traits.Units == 0 {
		list = append(list, strict.Unfit("state_clip", c.StateClip,
			", and %s has no state that it bounds: it does nothing", t.Run.Config.Name()))
	}
	return list
}

// TookBest reports whether the run was stopped in its test, or behind it, with the parameters of its best validation,
// which the optimizer's moments do not belong to: no further step can be made from there.
func (t *Trainer) TookBest() bool { return t.pending == pendingTest && t.best != nil }

// Over reports whether the run has come to its own end, by its steps or by early stopping.
func (t *Trainer) Over() bool { return t.step >= t.Run.Training.Steps || t.exhausted() }

// Finished reports whether the run is over and nothing of its end is known to be left: it was not stopped in its last
// validation, nor in its test. Where it went back to its best parameters the latter cannot be told.
func (t *Trainer) Finished() bool {
	return t.Over() && t.pending != pendingValidation && (t.pending != pendingTest || t.best != nil)
}

// pass emits a step's report, if there is one.
func pass(emit func(Event)) func(Step, bool, error) error {
	return func(s Step, ok bool, err error) error {
		if ok {
			emit(s)
		}
		return err
	}
}

// Settle waits for the step that is under way and emits its report: the network may then be asked.
func (t *Trainer) Settle(emit func(Event)) error { return pass(emit)(t.Drain()) }

// Due does what the run does after the step just made, unless it was the last: validation, and save, where given, for
// a checkpoint. Before either it waits for the step's report and emits it.
func (t *Trainer) Due(emit func(Event), save func() error) error {
	c := t.Run.Training
	if t.step >= c.Steps {
		return nil
	}
	validation := c.EvalEvery > 0 && t.step%c.EvalEvery == 0
	checkpoint := save != nil && t.step%c.CheckpointEvery == 0
	if validation || checkpoint {
		if err := t.Settle(emit); err != nil {
			return err
		}
	}
	if validation {
		t.pending = pendingValidation
		if err := t.validate(emit); err != nil {
			return err
		}
		if !t.exhausted() { // else Finish is still to come
			t.pending = ""
		}
	}
	if checkpoint {
		return save()
	}
	return nil
}

// Finish does what the run does at its own end: the last validation, back to the best parameters, the test. Where it
// is given up, a second call does what is left.
func (t *Trainer) Finish(emit func(Event)) (reason string, err error) {
	reason = "finished"
	if t.step < t.Run.Training.Steps {
		reason = "stopped early"
	}
	if t.pending != pendingTest {
		if !t.exhausted() {
			t.pending = pendingValidation
			if err := t.validate(emit); err != nil {
				return "", err
			}
		}
		if t.best != nil {
			t.Network.Params().Upload(t.best)
		}
		if text := t.curriculum.unfinished(); text != "" {
			emit(Warning{Step: t.step, Text: text, Err: errors.New(text)})
		}
		t.pending = pendingTest
	}
	if n := t.Run.Training.TestSamples; n > 0 {
		e, err := t.Evaluate(tasks.Test, n)
		if err != nil {
			return "", err
		}
		emit(e)
	}
	if t.best == nil { // else the last checkpoint has to tell which parameters it holds: see TookBest
		t.pending = ""
	}
	return reason, nil
}

// again are the roles of evaluations and the texts of warnings that the run logs again at the present step when it
// goes on, though they may be there: what it was stopped in, and at its end all that Finish does.
func (t *Trainer) again() (logged []string) {
	validation, test := tasks.Validation.String(), tasks.Test.String()
	switch {
	case t.pending == pendingTest:
		return []string{test}
	case t.pending == pendingValidation && !t.Over():
		return []string{validation}
	case t.exhausted():
		logged = []string{test}
	case t.Over():
		logged = []string{validation, test}
	default:
		return nil
	}
	if text := t.curriculum.unfinished(); text != "" {
		logged = append(logged, text)
	}
	return logged
}

func (t *Trainer) exhausted() bool {
	p := t.Run.Training.Patience
	return p > 0 && t.early.Since >= p
}

// validate evaluates and keeps the account of early stopping.
func (t *Trainer) validate(emit func(Event)) error {
	e, err := t.Evaluate(tasks.Validation, t.Run.Training.EvalSamples)
	if err != nil {
		return err
	}
	emit(e)
	if t.Run.Training.Patience == 0 {
		return nil
	}
	if e.Report.Loss < t.early.Best {
		t.early = earlyState{Best: e.Report.Loss, Step: t.step}
		params := t.Network.Params()
		t.best, err = params.Download(params.Values())
		return err
	}
	t.early.Since++
	return nil
}
