package window

import (
	"slices"
	"unicode"
)

// longestLine bounds what can be typed: a reading's matrices grow with its square. What --ask gives is never cut.
const longestLine = 1024

// line is a line of text that is being edited.
type line struct {
	text  []rune
	caret int  // before text[caret]
	whole bool // all of it is selected: what is typed takes its place
}

func (l *line) set(s string) {
	l.text = slices.DeleteFunc([]rune(s), func(r rune) bool { return !unicode.IsPrint(r) })
	l.caret, l.whole = len(l.text), false
}

func (l *line) String() string { return string(l.text) }

func (l *line) insert(r rune) {
	if l.whole {
		l.text, l.caret, l.whole = l.text[:0], 0, false
	}
	if unicode.IsPrint(r) && len(l.text) < longestLine {
		l.text = slices.Insert(l.text, l.caret, r)
		l.caret++
	}
}

// edit does what a key does in a line of text, and reports whether there is such a key.
func (l *line) edit(k Key) bool {
	if l.whole && (k == "Backspace" || k == "Delete") {
		k = "Ctrl+U"
	}
	l.whole = false
	switch k {
	case "ArrowLeft":
		l.caret = max(l.caret-1, 0)
	case "ArrowRight":
		l.caret = min(l.caret+1, len(l.text))
	case "Home":
		l.caret = 0
	case "End":
		l.caret = len(l.text)
	case "Backspace":
		from := max(l.caret-1, 0)
		l.text, l.caret = slices.Delete(l.text, from, l.caret), from
	case "Delete":
		l.text = slices.Delete(l.text, l.caret, min(l.caret+1, len(l.text)))
	case "Ctrl+U":
		l.text, l.caret = l.text[:0], 0
	default:
		return false
	}
	return true
}
