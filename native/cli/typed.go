//go:build !js

package cli

import (
	"strings"
	"unicode"
)

// alike are the characters that mean an ASCII one, by that. The page has the same in site/scripts/typed.js.
var alike = map[rune]string{'-': "‐‑‒–—―−﹣", '*': "×∗⋅·✕✖∙", '+': "﹢➕", '=': "﹦", '(': "﹙", ')': "﹚"}

// AsTyped turns characters into those that they look like: signs, full-width forms, white space of any kind. A
// character stays one character, so that a column is the same in both.
func AsTyped(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII && r > ' ':
			return r
		case r > 0xff00 && r < 0xff5f: // full-width forms
			return r - 0xff00 + ' '
		case unicode.IsSpace(r):
			return ' '
		}
		for plain, others := range alike {
			if strings.ContainsRune(others, r) {
				return plain
			}
		}
		return r
	}, text)
}
