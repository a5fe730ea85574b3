//go:build !js

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mhacsp/model"
	"mhacsp/model/train"
)

// maxText bounds the JSON files that are read whole.
const maxText = 256 << 20

// readText reads a JSON file or pipe.
func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w; check the path", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("%s is larger than %d MiB; split it", path, maxText>>20)
	}
	return text, nil
}

type head struct{ Task, Model string }

// parseHead reads the two keys that decide what all others default to; nil has none.
func parseHead(text []byte) (head, error) {
	var h head
	if text == nil {
		return h, nil
	}
	return h, jsonError(text, json.Unmarshal(text, &h))
}

// The two parts of a run, under names that may stand side by side in one struct.
type (
	ModelPart = model.Config
	TrainPart = train.Config
)

// overlay writes the keys of a configuration, of a model or of a whole run, over r. An unknown key is an error.
func overlay(r *train.Run, text []byte) error {
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
	r.Model, r.Training.Task = name, task // already decided, perhaps by a flag
	return jsonError(text, err)
}

// jsonError says where and why a JSON text is not what is needed.
func jsonError(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("not valid JSON at line %d: %w", line, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not valid JSON: it ends too early")
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("holds a JSON %s, an object is needed", kind.Value)
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return fmt.Errorf("key %q holds a %s, a %s is needed", field, kind.Value, kind.Type)
	}
	if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s; the keys are those of config.json in a run's folder (SPEC §12)", key)
	}
	return err
}
