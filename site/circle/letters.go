package circle

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lacks reports whether the font has no glyph of a character: it has the Latin, Greek and Cyrillic scripts.
func lacks(r rune) bool {
	if r < 0x180 {
		return false
	}
	fonts, _ := goFonts() // newGlyphs reports an error first
	i, err := fonts[false].GlyphIndex(nil, r)
	return err != nil || i == 0
}

// pieces cuts a line into what the font has and what it lacks. A run of the latter goes on over spaces and marks, and
// begins with the letter that a mark belongs to: in it a script has its own shapes and direction. Where nobody letters
// such a run its characters stand as <U+XXXX>.
func pieces(s string) iter.Seq2[string, bool] {
	return func(yield func(text string, has bool) bool) {
		for s != "" {
			from, to := foreign(s)
			run := s[from:to]
			if from > 0 && !yield(s[:from], true) || run != "" && letters() && !yield(run, false) ||
				run != "" && !letters() && !yield(spelled(run), true) {
				return
			}
			s = s[to:]
		}
	}
}

// foreign is where the first run begins that the font lacks, and where it ends.
func foreign(s string) (from, to int) {
	from, to = len(s), len(s)
	for i, before := 0, 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case !lacks(r):
			if from < len(s) && unicode.IsLetter(r) {
				return from, to
			}
		case from < len(s):
			to = i + n
		case unicode.Is(unicode.M, r):
			from, to = before, i+n
		default:
			from, to = i, i+n
		}
		before, i = i, i+n
	}
	return from, to
}

// spelled has the numbers of the characters that the font lacks.
func spelled(run string) string {
	var s strings.Builder
	for _, r := range run {
		if lacks(r) {
			fmt.Fprintf(&s, "<U+%04X>", r)
		} else {
			s.WriteRune(r)
		}
	}
	return strings.ReplaceAll(s.String(), "><", " ")
}
