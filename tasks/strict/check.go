// Package strict reads the JSON that people and other programs write, and takes nothing that could be read in two
// ways: no key twice in an object, no key in another case, no half of a surrogate pair, no byte that is no UTF-8. Its
// mistakes name the place, the key and what to do, in words of its own: those of encoding/json change with Go.
package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks/show"
)

// Error is a mistake in a text.
type Error struct {
	At      int // its byte in the text; −1 where it is about the kind of a value
	Text    string
	Key     string // the key that it is about, where it is about what one is called or holds
	Unknown bool   // nobody reads that key
}

func (e *Error) Error() string { return e.Text }

// TrimBOM is text without the byte order mark that some editors begin a file with.
func TrimBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// Place is the line and the column of a byte of a text, both from 1, columns in characters.
func Place(text []byte, at int) (line, column int) {
	text = text[:min(at, len(text))]
	begin := bytes.LastIndexByte(text, '\n') + 1
	return 1 + bytes.Count(text, []byte("\n")), 1 + utf8.RuneCount(text[begin:])
}

// maxDepth is how many objects and lists may stand in one another, as in package json.
const maxDepth = 10000

// Check refuses a text that is not one JSON value, or one that could be read in two ways. Its error is an *Error.
func Check(text []byte) error {
	if !utf8.Valid(text) {
		if is := Packed(text); is != "" {
			return wrong(0, "%s", is)
		}
		at := 0 // of the first byte that is none
		for r, size := utf8.DecodeRune(text); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(text[at:]) {
			at += size
		}
		return wrong(at, "byte 0x%02x is no UTF-8; save the file as UTF-8", text[at])
	}
	s := scan{text: text}
	if err := s.value(0); err != nil {
		return err
	}
	end := s.at
	if s.space(); s.at < len(text) {
		remedy := "remove it, or begin a line with it"
		switch gap := text[end:s.at]; {
		case bytes.ContainsRune(gap, '\n'):
			remedy = "remove it"
		case bytes.ContainsRune(gap, '\r'):
			remedy = `end lines with LF, not with CR alone, as tr '\r' '\n' does`
		}
		return s.bad("%s stands behind the JSON value; %s", s.here(), remedy)
	}
	return nil
}

// Packed says what a file is that is no text, by its first bytes, and what to do; nothing of any other.
func Packed(head []byte) string {
	for _, p := range packed {
		if bytes.HasPrefix(head, []byte(p.begin)) {
			return "the file is " + p.is
		}
	}
	return ""
}

// packed are the first bytes of files that are no text, with what they are and what to do.
var packed = []struct{ begin, is string }{
	{"\x1f\x8b", "packed with gzip; unpack it first, as gunzip does"},
	{"PK\x03\x04", "a ZIP archive or a spreadsheet; unpack it, or save the sheet as CSV"},
	{"\x28\xb5\x2f\xfd", "packed with zstd; unpack it, as zstd -d does"},
	{"BZh", "packed with bzip2; unpack it, as bunzip2 does"},
	{"\xfd7zXZ\x00", "packed with xz; unpack it, as unxz does"},
	{"PAR1", "of the format Parquet; write its rows as JSON lines or CSV"},
	{"\xff\xfe", "UTF-16; save it as UTF-8"},
	{"\xfe\xff", "UTF-16; save it as UTF-8"},
}

func wrong(at int, format string, args ...any) error {
	return &Error{At: at, Text: fmt.Sprintf(format, args...)}
}

// scan is a place in a text that is UTF-8.
type scan struct {
	text []byte
	at   int
	keys [][]byte // of the objects around the place, outermost first
}

// bad is a mistake in the grammar.
func (s *scan) bad(format string, args ...any) error {
	return wrong(s.at, "not valid JSON: "+format, args...)
}

func (s *scan) space() { s.at = skipSpace(s.text, s.at) }

// peek is the byte at the place, 0 at the end.
func (s *scan) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// here names what stands at the place: a word or a character.
func (s *scan) here() string {
	rest := s.text[s.at:]
	n := bytes.IndexFunc(rest, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	switch {
	case len(rest) == 0:
		return "the end"
	case n < 0:
		n = len(rest)
	case n == 0:
		_, n = utf8.DecodeRune(rest)
	}
	return show.Exact(string(rest[:min(n, 20)]))
}

const early = "it ends too early; write its end, or copy the file again"

func (s *scan) value(depth int) error {
	s.space()
	if depth > maxDepth {
		return s.bad("more than %d brackets stand in one another; write it flatter", maxDepth)
	}
	switch c := s.peek(); {
	case s.at == len(s.text):
		return s.bad(early)
	case c == '{':
		return s.object(depth)
	case c == '[':
		return s.list(depth)
	case c == '"':
		return s.string()
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == '\'':
		return s.bad(`found a single quotation mark; JSON has double ones, as in "a"`)
	case c == ']' || c == '}':
		return s.bad("a value is missing before %c; write it, or remove the comma", c)
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.text[s.at:], []byte(word)) {
			s.at += len(word)
			return nil
		}
	}
	return s.bad(`found %s where a value is needed; a text stands in quotation marks, `+
		`other values are numbers, true, false and null`, s.here())
}

func (s *scan) object(depth int) error {
	outer := len(s.keys)
	defer func() { s.keys = s.keys[:outer] }()
	var many map[string]bool // the keys, where a look at each would take long
	s.at++
	if s.space(); s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		s.space()
		key := s.at
		switch c := s.peek(); {
		case s.at == len(s.text):
			return s.bad(early)
		case c == '}':
			return s.bad("a comma stands before }; remove it")
		case c != '"':
			return s.bad(`found %s where a key is needed; a key stands in double quotation marks`, s.here())
		}
		if err := s.string(); err != nil {
			return err
		}
		name := String(s.text[key:s.at])
		double := many[string(name)]
		if many == nil {
			double = slices.ContainsFunc(s.keys[outer:], func(k []byte) bool { return bytes.Equal(k, name) })
		}
		if double {
			return wrong(key, "key %s stands twice; remove one", show.Exact(string(name)))
		}
		if s.keys = append(s.keys, name); many != nil {
			many[string(name)] = true
		} else if len(s.keys)-outer > 32 {
			many = map[string]bool{}
			for _, k := range s.keys[outer:] {
				many[string(k)] = true
			}
		}
		if s.space(); s.peek() != ':' {
			return s.wants(": behind a key")
		}
		s.at++
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if done, err := s.more('}'); done || err != nil {
			return err
		}
	}
}

func (s *scan) list(depth int) error {
	s.at++
	if s.space(); s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if done, err := s.more(']'); done || err != nil {
			return err
		}
	}
}

// more goes over the comma between two items, or over what ends them.
func (s *scan) more(end byte) (done bool, err error) {
	s.space()
	switch s.peek() {
	case end:
		s.at++
		return true, nil
	case ',':
		s.at++
		return false, nil
	}
	return false, s.wants("a comma or " + string(end))
}

// wants is that something else is needed at the place.
func (s *scan) wants(what string) error {
	if s.at == len(s.text) {
		return s.bad(early)
	}
	return s.bad("found %s where %s is needed", s.here(), what)
}

func (s *scan) string() error {
	for s.at++; ; s.at++ {
		switch c := s.peek(); {
		case s.at == len(s.text):
			return s.bad(early)
		case c == '"':
			s.at++
			return nil
		case c < ' ':
			return s.bad(`a text holds the character %s itself; write it as %s`,
				show.Exact(string(rune(c))), escapeOf(c))
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		}
	}
}

// escapeOf is how JSON writes a control character.
func escapeOf(c byte) string {
	text, _ := json.Marshal(string(rune(c)))
	return strings.Trim(string(text), `"`)
}

// escape goes to the last byte of an escape.
func (s *scan) escape() error {
	at := s.at
	if s.at++; s.at == len(s.text) {
		return s.bad(early)
	}
	if c := s.peek(); c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			_, size := utf8.DecodeRune(s.text[s.at:])
			s.at = at
			return s.bad(`%s is no escape; a backslash itself is written \\`, show.Exact(string(s.text[at:at+1+size])))
		}
		return nil
	}
	first, ok := unit(s.text[at:])
	if !ok {
		s.at = at
		return s.bad(`four hexadecimal digits are needed behind \u`)
	}
	s.at = at + 5
	if first < 0xd800 || first > 0xdfff {
		return nil
	}
	if second, ok := unit(s.text[at+6:]); ok && first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff {
		s.at += 6
		return nil
	}
	return wrong(at, `%s is half of a character (a lone surrogate); write the other half behind it, or remove it`,
		s.text[at:at+6])
}

// unit is the number of the escape \uXXXX that a text begins with.
func unit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

func (s *scan) number() error {
	digits := func() bool {
		begin := s.at
		for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
			s.at++
		}
		return s.at > begin
	}
	begin := s.at
	if s.peek() == '-' {
		s.at++
	}
	ok := true
	if s.peek() == '0' {
		s.at++
		c := s.peek()
		ok = c < '0' || c > '9'
	} else {
		ok = digits()
	}
	if ok && s.peek() == '.' {
		s.at++
		ok = digits()
	}
	if c := s.peek(); ok && (c == 'e' || c == 'E') {
		if s.at++; s.peek() == '+' || s.peek() == '-' {
			s.at++
		}
		ok = digits()
	}
	if !ok {
		s.at = begin
		return s.bad("found a number that JSON has not; write it as in -1.5, 0.5 or 1e3")
	}
	return nil
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// String is the text of a JSON string that Check took.
func String(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = json.Unmarshal(raw, &s)
	return []byte(s)
}
