// Package show writes text of data where people read it: in a terminal, in a message, in a sentence.
package show

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is data as a line of a terminal can hold it: as it is where every character of it can be seen, and otherwise in
// quotation marks with escapes, as Go writes it. So no text ends the line, moves the cursor or turns its direction.
func Text(data string) string {
	if quoted := strconv.Quote(data); strings.ContainsFunc(data, hidden) || !utf8.ValidString(data) {
		return quoted
	}
	return data
}

func hidden(r rune) bool { return !strconv.IsPrint(r) }

// Escaped is data with escapes for what cannot be seen, without quotation marks. It may have several lines.
func Escaped(data string) string {
	return escape(data, func(r rune) bool { return hidden(r) && r != '\n' }, func(r rune) string {
		quoted := strconv.QuoteRune(r)
		return quoted[1 : len(quoted)-1]
	})
}

// JSON is a JSON text with escapes for what cannot be seen. It is the same JSON.
func JSON(text string) string {
	return escape(text, func(r rune) bool { return hidden(r) && r != '\n' }, func(r rune) string {
		var s strings.Builder
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&s, `\u%04x`, unit)
		}
		return s.String()
	})
}

// Line is Escaped for a text that stands on one line.
func Line(data string) string { return strings.ReplaceAll(Escaped(data), "\n", `\n`) }

// Exact is a name in quotation marks in which characters that cannot be seen, or that go into the one before, stand as
// U+XXXX: two names that look alike are seen to differ. A quotation mark alone is called so.
func Exact(name string) string {
	if name == `"` {
		return "a quotation mark"
	}
	return `"` + escape(name, func(r rune) bool { return hidden(r) || unicode.Is(unicode.M, r) }, func(r rune) string {
		return fmt.Sprintf("<U+%04X>", r)
	}) + `"`
}

// Exacts are names, with a comma between two.
func Exacts(list []string) string {
	shown := make([]string, len(list))
	for i, x := range list {
		shown[i] = Exact(x)
	}
	return strings.Join(shown, ", ")
}

// escape replaces the characters that is chooses. A byte that is no UTF-8 becomes \xNN.
func escape(data string, is func(rune) bool, as func(rune) string) string {
	var s strings.Builder
	for i, r := range data {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(data[i:], string(utf8.RuneError)):
			fmt.Fprintf(&s, `\x%02x`, data[i])
		case is(r):
			s.WriteString(as(r))
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
