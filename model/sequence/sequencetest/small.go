package sequencetest

import (
	"reflect"
	"strings"
	"testing"

	"mhacsp/model/sequence"
)

// Keys are values of a configuration's keys, by their names.
type Keys map[string]any

// Small sets keys of a configuration in place, for a test of every family that must be quick, and returns it. A key
// that the family does not have is passed over, but for "width": without it no network is small.
func Small(t testing.TB, c sequence.Config, keys Keys) sequence.Config {
	t.Helper()
	known := false
	for _, k := range c.Keys() {
		known = known || k.Name == "width"
		want := reflect.ValueOf(keys[k.Name])
		if !want.IsValid() {
			continue
		}
		field := reflect.ValueOf(k.Value).Elem()
		if field.Type() != want.Type() {
			t.Fatalf("%s: the key %q is of type %v; tests set %v", c.Name(), k.Name, field.Type(), keys[k.Name])
		}
		field.Set(want)
	}
	if !known {
		t.Fatalf("%s has no key \"width\", with which tests make a network small: name its size so in Keys", c.Name())
	}
	return c
}

// Supervisions are those that a family lets its user choose, or its own.
func Supervisions(c sequence.Config) []string {
	for _, k := range c.Keys() {
		if k.Name == "supervision" {
			return k.Choices
		}
	}
	return []string{c.Shape().Supervision()}
}

// OneLine holds an error, of what, to a message of one line that holds all words.
func OneLine(t testing.TB, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error %q does not say %q", what, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: the error has more than one line: %q", what, err)
	}
}
