// Package train runs the training loop: data, optimizer step, curriculum, evaluation, early stopping, checkpoints.
// It prints nothing and draws nothing; whoever runs it listens to its events.
package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mhacsp/model"
	"mhacsp/model/optim"
	"mhacsp/tasks"
)

// Config is everything a run depends on beside the model: task, data and training. Together with the model's
// configuration it is config.json and the metadata of every checkpoint (SPEC §12).
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

	EvalEvery       int `json:"eval_every"`   // steps between validations, 0: only at the end
	EvalSamples     int `json:"eval_samples"` // samples of a validation
	EvalBatch       int `json:"eval_batch"`
	TestSamples     int `json:"test_samples"`     // samples of the test at the end, 0: none
	Patience        int `json:"patience"`         // validations without a better loss before stopping early, 0: never
	CheckpointEvery int `json:"checkpoint_every"` // steps between checkpoints

	// KeepCheckpoints is how many checkpoints a run's folder keeps beside the last, to look back; 0: none.
	KeepCheckpoints int `json:"keep_checkpoints,omitempty"`
}

// Run is a model's and a training's configuration in one.
type Run struct {
	model.Config
	Training Config
}

// MarshalJSON writes one flat object, the model's keys first.
func (r Run) MarshalJSON() ([]byte, error) {
	a, err := json.Marshal(r.Config)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(r.Training)
	if err != nil {
		return nil, err
	}
	return append(append(a[:len(a)-1], ','), b[1:]...), nil
}

// ParseRun reads what MarshalJSON wrote.
func ParseRun(data []byte) (Run, error) {
	c, err := model.ParseConfig(data, true)
	if err != nil {
		return Run{}, err
	}
	r := Run{Config: c}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r.Training); err != nil {
		return Run{}, fmt.Errorf("configuration of the run: %w", err)
	}
	if err := known(data); err != nil {
		return Run{}, err
	}
	if r.Training.Task == "" {
		return Run{}, errors.New(`configuration has no "task": it describes a model, not a run`)
	}
	return r, r.Validate()
}

// Default is the recommended run for a task: `mha-csp-s` on arithmetic, and for the string tasks the settings that
// learn them with the length curriculum of SPEC §8.
func Default(task string) (Run, error) {
	r := Run{Training: Config{
		Task: task, Split: "structure", Steps: 12000, Batch: 128, LR: 1e-3, Schedule: "cosine", Warmup: 200, LRFloor: 0.05,
		Optimizer: "adam", Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 1e-4, Clip: 1,
		EvalEvery: 500, EvalSamples: 1024, EvalBatch: 64, TestSamples: 4096, CheckpointEvery: 500,
	}}
	var err error
	if r.Config, err = model.Preset("mha-csp-s"); err != nil {
		return r, err
	}
	t, err := tasks.New(task, tasks.Options{})
	if err != nil {
		return r, err
	}
	if t.Classes() > 0 {
		r.Training.Curriculum = true
		r.Training.Beta2 = 0.98
		r.Config.GateBias = -1.2
		r.Training.Steps = 3000
	} else {
		r.Training.AnswerWeight = 3
	}
	return r, nil
}

// Fit makes the model's vocabulary and classes those of the task.
func (r *Run) Fit() (tasks.Task, error) {
	t, err := tasks.New(r.Training.Task, r.Training.Options)
	if err != nil {
		return nil, err
	}
	r.Config.Vocab, r.Config.Classes = t.Vocabulary().Size(), t.Classes()
	return t, nil
}

// Validate names the first field that does not fit.
func (r Run) Validate() error {
	if err := r.Config.Validate(); err != nil {
		return err
	}
	c := r.Training
	if _, err := tasks.New(c.Task, c.Options); err != nil {
		return err
	}
	for _, x := range []struct {
		field    string
		value    int
		from, to int
	}{
		{"steps", c.Steps, 1, 1 << 30}, {"batch", c.Batch, 1, 1 << 20}, {"eval_every", c.EvalEvery, 0, 1 << 30},
		{"eval_samples", c.EvalSamples, 1, 1 << 24}, {"eval_batch", c.EvalBatch, 1, 1 << 20},
		{"test_samples", c.TestSamples, 0, 1 << 24}, {"patience", c.Patience, 0, 1 << 30},
		{"checkpoint_every", c.CheckpointEvery, 1, 1 << 30}, {"keep_checkpoints", c.KeepCheckpoints, 0, 10000},
	} {
		if x.value < x.from || x.value > x.to {
			return fmt.Errorf("%s is %d; choose a number from %d to %d", x.field, x.value, x.from, x.to)
		}
	}
	for _, x := range []struct {
		field, value string
		allowed      []string
	}{{"split", c.Split, []string{"structure", "iid"}}, {"optimizer", c.Optimizer, []string{"adam", "adamw"}}} {
		if !slices.Contains(x.allowed, x.value) {
			return fmt.Errorf("%s is %q; choose one of %s", x.field, x.value, strings.Join(x.allowed, ", "))
		}
	}
	if !(c.AnswerWeight >= 0 && c.AnswerWeight <= 1e4) {
		return fmt.Errorf("answer_weight is %v; choose a number from 0 to 10000 (3 in final, 20 in prefix supervision worked)", c.AnswerWeight)
	}
	if err := c.schedule().Validate(); err != nil {
		return err
	}
	return c.optimizer().Validate()
}

func (c Config) schedule() optim.Schedule {
	return optim.Schedule{Kind: c.Schedule, Rate: c.LR, Warmup: c.Warmup, Steps: c.Steps, Floor: c.LRFloor}
}

func (c Config) optimizer() optim.Options {
	return optim.Options{Beta1: c.Beta1, Beta2: c.Beta2, Eps: c.Eps, Decay: c.WeightDecay, Decoupled: c.Optimizer == "adamw", Clip: c.Clip}
}

// known refuses a key that is neither the model's nor the training's.
func known(data []byte) error {
	var given, keys map[string]json.RawMessage
	full := Run{}
	on := true
	full.Training.KeepCheckpoints = 1
	full.Training.Options = tasks.Options{Preset: "x", Format: "x", MinLength: 1, MaxLength: 1, Brackets: &on} // left out of JSON where empty
	text, err := json.Marshal(full)
	if err != nil {
		return err
	}
	if err := errors.Join(json.Unmarshal(text, &keys), json.Unmarshal(data, &given)); err != nil {
		return err
	}
	for key := range given {
		if _, ok := keys[key]; !ok {
			return fmt.Errorf("configuration of the run has an unknown key %q; correct or remove it", key)
		}
	}
	return nil
}
