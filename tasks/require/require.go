// Package require ends a test whose preparations fail, under testify's name for it.
package require

import "testing"

// NoError ends the test where err is one.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
