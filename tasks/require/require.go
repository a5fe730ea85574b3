// Package require ends a test whose preparations fail, under testify's name for it, and tells what a text lacks.
package require

import (
	"strings"
	"testing"
)

// NoError ends the test where err is one.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Says reports each of these that is not in a text. The test goes on.
func Says(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
