package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/backend"
	"mhacsp/model/checkpoint"
	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
)

// modelFile is a checkpoint of FORMATS.md.
func modelFile(config any, set *param.Set, values []float32) (*checkpoint.File, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	return &checkpoint.File{Metadata: map[string]string{"config": string(text)}, Tensors: Split("", set, values)}, nil
}

// ConfigOf is the text of the configuration that a checkpoint holds.
func ConfigOf(f *checkpoint.File) ([]byte, error) {
	text, ok := f.Metadata["config"]
	if !ok {
		return nil, errors.New(`no "config" in its metadata; write checkpoints with "mhacsp init" or "train"`)
	}
	return []byte(text), nil
}

// OpenModel builds the network of a checkpoint on a backend, and returns the text of its configuration.
func OpenModel(f *checkpoint.File, b backend.Backend) (sequence.Network, []byte, error) {
	text, err := ConfigOf(f)
	if err != nil {
		return nil, nil, err
	}
	c, err := zoo.Parse(text, true)
	if err != nil {
		return nil, nil, err
	}
	if err := Fits(c, f); err != nil {
		return nil, nil, err
	}
	m, err := c.Open(b)
	if err != nil {
		return nil, nil, err
	}
	m.Params().Upload(join("", m.Params(), f))
	return m, text, nil
}

// Fits reports whether a checkpoint holds the parameters of a configuration and no others.
// Nothing of the configured size is allocated.
func Fits(c sequence.Config, f *checkpoint.File) error {
	set, err := c.Parameters()
	if err != nil {
		return err
	}
	if err := matches("", set, f); err != nil {
		return err
	}
	for _, t := range f.Tensors {
		if !slices.ContainsFunc(set.Tensors, func(known param.Tensor) bool { return known.Name == t.Name }) {
			return fmt.Errorf("tensor %q is unknown to this configuration; the checkpoint is of another model", t.Name)
		}
	}
	return nil
}

// Load puts the parameters of a checkpoint that Fits into the network.
func Load(f *checkpoint.File, set *param.Set) { set.Upload(join("", set, f)) }

// Model is a checkpoint of the network as it is (FORMATS.md).
func (t *Trainer) Model() (*checkpoint.File, error) {
	params := t.Network.Params()
	values, err := params.Download(params.Values())
	if err != nil {
		return nil, err
	}
	f, err := modelFile(t.Run, params, values)
	if err == nil {
		f.Metadata[stepKey] = strconv.Itoa(t.Before + t.step)
	}
	return f, err
}

// stepKey of a checkpoint's metadata is how many training steps made its parameters (FORMATS.md).
const stepKey = "step"

// StepIn is the step that a checkpoint itself says it is of; older ones do not.
func StepIn(f *checkpoint.File) (step int, ok bool) {
	step, err := strconv.Atoi(f.Metadata[stepKey])
	return step, err == nil && step >= 0
}

// ModelOf is the checkpoint of the network in a State that was taken at a step.
func (t *Trainer) ModelOf(state *checkpoint.File, step int) *checkpoint.File {
	f := &checkpoint.File{Metadata: map[string]string{"config": state.Metadata["config"],
		stepKey: strconv.Itoa(t.Before + step)}}
	for _, x := range state.Tensors {
		if name, ok := strings.CutPrefix(x.Name, "param."); ok {
			x.Name = name
			f.Tensors = append(f.Tensors, x)
		}
	}
	return f
}

// State is everything that a trainer needs to go on, bit for bit, as if it had never stopped. Drain comes first.
func (t *Trainer) State() (*checkpoint.File, error) {
	if t.fetched < t.step {
		panic("train: a checkpoint while a step is under way: Drain comes first")
	}
	params := t.Network.Params()
	values, err := params.Download(params.Values())
	if err != nil {
		return nil, err
	}
	m, v, err := t.adam.Moments()
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(progress{t.step, t.adam.Steps, t.curriculum.state, t.early, t.waiting, t.pending})
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(t.Run)
	if err != nil {
		return nil, err
	}
	tensors := slices.Concat(Split("param.", params, values), Split("adam.m.", params, m), Split("adam.v.", params, v))
	metadata := map[string]string{"config": string(config), "progress": string(state)}
	file := &checkpoint.File{Metadata: metadata, Tensors: tensors}
	if t.best != nil {
		file.Tensors = append(file.Tensors, Split("best.", params, t.best)...)
	}
	return file, nil
}

// Restore puts the trainer where it was when State was called, on any backend. A file of another model is refused and
// changes nothing.
func (t *Trainer) Restore(file *checkpoint.File) error {
	params := t.Network.Params()
	p, err := progressOf(params, file)
	if err != nil {
		return err
	}
	t.Drain() // a step under way is of no interest any more, nor is its error
	t.best = nil
	if hasBest(file) && (t.Run.Training.Patience > 0 || p.Pending == pendingTest) {
		t.best = join("best.", params, file)
	}
	params.Upload(join("param.", params, file))
	t.adam.Restore(join("adam.m.", params, file), join("adam.v.", params, file), p.Adam)
	t.step, t.early = p.Step, p.Early
	if p.Curriculum.Limit > 0 { // else the run had none until its config.json was changed
		t.curriculum.state = p.Curriculum
		if most := t.curriculum.full; most > 0 { // lengths may have been changed
			t.curriculum.state.Limit = min(p.Curriculum.Limit, float64(most))
		}
	}
	t.fetched, t.waiting, t.failed = p.Step, p.Waiting, nil
	t.pending = p.Pending
	return nil
}

// progressOf reads where a checkpoint of these parameters was written, and refuses one of others.
func progressOf(params *param.Set, file *checkpoint.File) (p progress, err error) {
	if err := json.Unmarshal([]byte(file.Metadata["progress"]), &p); err != nil {
		return p, fmt.Errorf("metadata key \"progress\" is damaged: %w", err)
	}
	prefixes := []string{"param.", "adam.m.", "adam.v."}
	if hasBest(file) {
		prefixes = append(prefixes, "best.")
	}
	for _, prefix := range prefixes {
		if err := matches(prefix, params, file); err != nil {
			return p, err
		}
	}
	return p, nil
}

func hasBest(file *checkpoint.File) bool {
	return slices.ContainsFunc(file.Tensors, func(x checkpoint.Tensor) bool {
		return strings.HasPrefix(x.Name, "best.")
	})
}

// Reset puts the trainer at step 0 with the start values of the run's seed.
func (t *Trainer) Reset() {
	t.Drain() // as in Restore
	params := t.Network.Params()
	zeros := make([]float32, params.Size())
	params.Upload(params.Initial(t.Run.Training.Seed))
	t.adam.Restore(zeros, zeros, 0)
	t.Before, t.step, t.early, t.best = 0, 0, earlyState{Best: math.MaxFloat64}, nil
	t.fetched, t.waiting, t.failed = 0, tally{}, nil
	t.pending = ""
	t.curriculum = newCurriculum(t.Task, t.Run.Training.Curriculum)
}
