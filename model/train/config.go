// Package train runs the training loop: data, optimizer step, curriculum, evaluation, early stopping, checkpoints.
// It prints nothing and draws nothing; whoever runs it listens to its events.
//
// A run in short (errors left out; the tests have it whole, as ExampleNew):
//
//	run, task, _ := train.Resolve([]byte(`{"task": "parity", "model": "csp", "steps": 300}`))
//	network, _ := run.Config.Open(cpu.New())
//	network.Initialise(run.Training.Seed)
//	trainer, _ := train.New(run, network)
//	trainer.Continue(ctx, func(train.Event) {}, nil)          // train
//	test, _ := trainer.Evaluate(tasks.Test, 1000)             // evaluate
//	question, _ := ask.Parse(task, "", "1011001")
//	reply, _ := ask.Put(network, task, "", question)          // ask
//
// A custom task is any tasks.Task. Recommended makes its run, and ExampleRecommended writes one; package
// tasks/own makes tasks of files:
//
//	run, _ := train.Recommended(mine, "csp")
//	run.Overlay([]byte(`{"steps": 250}`))                     // keys of FORMATS.md
//	run.Fit()                                                 // the network gets the task's vocabulary
package train

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"mhacsp/model/optim"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Config is everything a run depends on in addition to the network: task, data and training. Together with the
// network's configuration it is config.json and the metadata of every checkpoint (FORMATS.md).
type Config struct {
	Task string `json:"task"`
	tasks.Options
	Split string `json:"split"` // structure (held-out structures, SPEC §9) or iid (as the public code)

	Seed  uint64 `json:"seed"`
	Steps int    `json:"steps"`
	Batch int    `json:"batch"`

	LR          float64 `json:"lr"`
	Schedule    string  `json:"schedule"`
	Warmup      int     `json:"warmup"`
	LRFloor     float64 `json:"lr_floor"`
	Optimizer   string  `json:"optimizer"` // adam or adamw
	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	Clip        float64 `json:"clip"`

	AnswerWeight float64 `json:"answer_weight"` // weight of the answer token in the loss of sequences
	Curriculum   bool    `json:"curriculum"`    // adaptive limit on length or operands (SPEC §8)
	// LongShare is the share of the training samples that are drawn long, with 3 to 6 numbers or more (SPEC §8).
	LongShare float64 `json:"long_share,omitempty"`
	// StateClip bounds the gradient of each unit's state in the time loop, 0: not (SPEC §8).
	StateClip float64 `json:"state_clip"`

	EvalEvery       int `json:"eval_every"`   // steps between validations, 0: only at the end
	EvalSamples     int `json:"eval_samples"` // samples of a validation
	EvalBatch       int `json:"eval_batch"`
	TestSamples     int `json:"test_samples"`     // samples of the test at the end, 0: none
	Patience        int `json:"patience"`         // validations without a better loss before stopping early, 0: never
	CheckpointEvery int `json:"checkpoint_every"` // steps between checkpoints

	// KeepCheckpoints is how many checkpoints a run's folder keeps in addition to the last, to look back; 0: none.
	KeepCheckpoints int `json:"keep_checkpoints,omitempty"`

	// Extended are the Steps that the run had before it was extended, each time.
	Extended []int `json:"extended,omitempty"`

	// Data describes a task that is none of package tasks, in its own words. ParseRun leaves it to its caller to make
	// the task of it, and to set Run.Own.
	Data *json.RawMessage `json:"data,omitempty"`
}

// Run is a network's and a training's configuration in one. Two copies of a Run share the network's.
type Run struct {
	Config   sequence.Config
	Training Config
	// Own is the task where Training.Task names none of package tasks; else nil.
	Own tasks.Task
}

// AnswerApart reports whether a right answer is less than a right output: where arithmetic has the text in the output
// too. A constant guess (SPEC §9) is one of answers: there it says nothing of whole outputs.
func (r Run) AnswerApart() bool {
	return r.Own == nil && r.Training.Task == DefaultTask && r.Training.Format != "direct"
}

// WeighsAnswer reports whether the loss of training is not that of evaluations: the answer's token weighs more in it.
func (r Run) WeighsAnswer() bool {
	w := r.Training.AnswerWeight
	return r.Config.Shape().Classes == 0 && w > 0 && w != 1
}

// task is what the run learns.
func (r Run) task() (tasks.Task, error) {
	if r.Own != nil {
		return r.Own, nil
	}
	return tasks.New(r.Training.Task, r.Training.Options)
}

// MarshalJSON writes one flat object, the network's keys first.
func (r Run) MarshalJSON() ([]byte, error) {
	a, err := json.Marshal(r.Config)
	if err != nil {
		return nil, err
	}
	var training any = r.Training
	// Where it is left out Resolve takes that of the preset's recommended run, so a 0 is written.
	if p, err := zoo.Preset(r.Config.Name()); err == nil && p.Traits().Reach > 0 {
		training = struct {
			Config
			LongShare float64 `json:"long_share"`
		}{r.Training, r.Training.LongShare}
	}
	b, err := json.Marshal(training)
	if err != nil {
		return nil, err
	}
	return append(append(a[:len(a)-1], ','), b[1:]...), nil
}

// ParseRun reads what MarshalJSON wrote.
func ParseRun(data []byte) (Run, error) {
	c, err := zoo.Parse(data, true)
	if err != nil {
		return Run{}, err
	}
	r := Run{Config: c}
	if err := strict.Unmarshal(data, &r.Training); err != nil {
		return Run{}, fmt.Errorf("configuration of the run: %w", err)
	}
	if err := r.unknown(data); err != nil {
		return Run{}, fmt.Errorf("configuration of the run: %w", err)
	}
	if r.Training.Task == "" {
		return Run{}, errors.New(`configuration has no "task": it describes a model, not a run`)
	}
	x := r.Training
	if more := append(slices.Clone(x.Extended), x.Steps); len(more) > 1 && (!slices.IsSorted(more) || more[0] < 1) {
		return Run{}, strict.Unfit("extended", x.Extended, " and $steps %d; a run can only be made longer", x.Steps)
	}
	return r, r.Validate()
}

// A Change is a key that two runs do not agree in, with what each has there as JSON. A key within another is
// data.sha256.
type Change struct{ Key, Here, There string }

// Changes are the keys, in alphabetical order, that two runs do not agree in.
func (r Run) Changes(other Run) ([]Change, error) {
	var here, there map[string]json.RawMessage
	a, failed := json.Marshal(r)
	b, err := json.Marshal(other)
	if err = cmp.Or(failed, err, json.Unmarshal(a, &here), json.Unmarshal(b, &there)); err != nil {
		return nil, err
	}
	return changes("", here, there), nil
}

// changes are those of two JSON objects, which stand behind prefix.
func changes(prefix string, here, there map[string]json.RawMessage) (list []Change) {
	keys := slices.Concat(slices.Collect(maps.Keys(here)), slices.Collect(maps.Keys(there)))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		a, b := here[key], there[key]
		var inA, inB map[string]json.RawMessage
		switch {
		case bytes.Equal(a, b):
		case json.Unmarshal(a, &inA) == nil && json.Unmarshal(b, &inB) == nil && inA != nil && inB != nil:
			list = append(list, changes(prefix+key+".", inA, inB)...)
		default:
			const none = "the default"
			list = append(list, Change{prefix + key, cmp.Or(string(a), none), cmp.Or(string(b), none)})
		}
	}
	return list
}

// Extend makes a run longer.
func (r *Run) Extend(steps int) error {
	t := &r.Training
	if steps <= t.Steps {
		return strict.Unfit("steps", steps, ", and the run has %d; a run can only be made longer", t.Steps)
	}
	t.Extended = append(slices.Clone(t.Extended), t.Steps)
	t.Steps = steps
	return r.Validate()
}

// since are the changes from old to r. Where r is a longer run, what Extend changes is none.
func (r Run) since(old Run) ([]Change, error) {
	n := len(old.Training.Extended)
	more := r.Training.Extended
	if len(more) > n && slices.Equal(more[:n], old.Training.Extended) && more[n] == old.Training.Steps {
		old.Training.Steps, old.Training.Extended = r.Training.Steps, more
	}
	return r.Changes(old)
}

// Default is the recommended run for a task (SPEC §8): zoo.Default, or zoo.Labels for a task with labels, and the
// settings that suit them.
func Default(task string) (Run, error) { return Begin(Head{Task: task}) }

// Recommended is the run of a custom task with the settings that suit it and a preset; of an empty preset that
// of Default. Fit comes after what is changed in it.
func Recommended(t tasks.Task, preset string) (Run, error) {
	r, err := recommended(t, preset)
	r.Own = t
	if x := &r.Training; t.Curriculum().Limit == tasks.None {
		x.Curriculum, x.LongShare, x.AnswerWeight = false, 0, 0
	}
	return r, err
}

// recommended is the run of a task and a preset with the settings that suit both; of an empty preset with zoo.Labels
// for a task with labels, else zoo.Default.
func recommended(t tasks.Task, preset string) (Run, error) {
	r := Run{Training: Config{
		Task: t.Name(), Split: "structure", Steps: 12000, Batch: 128,
		LR: 1e-3, Schedule: "cosine", Warmup: 200, LRFloor: 0.05,
		Optimizer: "adam", Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 1e-4, Clip: 1,
		EvalEvery: 500, EvalSamples: 1024, EvalBatch: 64, TestSamples: 4096, CheckpointEvery: 500,
	}}
	suited := zoo.Default
	if t.Classes() > 0 {
		suited = zoo.Labels
	}
	c, err := zoo.Preset(cmp.Or(preset, suited))
	if err != nil {
		return r, err
	}
	c.Suit(t.Classes() > 0)
	r.Config = c
	x := &r.Training
	if c.Traits().Units > 0 { // only the time loop of SPEC §2 has the bound, and needs it
		x.StateClip = boundThatWorks
	}
	switch {
	case t.Classes() > 0:
		x.Curriculum, x.Beta2, x.Steps = true, 0.98, 3000
	case c.Traits().Reach > 0: // copying is easy with a memory, so that answers may weigh more
		x.Curriculum, x.LongShare, x.AnswerWeight = true, 0.75, 10
		x.Steps, x.Batch, x.LR, x.LRFloor, x.Beta2, x.WeightDecay, x.Clip = 6000, 64, 1.4e-3, 0.02, 0.99, 0, 0.5
	default:
		x.AnswerWeight = 3
	}
	return r, nil
}

// Fit makes the network's vocabulary and classes those of the task.
func (r *Run) Fit() (tasks.Task, error) {
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	r.Config.Fit(t.Vocabulary().Size(), t.Classes())
	return t, nil
}

// Validate names the first field that does not fit.
func (r Run) Validate() error {
	if err := r.Config.Validate(); err != nil {
		return err
	}
	c := r.Training
	t, err := r.task()
	switch {
	case c.Data != nil && r.Own == nil && err == nil:
		return fmt.Errorf("data stands with task %s, which draws its own samples; remove one of the two", c.Task)
	case c.Data != nil && r.Own == nil:
		t = nil // whoever makes the task validates again
	case err != nil:
		return err
	}
	if err := cmp.Or(
		strict.Within("steps", c.Steps, 1, 1<<30), strict.Within("batch", c.Batch, 1, 1<<20),
		strict.Within("eval_every", c.EvalEvery, 0, 1<<30), strict.Within("eval_samples", c.EvalSamples, 1, 1<<24),
		strict.Within("eval_batch", c.EvalBatch, 1, 1<<20), strict.Within("test_samples", c.TestSamples, 0, 1<<24),
		strict.Within("patience", c.Patience, 0, 1<<30),
		strict.Within("checkpoint_every", c.CheckpointEvery, 1, 1<<30),
		strict.Within("keep_checkpoints", c.KeepCheckpoints, 0, 10000),
		strict.OneOf("split", c.Split, []string{"structure", "iid"}),
		strict.OneOf("optimizer", c.Optimizer, []string{"adam", "adamw"}),
		c.schedule().Validate(), c.optimizer().Validate(),
	); err != nil {
		return err
	}
	switch {
	case !(c.AnswerWeight >= 0 && c.AnswerWeight <= 1e4):
		return strict.Unfit("answer_weight", c.AnswerWeight, "; choose a number from 0 to 10000 "+
			"(3 is usual, 20 in prefix supervision)")
	case !(c.LongShare >= 0 && c.LongShare <= 1):
		return strict.Unfit("long_share", c.LongShare, "; choose a number from 0 to 1 (0.75 is usual)")
	case !(c.StateClip >= 0 && c.StateClip <= 1e9):
		return strict.Unfit("state_clip", c.StateClip, "; choose a number from 0 (no bound) to 1e9 (0.2 is usual)")
	case c.LongShare > 0 && t != nil && t.Curriculum().Long == 0:
		return strict.Unfit("long_share", c.LongShare, ", but %s has no numbers to count; "+
			"choose 0, or $task arithmetic", c.Task)
	}
	return nil
}

func (c Config) schedule() optim.Schedule {
	return optim.Schedule{Kind: c.Schedule, Rate: c.LR, Warmup: c.Warmup, Steps: c.Steps, Floor: c.LRFloor}
}

func (c Config) optimizer() optim.Options {
	return optim.Options{Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps, Decay: c.WeightDecay,
		Decoupled: c.Optimizer == "adamw", Clip: c.Clip}
}

// unknown is the mistake that a JSON object has a key that is neither the network's nor the training's.
func (r Run) unknown(data []byte) error {
	known := slices.Concat(strict.Keys(r.Config), strict.Keys(&r.Training))
	return strict.Fields(data, strict.Begin(data), func(f strict.Field) error {
		err := strict.Unknown(f, known, false)
		if err == nil && !slices.Contains(known, string(f.Name)) {
			err = fmt.Errorf("unknown key %q; the keys are those of config.json in a run's folder "+
				"(model/train/FORMATS.md)", f.Name)
		}
		return err
	})
}
