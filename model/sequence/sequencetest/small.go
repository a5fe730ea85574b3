package sequencetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// Keys are values of a configuration's keys, by their names.
type Keys map[string]any

// Small sets keys of a configuration in place, for a test of every family that must be quick, and returns it. A key
// that the family does not have is passed over, but for "width": without it no network is small. A memory that is not
// named shrinks to half of the width, or what the heads leave of it; more than two layers shrink to two.
func Small(t testing.TB, c sequence.Config, keys Keys) sequence.Config {
	t.Helper()
	known := false
	for _, k := range c.Keys() {
		known = known || k.Name == "width"
		want := reflect.ValueOf(keys[k.Name])
		if n, ok := k.Value.(*int); ok && k.Name == "layers" {
			*n = min(*n, 2)
		}
		if !want.IsValid() {
			continue
		}
		field := reflect.ValueOf(k.Value).Elem()
		if field.Type() != want.Type() {
			t.Fatalf("%s: the key %q is of type %v; tests set %v", c.Name(), k.Name, field.Type(), keys[k.Name])
		}
		field.Set(want)
	}
	if width, ok := keys["width"].(int); ok && keys["memory"] == nil {
		shrinkMemory(c, width)
	}
	if !known {
		t.Fatalf("%s has no key \"width\", with which tests make a network small: name its size so in Keys", c.Name())
	}
	return c
}

// Supervisions are those that a family lets its user choose for c, or its own. c is changed.
func Supervisions(c sequence.Config) []string {
	for _, k := range c.Keys() {
		if k.Name != "supervision" {
			continue
		}
		var list []string
		for _, choice := range k.Choices {
			if *k.Value.(*string) = choice; c.Validate() == nil {
				list = append(list, choice)
			}
		}
		return list
	}
	return []string{c.Shape().Supervision()}
}

// Usable skips a test of a configuration that its family refuses, in words for a user, for labels. As it stands every
// preset can be used: TestPresetCounts of package zoo holds that.
func Usable(t testing.TB, c sequence.Config) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Skip(err)
	}
}

func shrinkMemory(c sequence.Config, width int) {
	var memory, heads *int
	for _, k := range c.Keys() {
		switch k.Name {
		case "memory":
			memory = k.Value.(*int)
		case "heads":
			heads = k.Value.(*int)
		}
	}
	if memory == nil || *memory == 0 {
		return
	}
	for *memory = width / 2; heads != nil && (width-*memory)%*heads != 0; *memory-- {
	}
}

// Unfit holds an error, of what, to be a *strict.FieldError of a key and its value.
func Unfit(t testing.TB, what string, err error, key string, value any) {
	t.Helper()
	var bad *strict.FieldError
	if !errors.As(err, &bad) || bad.Key != key || fmt.Sprint(bad.Value) != fmt.Sprint(value) {
		t.Errorf("%s: %v; %s of %v is at fault", what, err, key, value)
	}
}
