package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"mhacsp/model/zoo"
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
	if h.Model == "" {
		return Default(h.Task)
	}
	t, err := tasks.New(h.Task, tasks.Options{})
	if err != nil {
		return Run{}, err
	}
	return recommended(t, h.Model)
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

// Overlay writes the keys of a configuration, of a network or of a whole run, over r, but for the two of its head,
// which are decided before, and for the extensions of a run, which another run has not had. An unknown key is an
// error. Where text is a run's own configuration, a key that it lacks was not there when it was written and means 0.
func (r *Run) Overlay(text []byte) error {
	if text == nil {
		return nil
	}
	var keys map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&keys); err != nil {
		return JSONError(text, err)
	}
	if len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return errors.New("text after the JSON object; remove it")
	}
	if key := r.unknown(text); key != "" {
		return fmt.Errorf("unknown key %q; "+
			"the keys are those of config.json in a run's folder (model/SPEC.md §12)", key)
	}
	if whole(keys) {
		r.Training.StateClip, r.Training.LongShare = 0, 0
	}
	maps.DeleteFunc(keys, func(key string, _ json.RawMessage) bool {
		return strings.EqualFold(key, "model") || strings.EqualFold(key, "task") || strings.EqualFold(key, "extended")
	})
	rest, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	for _, part := range []any{r.Config, &r.Training} {
		if err := json.Unmarshal(rest, part); err != nil {
			return JSONError(rest, err)
		}
	}
	return nil
}

// whole tells whether keys are those of a configuration that MarshalJSON wrote, by this build or before state_clip.
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
		return errors.New(zoo.WrongType(kind))
	}
	return err
}
