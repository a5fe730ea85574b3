//go:build !js

// Package runs turns flags and files on disk into runs: the flags that describe one (settings.go), those of the user's
// own data (own.go), and a run or a checkpoint that is read from disk (loaded.go).
package runs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mhacsp/model/optim"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Setting is a flag for one field of a run's configuration.
type Setting struct {
	Name    string
	usage   string   // without the default, which is looked up in train.Default; the `unit` in backquotes
	choices []string // of an enumerated string
	// At is the field, nothing where the run has none; nil for the preset that a run starts from.
	At func(*train.Run) any
}

// TaskSettings are those of what is learned.
func TaskSettings() []Setting {
	return []Setting{
		{"task", "what is learned", tasks.Names(), func(r *train.Run) any { return &r.Training.Task }},
		{"preset", "how arithmetic expressions are drawn; paper trains longer", []string{"author", "paper"}, func(r *train.Run) any { return &r.Training.Preset }},
		{"format", "what follows an arithmetic prompt", []string{"repeat", "copy", "direct"}, func(r *train.Run) any { return &r.Training.Format }},
		{"min-length", "shortest string in `characters` (not arithmetic; default: the task's)", nil, func(r *train.Run) any { return &r.Training.MinLength }},
		{"max-length", "longest string in `characters` (not arithmetic; default: the task's)", nil, func(r *train.Run) any { return &r.Training.MaxLength }},
		{"brackets", "brackets in modarith (default true; --brackets=false for none)", nil, func(r *train.Run) any { return &r.Training.Brackets }},
		{"operators", "operators in modarith (default +-*)", tasks.ModArithOperators(), func(r *train.Run) any { return &r.Training.Operators }},
	}
}

// SplitSetting is which samples are held out.
func SplitSetting() Setting {
	return Setting{"split", "structure: test expressions are held out; iid: drawn as training is",
		[]string{"structure", "iid"}, func(r *train.Run) any { return &r.Training.Split }}
}

// ModelSettings are the keys of all families, each once, with the choices of all; at gives
// nothing where a run's network has no such key.
func ModelSettings() []Setting {
	list := []Setting{{"model", "model preset", zoo.Names(), nil}}
	place := map[string]int{}
	for _, p := range zoo.Presets() {
		for _, k := range p.New().Keys() {
			if at, ok := place[k.Name]; ok {
				known := func(choice string) bool { return slices.Contains(list[at].choices, choice) }
				list[at].choices = slices.Concat(list[at].choices, slices.DeleteFunc(slices.Clone(k.Choices), known))
				continue
			}
			place[k.Name] = len(list)
			own := func(r *train.Run) any { return keyOf(r.Config, k.Name) }
			list = append(list, Setting{cli.FlagOf(k.Name), k.Usage, k.Choices, own})
		}
	}
	return list
}

// keyOf is the field of a network's key, a pointer; nothing where it has no such key.
func keyOf(c sequence.Config, name string) any {
	for _, k := range c.Keys() {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

func trainingSettings() []Setting {
	return []Setting{
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
		{"state-clip", "bound on the `gradient` of each unit's state in backpropagation through time, multiplied by batch, in csp and " +
			"mha-csp: long texts cannot blow it up; 0: none", nil,
			func(r *train.Run) any { return &r.Training.StateClip }},
		{"answer-weight", "`weight` of the answer token in the loss of sequences, 0: as any other", nil, func(r *train.Run) any { return &r.Training.AnswerWeight }},
		{"curriculum", "adaptive limit on length or operands", nil, func(r *train.Run) any { return &r.Training.Curriculum }},
		{"long-share", "`share` of the training samples that are drawn long, with 3 to 6 numbers or more, 0: none (arithmetic)", nil, func(r *train.Run) any { return &r.Training.LongShare }},
		{"eval-every", "`steps` between validations, 0: only at the end", nil, func(r *train.Run) any { return &r.Training.EvalEvery }},
		{"eval-samples", "`samples` of a validation", nil, func(r *train.Run) any { return &r.Training.EvalSamples }},
		{"eval-batch", "`samples` evaluated at once", nil, func(r *train.Run) any { return &r.Training.EvalBatch }},
		{"test-samples", "`samples` of the test at the end, 0: no test", nil, func(r *train.Run) any { return &r.Training.TestSamples }},
		{"patience", "`validations` without a better loss before the run stops early, 0: never", nil, func(r *train.Run) any { return &r.Training.Patience }},
		{"checkpoint-every", "`steps` between checkpoints", nil, func(r *train.Run) any { return &r.Training.CheckpointEvery }},
		{"keep-checkpoints", "`number` of checkpoints to keep in addition to the last, spread over the run, for view --run; 0: none", nil, func(r *train.Run) any { return &r.Training.KeepCheckpoints }},
	}
}

// BatchSettings are those that every run of steps has.
func BatchSettings() []Setting {
	return []Setting{
		{"batch", "`samples` a step", nil, func(r *train.Run) any { return &r.Training.Batch }},
		{"seed", "`number` that fixes start values and data", nil, func(r *train.Run) any { return &r.Training.Seed }},
	}
}

// RunSettings are all settings of a run.
func RunSettings() []Setting {
	return slices.Concat(TaskSettings(), []Setting{SplitSetting()}, ModelSettings(), BatchSettings(),
		trainingSettings())
}

// Settings are the flags of a command that describe a run.
type Settings struct {
	Command *cobra.Command
	model   string                            // of --model
	text    []byte                            // of --config, which is read once: it may be a pipe
	Own     *OwnFlags                         // of the user's own data; nil where the command has no such flags
	Set     map[string]func(*train.Run) error // by flag: writes the flag's value to its field
}

// AddSettings adds flags to a command.
func AddSettings(c *cobra.Command, groups ...[]Setting) *Settings {
	s := &Settings{Command: c, Set: map[string]func(*train.Run) error{}}
	d := NewDefaults()
	for _, group := range groups {
		for _, x := range group {
			s.add(x, d)
		}
	}
	return s
}

// add makes a flag without a default of its own, so that only what the user gives overrides the configuration.
func (s *Settings) add(x Setting, d defaults) {
	flags := s.Command.Flags()
	usage := x.usage + d.text(x)
	if x.At == nil {
		cli.AddChoice(s.Command, &s.model, x.Name, x.choices, usage)
		s.Set[x.Name] = func(*train.Run) error { return nil } // resolve begins with it
		return
	}
	switch d.Field(x).(type) {
	case *int:
		into(s, x, flags.Int(x.Name, 0, usage))
	case *uint64:
		into(s, x, flags.Uint64(x.Name, 0, usage))
	case *float64:
		into(s, x, flags.Float64(x.Name, 0, usage))
	case *bool:
		into(s, x, flags.Bool(x.Name, false, usage))
	case **bool:
		v := flags.Bool(x.Name, false, usage)
		into(s, x, &v)
	case *string:
		v := new(string)
		cli.AddChoice(s.Command, v, x.Name, x.choices, usage)
		into(s, x, v)
	default:
		panic("a setting of an unknown type: " + x.Name)
	}
}

// into makes a flag's value go to its field.
func into[T any](s *Settings, x Setting, v *T) {
	s.Set[x.Name] = func(r *train.Run) error {
		field, ok := x.At(r).(*T)
		if !ok {
			return fmt.Errorf("--%s is no setting of the model %s; leave it out, or choose models that have it",
				x.Name, r.Config.Name())
		}
		*field = *v
		return nil
	}
}

// Given reports whether the user set a flag.
func (s *Settings) Given(name string) bool { return s.Command.Flags().Changed(name) }

// Describing are the flags that say which run is trained and where it goes.
func (s *Settings) Describing() []string {
	return append(slices.Sorted(maps.Keys(s.Set)), "config", "out", "overwrite")
}

// Resolve is the run that the command line asks for: train.Default, over it the configuration file (path may be
// empty), over it the flags; then the vocabulary and classes of the task. The result is valid.
func (s *Settings) Resolve(path string) (train.Run, tasks.Task, error) {
	var err error
	if path != "" && s.text == nil {
		if s.text, err = cli.ReadText(path); err != nil {
			return train.Run{}, nil, err
		}
	}
	head, err := train.ParseHead(s.text)
	if err != nil {
		return train.Run{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Given("model") {
		head.Model = s.model
	}
	var asked train.Run
	for _, name := range []string{"task", "preset"} {
		if s.Given(name) {
			if err := s.Set[name](&asked); err != nil {
				return train.Run{}, nil, err
			}
		}
	}
	head.Task = cmp.Or(asked.Training.Task, head.Task)
	head.Preset = cmp.Or(asked.Training.Preset, head.Preset)
	if s.Own != nil {
		if err := s.Own.check(s.Command); err != nil {
			return train.Run{}, nil, err
		}
	}
	r, err := s.begin(head, path)
	if err != nil {
		return r, nil, s.placed(path, err)
	}
	if err := r.Overlay(s.text); err != nil {
		return r, nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Own != nil && s.Own.test != "" && r.Training.TestSamples == 0 { // the file's run had no test
		r.Training.TestSamples = min(s.Own.known.Samples(tasks.Test), 1<<24)
	}
	for name, set := range s.Set {
		if s.Given(name) {
			if err := set(&r); err != nil {
				return r, nil, err
			}
		}
	}
	err = seal(&r)
	task, failed := r.Fit()
	return r, task, s.placed(path, cmp.Or(err, failed, r.Validate()))
}

// placed names the configuration file in an error about a value that no flag gave.
func (s *Settings) placed(path string, err error) error {
	if field, ok := errors.AsType[*strict.FieldError](err); ok && path != "" && !s.Given(cli.FlagOf(field.Key)) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// defaults are the recommended runs that a flag's help quotes.
type defaults struct {
	arithmetic train.Run
	plain      train.Run   // arithmetic, without a memory
	presets    []train.Run // arithmetic, every preset
	labels     []train.Run // strings, every preset that can
}

// NewDefaults makes the recommended runs, once.
var NewDefaults = sync.OnceValue(func() (d defaults) {
	begin := func(task, model string) train.Run {
		r, err := train.Begin(train.Head{Task: task, Model: model})
		cli.Must(err)
		return r
	}
	d.arithmetic, d.plain = begin(train.DefaultTask, ""), begin(train.DefaultTask, zoo.Labels)
	for _, name := range zoo.Names() {
		r := begin(train.DefaultTask, name)
		d.presets = append(d.presets, r)
		if r.Config.Traits().Reach == 0 {
			d.labels = append(d.labels, begin("parity", name))
		}
	}
	return d
})

// Field is a setting's field in the first run that has it.
func (d defaults) Field(x Setting) any {
	for _, r := range append([]train.Run{d.arithmetic}, d.presets...) {
		if f := x.At(&r); f != nil {
			return f
		}
	}
	return nil
}

// text is a flag's default in words.
func (d defaults) text(x Setting) string {
	switch {
	case strings.Contains(x.usage, "default"):
		return ""
	case x.At == nil:
		return " (default " + d.arithmetic.Config.Name() + ", for tasks with labels " + d.plain.Config.Name() + ")"
	case x.Name == "preset" || x.Name == "format":
		return " (default " + x.choices[0] + ")"
	case x.At(&d.arithmetic) == nil: // a key of other models
		return " (default " + valueOf(d.Field(x)) + ")"
	}
	text := " (default " + valueOf(x.At(&d.arithmetic))
	plain := valueOf(x.At(&d.plain))
	key := strings.ReplaceAll(x.Name, "-", "_")
	if _, many := same(x, d.presets); many && keyOf(d.arithmetic.Config, key) != nil {
		text = " (default: the model's"
	} else if many && "(default "+plain != strings.TrimSpace(text) {
		text += ", for models without a memory " + plain
	}
	if labels, many := same(x, d.labels); !many && labels != plain && x.Name != "task" {
		text += ", for tasks with labels " + labels
	}
	return text + ")"
}

// same is the value that runs have in a setting's field, where they have one, and whether they have several.
func same(x Setting, runs []train.Run) (value string, many bool) {
	for _, r := range runs {
		switch field := x.At(&r); {
		case field == nil:
		case value == "":
			value = valueOf(field)
		case value != valueOf(field):
			many = true
		}
	}
	return value, many
}

// valueOf is what a setting's field, a pointer, holds, in words.
func valueOf(field any) string { return fmt.Sprint(reflect.ValueOf(field).Elem()) }
