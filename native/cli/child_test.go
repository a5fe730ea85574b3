//go:build unix

package cli

import (
	"strings"
	"testing"
)

// TestChild: a user's mistake, which is said in this program's name, is told from a crash, which Go ends with the same
// code.
func TestChild(t *testing.T) {
	for script, want := range map[string]struct {
		code int
		last string
	}{
		"echo mhacsp: a mistake >&2; exit 2": {CodeUser, "a mistake"}, "echo gs 0x0 >&2; exit 2": {CodeInternal, "it crashed"},
		"exit 0": {CodeOK, ""}, "kill -9 $$": {CodeInternal, "killed"},
	} {
		code, _, last := Child{Program: "/bin/sh", Args: []string{"-c", script}}.Run(t.Context())
		if code != want.code || !strings.Contains(last, want.last) {
			t.Errorf("%s: exit code %d, %q", script, code, last)
		}
	}
}
