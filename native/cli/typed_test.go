//go:build !js

package cli

import (
	"os"
	"regexp"
	"testing"

	"mhacsp/tasks/assert"
)

// TestAsTyped: what looks like a sign, a digit or a space is one, and the page's table is the same.
func TestAsTyped(t *testing.T) {
	for text, want := range map[string]string{
		"（３＋５）−2": "(3+5)-2", "2×３ mod\r\n9": "2*3 mod  9", "ｍｏｄ　9": "mod 9", "1–1": "1-1",
		"1÷2é": "1÷2é", "~!": "~!",
	} {
		assert.Is(t, AsTyped(text), want, "%q became", text)
	}
	script := assert.Must(os.ReadFile("../../site/scripts/typed.js"))(t)
	pairs := regexp.MustCompile(`\["(.)", "([^"]+)"\]`).FindAllStringSubmatch(string(script), -1)
	assert.True(t, len(pairs) == len(alike),
		"the page has %d characters with others like them, this program %d", len(pairs), len(alike))
	for _, p := range pairs {
		assert.Is(t, alike[rune(p[1][0])], p[2], "like %s are, here and on the page", p[1])
	}
}
