package show

import (
	"strconv"
	"strings"
	"testing"
	"unicode"

	"mhacsp/tasks/assert"
)

// TestText: data that can be seen stays as it is; of other data nothing reaches a terminal but what can be seen.
func TestText(t *testing.T) {
	for data, want := range map[string]string{
		"": "", `a "b" \c`: `a "b" \c`, "שלום é 漢字 😀": "שלום é 漢字 😀", "nai\u0308ve": "nai\u0308ve",
		"a\x1b[31m": `"a\x1b[31m"`, "two\nlines": `"two\nlines"`, "\u202eabc": `"\u202eabc"`,
		"a\u009b2J": `"a\u009b2J"`, "\xff": `"\xff"`, "a\u200bb": `"a\u200bb"`, "a\u00a0b": `"a\u00a0b"`,
	} {
		assert.Is(t, Text(data), want, "%q is shown as", data)
		for _, shown := range []string{Text(data), Escaped(data), Exact(data)} {
			hidden := strings.ContainsFunc(shown, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) })
			assert.True(t, !hidden, "%q is shown as %q", data, shown)
		}
	}
}

// TestExact: names that look alike are told apart.
func TestExact(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"é", "e\u0301", "prompt", "prompt\u200b", "pro\u00admpt", "prompt\ufeff", "prompt\u00a0",
	} {
		shown := Exact(name)
		bare := strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.M, unicode.Cf) {
				return -1
			}
			return r
		}, shown)
		assert.True(t, seen[shown] == "" && bare == shown, "%q is shown as %s", name, shown)
		seen[shown] = name
	}
}
