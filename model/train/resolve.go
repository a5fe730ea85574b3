package train

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"

	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Head are the keys of a configuration that decide what all others default to.
type Head struct {
	Task   string `json:"task"`
	Model  string `json:"model"`
	Preset string `json:"preset"` // of arithmetic
}

// ParseHead reads them; nil has none.
func ParseHead(text []byte) (Head, error) {
	var h Head
	if text == nil {
		return h, nil
	}
	return h, ReadJSON(text, &h)
}

// DefaultTask is the task of a run that names none.
const DefaultTask = "arithmetic"

// Begin is the recommended run for a head: Default of its task, with the model that it names. The sums of preset paper
// are longer, and take a network with a memory more samples (§8).
func Begin(h Head) (Run, error) {
	t, err := tasks.New(cmp.Or(h.Task, DefaultTask), tasks.Options{})
	if err != nil {
		return Run{}, err
	}
	r, err := recommended(t, h.Model)
	if err == nil && h.Preset == "paper" && r.Config.Traits().Reach > 0 {
		r.Training.Steps, r.Training.LR = 12000, 1e-3
	}
	return r, err
}

// Resolve is the run that a configuration asks for, its other keys at their defaults.
func Resolve(text []byte) (Run, tasks.Task, error) {
	h, err := ParseHead(text)
	if err != nil {
		return Run{}, nil, err
	}
	r, err := Begin(h)
	if err != nil {
		return r, nil, err
	}
	if err := r.Overlay(text); err != nil {
		return r, nil, err
	}
	t, err := r.Fit()
	if err != nil {
		return r, nil, err
	}
	return r, t, r.Validate()
}

// Overlay writes the keys of a configuration, of a network or of a whole run, over r, but for task and model,
// which are decided before, and for the extensions of a run, which another run has not had. An unknown key is an
// error. Where text is a run's own configuration, a key that it lacks was not there when it was written and means 0.
func (r *Run) Overlay(text []byte) error {
	if text == nil {
		return nil
	}
	var keys map[string]json.RawMessage
	if err := ReadJSON(text, &keys); err != nil {
		return err
	}
	if err := r.unknown(text); err != nil {
		return err
	}
	if whole(keys) {
		r.Training.StateClip, r.Training.LongShare = 0, 0
	}
	maps.DeleteFunc(keys, func(key string, _ json.RawMessage) bool {
		return key == "model" || key == "task" || key == "extended"
	})
	rest, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	for _, part := range []any{r.Config, &r.Training} {
		if err := strict.Unmarshal(rest, part); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether keys are those of a configuration that MarshalJSON wrote, by this build or before state_clip.
func whole(keys map[string]json.RawMessage) bool {
	var always map[string]json.RawMessage
	text, err := json.Marshal(Config{})
	if err = errors.Join(err, json.Unmarshal(text, &always)); err != nil {
		return false
	}
	always["vocab"] = nil // of the network's; nobody chooses it
	delete(always, "state_clip")
	for key := range always {
		if keys[key] == nil {
			return false
		}
	}
	return true
}

// ReadJSON decodes a text that a person may have written (package strict). Its error names line and column, or the
// key.
func ReadJSON(text []byte, into any) error { return strict.Placed(text, strict.Unmarshal(text, into)) }

// ReadKnownJSON is ReadJSON that refuses keys that into has not.
func ReadKnownJSON(text []byte, into any) error {
	return strict.Placed(text, strict.UnmarshalKnown(text, into))
}
