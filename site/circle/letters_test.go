package circle

import (
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// TestPieces: what the font lacks is one run over spaces and marks, begins with a mark's letter, and ends before the
// font's own letters. Where nobody letters it, its characters stand with their numbers.
func TestPieces(t *testing.T) {
	for s, want := range map[string][3]string{ // what is before the run, the run, how all is written
		"":             {"", "", ""},
		"naïve Ωж = 3": {"naïve Ωж = 3", "", "naïve Ωж = 3"},
		"a של, עול! b": {"a ", "של, עול", "a <U+05E9 U+05DC>, <U+05E2 U+05D5 U+05DC>! b"},
		"字":            {"", "字", "<U+5B57>"},
		"xe\u0301y":    {"x", "e\u0301", "xe<U+0301>y"},
		"א1 ב":         {"", "א1 ב", "<U+05D0>1 <U+05D1>"},
	} {
		from, to := foreign(s)
		var all strings.Builder
		for text, has := range pieces(s) {
			assert.True(t, has, "%q: nobody letters %q", s, text)
			all.WriteString(text)
		}
		assert.True(t, s[:from] == want[0] && s[from:to] == want[1] && all.String() == want[2],
			"%q: %q, %q, written %q", s, s[:from], s[from:to], all.String())
	}
}
