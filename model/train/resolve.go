package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mhacsp/model"
	"mhacsp/tasks"
)

// Head are the two keys of a configuration that decide what all others default to.
type Head struct{ Task, Model string }

// ParseHead reads them; nil has none.
func ParseHead(text []byte) (Head, error) {
	var h Head
	if text == nil {
		return h, nil
	}
	return h, JSONError(text, json.Unmarshal(text, &h))
}

// DefaultTask is the task of a run that names none.
const DefaultTask = "arithmetic"

// Begin is the recommended run for a head: Default of its task, with the model that it names.
func Begin(h Head) (Run, error) {
	if h.Task == "" {
		h.Task = DefaultTask
	}
	r, err := Default(h.Task)
	if err != nil || h.Model == "" {
		return r, err
	}
	bias := r.GateBias // the task's, not the preset's
	if r.Config, err = model.Preset(h.Model); err != nil {
		return r, err
	}
	r.GateBias = bias
	return r, nil
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

// The two parts of a run, under names that may stand side by side in one struct.
type (
	ModelPart = model.Config
	TrainPart = Config
)

// Overlay writes the keys of a configuration, of a model or of a whole run, over r, but for the two of its head, which are
// decided before. An unknown key is an error.
func (r *Run) Overlay(text []byte) error {
	if text == nil {
		return nil
	}
	name, task := r.Model, r.Training.Task
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&struct {
		*ModelPart
		*TrainPart
	}{&r.Config, &r.Training})
	if err == nil && len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		err = errors.New("text after the JSON object; remove it")
	}
	r.Model, r.Training.Task = name, task
	return JSONError(text, err)
}

// JSONError says where and why a JSON text is not what is needed.
func JSONError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("not valid JSON at line %d: %w; mend it there", line, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not valid JSON: it ends too early; copy the file again, or write its end")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("holds a JSON %s, an object is needed", kind.Value)
	case errors.As(err, &kind):
		return errors.New(model.WrongType(kind))
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s; the keys are those of config.json in a run's folder (model/SPEC.md §12)", key)
	}
	return err
}
