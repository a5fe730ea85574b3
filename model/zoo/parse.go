package zoo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sort"
	"strings"

	"mhacsp/model/sequence"
)

// Parse reads a configuration (SPEC §12): a preset's name under "model" and any keys that override it, of the preset's
// family. An unknown key is an error that names it, unless others is set (the keys of a run that stand beside the
// network's).
func Parse(data []byte, others bool) (sequence.Config, error) {
	var head struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &kind) && kind.Field == "":
			return nil, fmt.Errorf("configuration is a JSON %s; an object is needed", kind.Value)
		case errors.As(err, &kind):
			return nil, fmt.Errorf("configuration %s", WrongType(kind))
		}
		return nil, fmt.Errorf("configuration is not valid JSON: %w; mend the text, or copy the file again", err)
	}
	if head.Model == "" {
		return nil, fmt.Errorf(`configuration has no "model"; give one of %s`, strings.Join(Names(), ", "))
	}
	c, err := Preset(head.Model)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if !others {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(c); err != nil {
		if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return nil, fmt.Errorf("configuration has an unknown key %s; known keys: %s",
				key, strings.Join(keys(c), ", "))
		}
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return nil, fmt.Errorf("configuration %s", WrongType(kind))
		}
		return nil, fmt.Errorf("configuration: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("configuration: text after the JSON object; remove it")
	}
	return c, c.Validate()
}

// keys are those of a configuration's JSON, in alphabetical order.
func keys(c sequence.Config) []string {
	var m map[string]json.RawMessage
	data, _ := json.Marshal(c)
	_ = json.Unmarshal(data, &m)
	names := make([]string, 0, len(m))
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	return names
}

// WrongType says in a reader's words which key of a configuration holds what, and what it must hold.
func WrongType(e *json.UnmarshalTypeError) string {
	held, needed := "a "+e.Value, "a text in quotation marks"
	if e.Value == "array" || e.Value == "object" {
		held = "an " + e.Value
	}
	switch e.Type.Kind() {
	case reflect.Bool:
		needed = "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		needed = "a whole number"
	case reflect.Float64:
		needed = "a number"
	}
	return fmt.Sprintf("key %q holds %s; %s is needed", e.Field[strings.LastIndexByte(e.Field, '.')+1:], held, needed)
}
