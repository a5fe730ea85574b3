package strict

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"mhacsp/tasks/show"
)

// Unmarshal is json.Unmarshal for a text that Check takes, in which keys are spelt as into has them. Keys that nothing
// in into is like are passed over.
func Unmarshal(text []byte, into any) error { return decode(text, into, false) }

// UnmarshalKnown is Unmarshal that refuses keys that into has not.
func UnmarshalKnown(text []byte, into any) error { return decode(text, into, true) }

func decode(text []byte, into any, closed bool) error {
	if err := Check(text); err != nil {
		return err
	}
	if err := spelt(text, Begin(text), reflect.TypeOf(into), closed); err != nil {
		return err
	}
	err := json.Unmarshal(text, into)
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrongType(kind)
	}
	return err
}

// wrongType says which key holds what, and what it must hold.
func wrongType(e *json.UnmarshalTypeError) error {
	key := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	held, needed := "a "+e.Value, "a text in quotation marks"
	if e.Value == "array" || e.Value == "object" {
		held = "an " + e.Value
	}
	switch e.Type.Kind() {
	case reflect.Bool:
		needed = "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		needed = "a whole number"
	case reflect.Uint64:
		needed = "a whole number from 0"
	case reflect.Float64:
		needed = "a number"
	case reflect.Slice:
		needed = "a list"
	case reflect.Struct, reflect.Map:
		needed = "an object"
	}
	if key == "" {
		return &Error{At: -1, Text: fmt.Sprintf("holds a JSON %s, %s is needed", e.Value, needed)}
	}
	return &Error{At: -1, Text: fmt.Sprintf("key %q holds %s; %s is needed", key, held, needed), Key: key}
}

// Placed is err with line and column before what it says, where it is an *Error that needs a place: a key names its
// own.
func Placed(text []byte, err error) error {
	var bad *Error
	if !errors.As(err, &bad) || bad.Key != "" || bad.At < 0 {
		return err
	}
	line, column := Place(text, bad.At)
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

var own = reflect.TypeFor[json.Unmarshaler]()

// spelt refuses keys of the value at a byte of text that a Go type has in another case or, where it is closed, has
// not.
func spelt(text []byte, at int, t reflect.Type, closed bool) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(own) {
		return nil
	}
	switch {
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && text[at] == '[':
		return items(text, at, func(at int) error { return spelt(text, at, t.Elem(), closed) })
	case t.Kind() == reflect.Map && text[at] == '{':
		return Fields(text, at, func(f Field) error { return spelt(text, f.From, t.Elem(), closed) })
	case t.Kind() != reflect.Struct || text[at] != '{':
		return nil
	}
	known := keys(t)
	return Fields(text, at, func(f Field) error {
		name := string(f.Name)
		if kind, ok := known[name]; ok {
			return spelt(text, f.From, kind, closed)
		}
		return Unknown(f, slices.Sorted(maps.Keys(known)), closed)
	})
}

// Unknown is the mistake that a field is none of those that are known: that it is spelt in another case or, where
// nothing else may stand there, that nobody reads it. It is nil otherwise.
func Unknown(f Field, known []string, closed bool) error {
	name := string(f.Name)
	shown := show.Exact(name)
	if slices.Contains(known, name) {
		return nil
	}
	for _, key := range known {
		if strings.EqualFold(key, name) {
			return &Error{f.At, fmt.Sprintf("unknown key %s, did you mean %q?", shown, key), name, true}
		}
	}
	if !closed {
		return nil
	}
	return &Error{f.At, fmt.Sprintf("unknown key %s; the keys are %s", shown, strings.Join(known, ", ")), name, true}
}

// Keys are the keys that package json knows of a struct, in alphabetical order. of points to it.
func Keys(of any) []string { return slices.Sorted(maps.Keys(keys(reflect.TypeOf(of).Elem()))) }

func keys(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			maps.Copy(known, keys(f.Type))
		case f.IsExported():
			known[cmp.Or(name, f.Name)] = f.Type
		}
	}
	return known
}
