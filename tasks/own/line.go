package own

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks"
)

// Error is a mistake in a file. Line and column are counted from 1, columns in characters.
type Error struct {
	File         string
	Line, Column int
	Text         string
}

// Error begins as compilers do, so that an editor finds the place.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text) }

// mistake is a mistake within a line, at a byte.
type mistake struct {
	at   int
	text string
}

func (m *mistake) Error() string { return m.text }

func wrong(at int, format string, args ...any) error {
	return &mistake{at, fmt.Sprintf(format, args...)}
}

// locate gives a mistake its file, line and column.
func locate(err error, name string, number int, line []byte) error {
	var m *mistake
	if !errors.As(err, &m) {
		return err
	}
	return &Error{name, number, 1 + utf8.RuneCount(line[:min(m.at, len(line))]), m.text}
}

// value is a field's value as the line has it.
type value struct {
	raw []byte // nil: the line has no such field, or null
	at  int    // its byte in the line
}

// row is what a line holds.
type row struct {
	prompt, target, label value
	groups                []value // in the order of the fields that were asked for
}

// readRow finds the fields of a line that are of use, and refuses what is no JSON object or names a field twice.
func readRow(line []byte, groups []string) (row, error) {
	r := row{groups: make([]value, len(groups))}
	if bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		return r, wrong(0, "the file begins with a byte order mark; save it as UTF-8 without one")
	}
	if !utf8.Valid(line) {
		at := 0
		for at < len(line) {
			c, size := utf8.DecodeRune(line[at:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return r, wrong(at, "byte 0x%02x is no UTF-8; save the file as UTF-8", line[at])
	}
	if !json.Valid(line) {
		return r, badJSON(line)
	}
	start := skipSpace(line, 0)
	if line[start] != '{' {
		return r, wrong(start, "found %s; a JSON object is needed, as in %s", clip(line[start:]), sampleLine)
	}
	var names []string
	err := eachField(line, start, func(name string, at int, v value) error {
		if slices.Contains(names, name) {
			return wrong(at, "field %q stands twice on the line; remove one", name)
		}
		names = append(names, name)
		if string(v.raw) == "null" {
			v.raw = nil
		}
		switch name {
		case "prompt":
			r.prompt = v
		case "target":
			r.target = v
		case "label":
			r.label = v
		}
		if i := slices.Index(groups, name); i >= 0 {
			r.groups[i] = v
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	has := "the line has no fields"
	if len(names) > 0 {
		has = "the line has " + clip([]byte(strings.Join(names, ", ")))
	}
	lacks := func(name string) string {
		if slices.Contains(names, name) {
			return fmt.Sprintf("%q is null", name)
		}
		return fmt.Sprintf("%q is missing", name)
	}
	switch {
	case r.prompt.raw == nil:
		return r, wrong(max(start, r.prompt.at), "field %s; %s", lacks("prompt"), has)
	case r.target.raw == nil && r.label.raw == nil:
		return r, wrong(max(start, r.target.at, r.label.at), "field %s, and %s; one of them is needed; %s", lacks("target"),
			lacks("label"), has)
	case r.target.raw != nil && r.label.raw != nil:
		return r, wrong(max(r.target.at, r.label.at), "both \"target\" and \"label\" stand on the line; remove one")
	}
	return r, nil
}

const sampleLine = `{"prompt": "()[", "label": "no"}`

// badJSON says where a line is no JSON.
func badJSON(line []byte) error {
	var syntax *json.SyntaxError
	var any json.RawMessage
	err := json.Unmarshal(line, &any)
	if !errors.As(err, &syntax) {
		return wrong(0, "not valid JSON: %v; mend it", err)
	}
	at := max(int(syntax.Offset)-1, 0)
	return wrong(at, "not valid JSON: %s; mend it, one object a line", strings.TrimPrefix(syntax.Error(), "json: "))
}

// eachField calls f with the fields of the object that begins at a byte of a valid JSON text.
func eachField(text []byte, at int, f func(name string, at int, v value) error) error {
	for at = skipSpace(text, at+1); text[at] != '}'; at = skipSpace(text, at) {
		if text[at] == ',' {
			at = skipSpace(text, at+1)
		}
		key := at
		at = skipValue(text, at)
		name, err := unquote(text[key:at])
		if err != nil {
			return wrong(key, "%v", err)
		}
		from := skipSpace(text, skipSpace(text, at)+1)
		at = skipValue(text, from)
		if err := f(string(name), key, value{text[from:at], from}); err != nil {
			return err
		}
	}
	return nil
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// skipValue is where the value that begins at a byte of a valid JSON text ends.
func skipValue(text []byte, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at // the end of the object around a number
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// unquote is the text of a JSON string.
func unquote(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return []byte(s), err
}

// text is the string that a field holds.
func (v value) text(field string) ([]byte, error) {
	if v.raw[0] != '"' {
		return nil, wrong(v.at, "field %q holds %s; a text in quotation marks is needed", field, clip(v.raw))
	}
	text, err := unquote(v.raw)
	if err != nil {
		return nil, wrong(v.at, "field %q: %v", field, err)
	}
	return text, nil
}

// place is the byte of the line where byte at of the field's text stands; the string's first where that is written
// with escapes.
func (v value) place(at int) int {
	if bytes.IndexByte(v.raw, '\\') >= 0 {
		return v.at
	}
	return v.at + 1 + at
}

// word is a label or a group: a text, a whole number, or true or false.
func (v value) word(field string) (string, error) {
	switch c := v.raw[0]; {
	case c == '"':
		text, err := v.text(field)
		return string(text), err
	case c == 't' || c == 'f':
		return string(v.raw), nil
	case (c == '-' || c >= '0' && c <= '9') && !bytes.ContainsAny(v.raw, ".eE"): // however large
		if string(v.raw) == "-0" {
			return "0", nil
		}
		return string(v.raw), nil
	}
	return "", wrong(v.at, "field %q holds %s; a text, a whole number, or true or false is needed", field, clip(v.raw))
}

// clip shortens JSON for a message.
func clip(raw []byte) string {
	const most = 40
	raw = bytes.TrimSpace(raw)
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}

// parse reads a line as a sample of the task. An error of its content is a *mistake.
func (t *Task) parse(s *tasks.Sample, line []byte) error {
	r, err := readRow(line, t.data.Groups)
	if err != nil {
		return err
	}
	t.reset(s)
	if s.Prompt, err = t.tokens(s.Prompt, "prompt", r.prompt); err != nil {
		return err
	}
	if s.Length = len(s.Prompt) - 1; s.Length == 0 {
		return wrong(r.prompt.at, "field \"prompt\" is empty; at least one token is needed")
	}
	if err := t.outcome(s, r); err != nil {
		return err
	}
	for i, v := range r.groups {
		if v.raw != nil {
			word, err := v.word(t.data.Groups[i])
			if err != nil {
				return err
			}
			s.Groups = append(s.Groups, tasks.Group{Field: t.data.Groups[i], Value: word})
		}
	}
	return nil
}

// outcome reads the target or the label.
func (t *Task) outcome(s *tasks.Sample, r row) error {
	if err := t.data.sameKind(r); err != nil {
		return err
	}
	if r.target.raw != nil {
		var err error
		if s.Target, err = t.tokens(s.Target, "target", r.target); err != nil {
			return err
		}
		s.Target = append(s.Target, tasks.EOS)
		return nil
	}
	word, err := r.label.word("label")
	if err != nil {
		return err
	}
	class, ok := t.classes[word]
	if !ok {
		return wrong(r.label.at, "label %q is no class of the training file, which has %s",
			word, clip([]byte(strings.Join(t.data.Classes, ", "))))
	}
	s.Label = class
	return nil
}

// sameKind refuses a target where the data has labels, and the other way round.
func (d *Data) sameKind(r row) error {
	switch {
	case r.target.raw != nil && len(d.Classes) > 0:
		return wrong(r.target.at, "field \"target\" stands here, but the training file has labels; give \"label\"")
	case r.label.raw != nil && len(d.Classes) == 0:
		return wrong(r.label.at, "field \"label\" stands here, but the training file has targets; give \"target\"")
	}
	return nil
}

// tokens appends the tokens of a field.
func (t *Task) tokens(ids []int32, field string, v value) ([]int32, error) {
	text, err := v.text(field)
	if err != nil {
		return ids, err
	}
	before := len(ids)
	ids, bad := t.cut.add(ids, text)
	switch n := len(ids) - before; {
	case bad >= 0:
		return ids, wrong(v.place(bad), "field %q: %s is no token; expected %s; "+
			"give a --vocabulary that has it, or training data that has it too",
			field, t.cut.found(string(text[bad:])), t.data.expected())
	case n > MaxTokens:
		return ids, tooLong(field, n, v)
	}
	return ids, nil
}

func tooLong(field string, n int, v value) error {
	return wrong(v.at, "field %q has %d tokens, at most %d are possible; shorten it", field, n, MaxTokens)
}
