package sequencetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
	"mhacsp/tasks/strict"
)

// Keys are values of a configuration's keys, by their names.
type Keys map[string]any

// Small sets keys of a configuration in place, for a test of every family that must be quick, and returns it. A key
// that the family does not have is passed over, but for "width": without it no network is small. A memory that is not
// named shrinks to half of the width, or what the heads leave of it; more than two layers shrink to two.
func Small(t testing.TB, c sequence.Config, keys Keys) sequence.Config {
	t.Helper()
	assert.Need(t, key[int](c, "width") != nil,
		"%s has no key \"width\", with which tests make a network small: name its size so in Keys", c.Name())
	if layers := key[int](c, "layers"); layers != nil {
		*layers = min(*layers, 2)
	}
	for _, k := range c.Keys() {
		if want := reflect.ValueOf(keys[k.Name]); want.IsValid() {
			field := reflect.ValueOf(k.Value).Elem()
			assert.Need(t, field.Type() == want.Type(),
				"%s: the key %q is of type %v; tests set %v", c.Name(), k.Name, field.Type(), want)
			field.Set(want)
		}
	}
	width, ok := keys["width"].(int)
	memory, heads := key[int](c, "memory"), key[int](c, "heads")
	if ok && keys["memory"] == nil && memory != nil && *memory > 0 {
		for *memory = width / 2; heads != nil && (width-*memory)%*heads != 0; *memory-- {
		}
	}
	return c
}

// key is where a configuration keeps the value of a key, nil where it has none of that name and type.
func key[T any](c sequence.Config, name string) *T {
	for _, k := range c.Keys() {
		if value, ok := k.Value.(*T); ok && k.Name == name {
			return value
		}
	}
	return nil
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

// Unfit holds an error, of what, to be a *strict.FieldError of a key and its value.
func Unfit(t testing.TB, what string, err error, key string, value any) {
	t.Helper()
	var bad *strict.FieldError
	if !errors.As(err, &bad) || bad.Key != key || fmt.Sprint(bad.Value) != fmt.Sprint(value) {
		t.Errorf("%s: %v; %s of %v is at fault", what, err, key, value)
	}
}
