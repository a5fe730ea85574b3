//go:build !js

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mhacsp/model"
	"mhacsp/model/optim"
	"mhacsp/model/train"
	"mhacsp/tasks"
)

// setting is a flag for one field of a run's configuration.
type setting struct {
	name    string
	usage   string   // without the default, which is looked up in train.Default; the `unit` in backquotes
	choices []string // of an enumerated string
	at      func(*train.Run) any
}

func taskSettings() []setting {
	return []setting{
		{"task", "what is learned", tasks.Names(), func(r *train.Run) any { return &r.Training.Task }},
		{"preset", "how arithmetic expressions are drawn", []string{"author", "paper"}, func(r *train.Run) any { return &r.Training.Preset }},
		{"format", "what follows an arithmetic prompt", []string{"repeat", "copy", "direct"}, func(r *train.Run) any { return &r.Training.Format }},
		{"min-length", "shortest string in `characters` (not arithmetic; default: the task's)", nil, func(r *train.Run) any { return &r.Training.MinLength }},
		{"max-length", "longest string in `characters` (not arithmetic; default: the task's)", nil, func(r *train.Run) any { return &r.Training.MaxLength }},
		{"brackets", "brackets in modarith (default true; --brackets=false for none)", nil, func(r *train.Run) any { return &r.Training.Brackets }},
	}
}

func splitSetting() setting {
	return setting{"split", "structure: test expressions are held out; iid: drawn as training is", []string{"structure", "iid"}, func(r *train.Run) any { return &r.Training.Split }}
}

func modelSettings() []setting {
	return []setting{
		{"model", "model preset", model.PresetNames(), func(r *train.Run) any { return &r.Model }},
		{"layers", "`blocks`, L", nil, func(r *train.Run) any { return &r.Layers }},
		{"heads", "attention `heads`, H; divide the width", nil, func(r *train.Run) any { return &r.Heads }},
		{"width", "complex `units`, N", nil, func(r *train.Run) any { return &r.Width }},
		{"rotate", "what a token turns", []string{"state", "input", "mixed"}, func(r *train.Run) any { return &r.Rotate }},
		{"rotate-share", "`share` of the units that turn where rotate is mixed, 0 to 1", nil, func(r *train.Run) any { return &r.RotateShare }},
		{"theta", "what the angle of a turn depends on", []string{"token", "state"}, func(r *train.Run) any { return &r.Theta }},
		{"fusion", "how heads share their distances", []string{"mesh", "pooled", "mean"}, func(r *train.Run) any { return &r.Fusion }},
		{"skip", "gated skip connections in all blocks but the last", nil, func(r *train.Run) any { return &r.Skip }},
		{"supervision", "where the answer is read", []string{"final", "prefix"}, func(r *train.Run) any { return &r.Supervision }},
		{"ablation", "part of the model to leave out", []string{"none", "no-tree", "no-lse", "no-B", "no-norm"}, func(r *train.Run) any { return &r.Ablation }},
		{"embedding-std", "standard `deviation` of the first embeddings", nil, func(r *train.Run) any { return &r.EmbeddingStd }},
		{"gate-bias", "first `bias` of the input gates γ", nil, func(r *train.Run) any { return &r.GateBias }},
		{"delta-bias", "first `bias` of the forgetting δ", nil, func(r *train.Run) any { return &r.DeltaBias }},
	}
}

func trainingSettings() []setting {
	return []setting{
		{"steps", "training `steps`", nil, func(r *train.Run) any { return &r.Training.Steps }},
		{"lr", "peak learning `rate`", nil, func(r *train.Run) any { return &r.Training.LR }},
		{"schedule", "course of the learning rate", optim.Kinds(), func(r *train.Run) any { return &r.Training.Schedule }},
		{"warmup", "`steps` of linear warm-up", nil, func(r *train.Run) any { return &r.Training.Warmup }},
		{"lr-floor", "`share` of lr at the end of the cosine, 0 to 1", nil, func(r *train.Run) any { return &r.Training.LRFloor }},
		{"optimizer", "adam (decay joins the gradient) or adamw (decay apart)", []string{"adam", "adamw"}, func(r *train.Run) any { return &r.Training.Optimizer }},
		{"beta1", "`decay` of the first moment, 0 to 1", nil, func(r *train.Run) any { return &r.Training.Beta1 }},
		{"beta2", "`decay` of the second moment, 0 to 1", nil, func(r *train.Run) any { return &r.Training.Beta2 }},
		{"eps", "`number` added to the root of the second moment", nil, func(r *train.Run) any { return &r.Training.Eps }},
		{"weight-decay", "weight decay, a `rate`", nil, func(r *train.Run) any { return &r.Training.WeightDecay }},
		{"clip", "greatest global gradient `norm`, 0: no clipping", nil, func(r *train.Run) any { return &r.Training.Clip }},
		{"answer-weight", "`weight` of the answer token in the loss of sequences, 0: as any other", nil, func(r *train.Run) any { return &r.Training.AnswerWeight }},
		{"curriculum", "adaptive limit on length or operands", nil, func(r *train.Run) any { return &r.Training.Curriculum }},
		{"eval-every", "`steps` between validations, 0: only at the end", nil, func(r *train.Run) any { return &r.Training.EvalEvery }},
		{"eval-samples", "`samples` of a validation", nil, func(r *train.Run) any { return &r.Training.EvalSamples }},
		{"eval-batch", "`samples` evaluated at once", nil, func(r *train.Run) any { return &r.Training.EvalBatch }},
		{"test-samples", "`samples` of the test at the end, 0: no test", nil, func(r *train.Run) any { return &r.Training.TestSamples }},
		{"patience", "`validations` without a better loss before the run stops early, 0: never", nil, func(r *train.Run) any { return &r.Training.Patience }},
		{"checkpoint-every", "`steps` between checkpoints", nil, func(r *train.Run) any { return &r.Training.CheckpointEvery }},
		{"keep-checkpoints", "`number` of checkpoints to keep beside the last, spread over the run, for view --run; 0: none", nil, func(r *train.Run) any { return &r.Training.KeepCheckpoints }},
	}
}

func batchSettings() []setting {
	return []setting{
		{"batch", "`samples` a step", nil, func(r *train.Run) any { return &r.Training.Batch }},
		{"seed", "`number` that fixes start values and data", nil, func(r *train.Run) any { return &r.Training.Seed }},
	}
}

// settings are the flags of a command that describe a run.
type settings struct {
	command *cobra.Command
	set     map[string]func(*train.Run) // by flag: writes the flag's value to its field
}

func addSettings(c *cobra.Command, groups ...[]setting) *settings {
	s := &settings{command: c, set: map[string]func(*train.Run){}}
	d := newDefaults()
	for _, group := range groups {
		for _, x := range group {
			s.add(x, d)
		}
	}
	return s
}

// add makes a flag without a default of its own, so that only what the user gives overrides the configuration.
func (s *settings) add(x setting, d defaults) {
	flags := s.command.Flags()
	usage := x.usage + d.text(x)
	switch x.at(&train.Run{}).(type) {
	case *int:
		v := flags.Int(x.name, 0, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(*int) = *v }
	case *uint64:
		v := flags.Uint64(x.name, 0, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(*uint64) = *v }
	case *float64:
		v := flags.Float64(x.name, 0, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(*float64) = *v }
	case *bool:
		v := flags.Bool(x.name, false, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(*bool) = *v }
	case **bool:
		v := flags.Bool(x.name, false, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(**bool) = v }
	case *string:
		v := new(string)
		addChoice(s.command, v, x.name, x.choices, usage)
		s.set[x.name] = func(r *train.Run) { *x.at(r).(*string) = *v }
	default:
		panic("a setting of an unknown type: " + x.name)
	}
}

// given tells whether the user set a flag.
func (s *settings) given(name string) bool { return s.command.Flags().Changed(name) }

// resolve is the run that the command line asks for: train.Default, over it the configuration file (path may be
// empty), over it the flags; then the vocabulary and classes of the task. The result is valid.
func (s *settings) resolve(path string) (train.Run, tasks.Task, error) {
	var text []byte
	var err error
	if path != "" {
		if text, err = readText(path); err != nil {
			return train.Run{}, nil, err
		}
	}
	head, err := train.ParseHead(text)
	if err != nil {
		return train.Run{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	asked := train.Run{Training: train.Config{Task: head.Task}, Config: model.Config{Model: head.Model}}
	for _, name := range []string{"task", "model"} {
		if s.given(name) {
			s.set[name](&asked)
		}
	}
	r, err := train.Begin(train.Head{Task: asked.Training.Task, Model: asked.Model})
	if err != nil {
		return r, nil, err
	}
	if err := r.Overlay(text); err != nil {
		return r, nil, fmt.Errorf("%s: %w", path, err)
	}
	for name, set := range s.set {
		if s.given(name) {
			set(&r)
		}
	}
	task, err := r.Fit()
	if err != nil {
		return r, nil, err
	}
	return r, task, r.Validate()
}

const defaultTask = train.DefaultTask

// defaults are the recommended runs that a flag's help quotes.
type defaults struct {
	arithmetic train.Run
	strings    train.Run
	presets    []train.Run
}

func newDefaults() defaults {
	var d defaults
	var err error
	d.arithmetic, err = train.Default(defaultTask)
	must(err)
	d.strings, err = train.Default("parity")
	must(err)
	for _, name := range model.PresetNames() {
		r := d.arithmetic
		r.Config, err = model.Preset(name)
		must(err)
		d.presets = append(d.presets, r)
	}
	return d
}

// text is a flag's default in words.
func (d defaults) text(x setting) string {
	value := func(r train.Run) string {
		switch p := x.at(&r).(type) {
		case *int:
			return fmt.Sprint(*p)
		case *uint64:
			return fmt.Sprint(*p)
		case *float64:
			return fmt.Sprint(*p)
		case *bool:
			return fmt.Sprint(*p)
		case *string:
			return *p
		}
		return ""
	}
	first := value(d.arithmetic)
	switch {
	case strings.Contains(x.usage, "default"):
		return ""
	case x.name == "preset" || x.name == "format":
		return " (default " + x.choices[0] + ")"
	case x.name == "model" || x.name == "task":
		return " (default " + first + ")"
	case value(d.strings) != first:
		return fmt.Sprintf(" (default %s, for tasks with labels %s)", first, value(d.strings))
	}
	for _, r := range d.presets {
		if value(r) != first {
			return " (default: the model's)"
		}
	}
	return " (default " + first + ")"
}
