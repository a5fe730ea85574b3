package train

import (
	"context"
	"fmt"
	"math"
	"time"

	"mhacsp/model"
	"mhacsp/model/backend"
	"mhacsp/model/optim"
	"mhacsp/model/param"
	"mhacsp/tasks"
)

// Network is a Model with its parameters and device.
type Network interface {
	Model
	Params() *param.Set
	Backend() backend.Backend
	LossOnDevice() backend.Vec // what Loss reads back
}

// Trainer trains one network. Its whole state is the parameters, the optimizer's moments, a step count and the
// curriculum's and early stopping's few numbers: sample i of the run is a pure function of the seed and i.
type Trainer struct {
	Run     Run
	Task    tasks.Task
	Network Network

	// Yield, where set, is called between the batches of an evaluation; its error ends the evaluation and is returned.
	Yield func() error

	adam       *optim.Adam
	schedule   optim.Schedule
	curriculum *curriculum
	step       int
	early      earlyState
	best       []float32 // parameters of the best validation, kept with patience only

	samples []tasks.Sample
	batch   model.Batch
	logits  []float32
}

// earlyState is what a checkpoint keeps of early stopping.
type earlyState struct {
	Best  float64 `json:"best"` // lowest validation loss
	Step  int     `json:"step"` // where it was
	Since int     `json:"since"`
}

// New prepares a run from step 0. The network's parameters are taken as they are.
func New(r Run, n Network) (*Trainer, error) {
	task, err := tasks.New(r.Training.Task, r.Training.Options)
	if err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	t := &Trainer{
		Run: r, Task: task, Network: n,
		adam:       optim.NewAdam(r.Training.optimizer(), n.Backend(), n.Params()),
		schedule:   r.Training.schedule(),
		curriculum: newCurriculum(task, r.Training.Curriculum),
		samples:    make([]tasks.Sample, r.Training.Batch),
		early:      earlyState{Best: math.MaxFloat64},
	}
	return t, check(r.Config, batchOf(t.draw(tasks.Train, 1), 0))
}

// draw returns the first n samples of a role without the curriculum's limit.
func (t *Trainer) draw(role tasks.Role, n int) []tasks.Sample {
	d := tasks.Draw{Seed: t.Run.Training.Seed, Role: role, IID: t.Run.Training.Split == "iid"}
	return Draw(t.Task, d, 0, n)
}

// Count is the number of steps made.
func (t *Trainer) Count() int { return t.step }

// next fills the batch of the coming step.
func (t *Trainer) next() {
	c := t.Run.Training
	d := tasks.Draw{Seed: c.Seed, Role: tasks.Train, IID: c.Split == "iid"}
	t.curriculum.apply(&d)
	for i := range t.samples {
		t.Task.Sample(&t.samples[i], d, uint64(t.step)*uint64(c.Batch)+uint64(i))
	}
	t.batch.AnswerWeight = float32(c.AnswerWeight)
	fillBatch(&t.batch, t.samples)
}

// Step makes one training step.
func (t *Trainer) Step() (Step, error) {
	begin := time.Now()
	t.next()
	params := t.Network.Params()
	t.Network.Backend().Zero(params.Grads())
	t.Network.Gradients(&t.batch)
	s := Step{Step: t.step + 1, LR: t.schedule.At(t.step + 1), Limit: t.curriculum.limit()}
	t.adam.Step(s.LR, t.Network.LossOnDevice())
	if err := t.read(&s); err != nil {
		return s, err
	}
	t.step++
	for i := range t.samples {
		s.Tokens += len(t.samples[i].Prompt) + len(t.samples[i].Target)
	}
	s.Seconds = time.Since(begin).Seconds()
	return s, nil
}

// read fetches the step's results and feeds the curriculum.
func (t *Trainer) read(s *Step) error {
	loss, err := t.Network.Loss()
	if err != nil {
		return err
	}
	norm2, err := t.adam.Norm2()
	if err != nil {
		return err
	}
	s.Loss, s.Norm = float64(loss), math.Sqrt(float64(norm2))
	if !finite(s.Loss) || !finite(s.Norm) {
		return t.diagnose(s)
	}
	if t.logits, err = t.Network.LastLogits(t.logits); err != nil {
		return err
	}
	var exacts, answers, hits, count int
	score(t.samples, t.logits, t.Run.Config.Outputs(), func(i int, exact, answer bool) {
		exacts += toInt(exact)
		answers += toInt(answer)
		if x := &t.samples[i]; t.curriculum.atLimit(x) && !(x.Trivial && x.Label < 0) {
			count++
			hits += toInt(answer)
		}
	})
	s.Exact, s.Answer = float64(exacts)/float64(len(t.samples)), float64(answers)/float64(len(t.samples))
	t.curriculum.update(hits, count)
	return nil
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// NotFiniteError says where a run left the numbers. The parameters are those before the step.
type NotFiniteError struct {
	Step   int
	Tensor string // first parameter or gradient that is not finite; where all are, the norm of the gradient or the loss
}

// Error names the step and the tensor.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("step %d: %s is not finite; the update was not made. Start a new run with a lower --lr or --clip", e.Step, e.Tensor)
}

func (t *Trainer) diagnose(s *Step) error {
	params := t.Network.Params()
	for _, x := range []struct {
		kind string
		vec  backend.Vec
	}{{"parameter", params.Values()}, {"gradient of", params.Grads()}} {
		flat, err := params.Download(x.vec)
		if err != nil {
			return err
		}
		for _, p := range params.Tensors {
			for _, v := range flat[p.Offset : p.Offset+p.Len] {
				if !finite(float64(v)) {
					return &NotFiniteError{s.Step, x.kind + " " + p.Name}
				}
			}
		}
	}
	if finite(s.Loss) {
		return &NotFiniteError{s.Step, "norm of the gradient"}
	}
	return &NotFiniteError{s.Step, "loss"}
}

// Evaluate reports on a role's first n samples.
func (t *Trainer) Evaluate(role tasks.Role, n int) (Evaluation, error) {
	r, err := evaluate(t.Network, t.Task, t.draw(role, n), t.Run.Training.EvalBatch, t.Yield)
	return Evaluation{Step: t.step, Role: role.String(), Report: r}, err
}

// Continue runs to the run's own end, or until ctx is done. It emits every event; save, where given, is called
// whenever a checkpoint is due, at the end and on interruption.
func (t *Trainer) Continue(ctx context.Context, emit func(Event), save func() error) error {
	if save == nil {
		save = func() error { return nil }
	}
	reason := "finished"
	for !t.Over() {
		if ctx.Err() != nil {
			reason = "interrupted"
			break
		}
		s, err := t.Step()
		if err != nil {
			return err
		}
		emit(s)
		if err := t.Due(emit, save); err != nil {
			return err
		}
	}
	if reason == "finished" {
		var err error
		if reason, err = t.Finish(emit); err != nil {
			return err
		}
	}
	if err := save(); err != nil {
		return err
	}
	emit(Done{Step: t.step, Reason: reason})
	return nil
}

// Over tells whether the run has come to its own end, by its steps or by early stopping.
func (t *Trainer) Over() bool { return t.step >= t.Run.Training.Steps || t.exhausted() }

// Due does what the run does after the step just made, unless it was the last: validation, and save for a checkpoint.
func (t *Trainer) Due(emit func(Event), save func() error) error {
	c := t.Run.Training
	if t.step >= c.Steps {
		return nil
	}
	if c.EvalEvery > 0 && t.step%c.EvalEvery == 0 {
		if err := t.validate(emit); err != nil {
			return err
		}
	}
	if t.step%c.CheckpointEvery == 0 {
		return save()
	}
	return nil
}

// Finish does what the run does at its own end: the last validation, back to the best parameters, the test.
func (t *Trainer) Finish(emit func(Event)) (reason string, err error) {
	reason = "finished"
	if t.exhausted() {
		reason = "stopped early"
	} else if err := t.validate(emit); err != nil {
		return "", err
	}
	t.takeBest()
	if text := t.curriculum.unfinished(); text != "" {
		emit(Warning{Step: t.step, Text: text})
	}
	if n := t.Run.Training.TestSamples; n > 0 {
		e, err := t.Evaluate(tasks.Test, n)
		if err != nil {
			return "", err
		}
		emit(e)
	}
	return reason, nil
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

// takeBest goes back to the parameters of the best validation.
func (t *Trainer) takeBest() {
	if t.best != nil {
		t.Network.Params().Upload(t.best)
	}
}
