package own

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mhacsp/tasks"
	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// Error is a mistake in a file. Line and column are counted from 1, columns in characters.
type Error struct {
	File         string // empty where it is not of one file
	Line, Column int
	Text         string
	Fields       []string // where a field or a column is missing: those that are there
	Remedy       Remedy

	at int // byte of the line
}

// Remedy is what helps other than to mend the file: whoever shows a mistake says where that is done.
type Remedy int

// The remedies; 0 is none.
const (
	_              Remedy = iota
	NameFields            // say which fields or columns stand for prompt, target and label
	AddToken              // to the vocabulary, or to the training data
	TakeCharacters        // for tokens, or give a vocabulary
	ChooseGroup           // break down by another field, or by none
)

// Error begins as compilers do, so that an editor finds the place.
func (e *Error) Error() string {
	if e.File == "" {
		return e.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// wrong is a mistake at a byte of a line, for locate.
func wrong(at int, format string, args ...any) *Error {
	return &Error{at: at, Text: fmt.Sprintf(format, args...)}
}

func (e *Error) with(r Remedy) error {
	e.Remedy = r
	return e
}

// locate gives a mistake its file, line and column. number is that of the record's first line.
func locate(err error, name string, number int, record []byte) error {
	if bad := new(strict.Error); errors.As(err, &bad) {
		err = wrong(bad.At, "%s", bad.Text)
	}
	if e := new(Error); errors.As(err, &e) {
		line, column := strict.Place(record, e.at)
		e.File, e.Line, e.Column = name, number+line-1, column
	}
	return err
}

// value is a field's value as the line has it.
type value struct {
	raw    []byte // nil: the line has no such field, or null
	at     int    // its byte in the line
	cell   bool   // raw is the text itself, of a table's column
	quoted bool   // the column stands in quotation marks
}

// row is what a line holds.
type row struct {
	prompt, target, label value
	groups                []value // in the order of the fields that were asked for
}

// row finds what is of use in a sample's line, and refuses a line that could be read in two ways.
func (f *file) row(line []byte, d *Data) (row, error) {
	if f.comma == 0 {
		return readRow(line, d)
	}
	if !utf8.Valid(line) {
		return row{}, strict.Check(line) // which says where
	}
	return f.rowOf(line, d)
}

// readRow is the row of a JSON line.
func readRow(line []byte, d *Data) (row, error) {
	r := row{groups: make([]value, len(d.Groups))}
	line = bytes.TrimRight(line, " \t\r\n") // so that what is missing at its end is missing in this line
	start := strict.Begin(line)
	if err := strict.Check(line); err != nil {
		if c := line[start]; c != '{' && c != '[' && c != '"' && utf8.Valid(line) {
			return r, wrong(start, "found %s; a JSON object is needed, as in %s, or a table (CSV, TSV) whose first "+
				"line names its columns", clip(line), sampleLine)
		}
		return r, err
	}
	if line[start] != '{' {
		return r, wrong(start, "found %s; a JSON object is needed, as in %s", clip(line[start:]), sampleLine)
	}
	var names []string
	n := d.Fields.names()
	_ = strict.Fields(line, start, func(f strict.Field) error {
		name := string(f.Name)
		names = append(names, name)
		v := value{raw: f.Value, at: f.From}
		if string(v.raw) == "null" {
			v.raw = nil
		}
		if name == n.Prompt {
			r.prompt = v
		}
		if name == n.Target && name != "" {
			r.target = v
		}
		if name == n.Label && name != "" {
			r.label = v
		}
		if i := slices.Index(d.Groups, name); i >= 0 {
			r.groups[i] = v
		}
		return nil
	})
	missing := func(what string) error {
		has := "the line has no fields"
		if len(names) > 0 {
			has = "the line has " + show.Exacts(names[:min(len(names), 12)])
		}
		return &Error{at: start, Text: "field " + what + " is missing; " + has, Fields: names, Remedy: NameFields}
	}
	null := func(v value, name string) error { // it is there: no other column need be chosen
		return wrong(v.at, "field %s is null; a value is needed, or take the line out", show.Exact(name))
	}
	switch {
	case r.prompt.raw == nil && r.prompt.at > 0:
		return r, null(r.prompt, n.Prompt)
	case r.prompt.raw == nil:
		return r, missing(show.Exact(n.Prompt))
	case r.target.raw != nil || r.label.raw != nil:
	case r.label.at > 0:
		return r, null(r.label, n.Label)
	case r.target.at > 0:
		return r, null(r.target, n.Target)
	default:
		return r, missing(n.outcomes())
	}
	if r.target.raw != nil && r.label.raw != nil {
		return r, &Error{at: max(r.target.at, r.label.at), Text: fmt.Sprintf("both %s and %s stand on the line",
			show.Exact(n.Target), show.Exact(n.Label)), Fields: names, Remedy: NameFields}
	}
	return r, nil
}

const sampleLine = `{"prompt": "()[", "label": "no"}`

// text is the string that a field holds.
func (v value) text(field string) ([]byte, error) {
	switch {
	case v.cell:
		return v.raw, nil
	case v.raw[0] != '"':
		return nil, wrong(v.at, "field %q holds %s; a text in quotation marks is needed", field, clip(v.raw))
	}
	return strict.String(v.raw), nil
}

// place is the byte of the line where byte at of the field's text stands; the string's first where that is written
// with escapes.
func (v value) place(at int) int {
	if v.cell {
		if v.quoted {
			return v.at
		}
		return v.at + at
	}
	if bytes.IndexByte(v.raw, '\\') >= 0 {
		return v.at
	}
	return v.at + 1 + at
}

// word is a label or a group: a text, a whole number, or true or false.
func (v value) word(field string) (string, error) {
	if v.cell {
		return string(v.raw), nil
	}
	switch c := v.raw[0]; {
	case c == '"':
		return string(strict.String(v.raw)), nil
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
func clip(raw []byte) string { return show.Escaped(clipTo(bytes.TrimSpace(raw), 40)) }

func clipTo(raw []byte, most int) string {
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}

// take makes a row a sample. An error of its content is an *Error for locate.
func (t *Task) take(s *tasks.Sample, r row) (err error) {
	s.Reset()
	name := t.data.Fields.names().Prompt
	if s.Prompt, err = t.tokens(s.Prompt, name, r.prompt); err != nil {
		return err
	}
	if s.Length = len(s.Prompt) - 1; s.Length == 0 {
		return emptyPrompt(name, r)
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

// outcome reads the target or the label, and refuses a target where the data has labels, and the other way round.
func (t *Task) outcome(s *tasks.Sample, r row) (err error) {
	switch n := t.data.Fields.names(); {
	case r.target.raw != nil && len(t.classes) > 0:
		return wrong(r.target.at, "field %q stands here, but the training file has labels; give a label", n.Target)
	case r.label.raw != nil && len(t.classes) == 0:
		return wrong(r.label.at, "field %q stands here, but the training file has targets; give a target", n.Label)
	case r.target.raw != nil:
		if s.Target, err = t.tokens(s.Target, n.Target, r.target); err == nil {
			s.Target = append(s.Target, tasks.EOS)
		}
		return err
	}
	word, err := r.label.word(t.data.Fields.names().Label)
	if err != nil {
		return err
	}
	class, ok := t.classes[word]
	if !ok {
		return wrong(r.label.at, "label %s is no class of the training file, which has %s",
			show.Exact(word), few(t.data.Classes))
	}
	s.Label = class
	return nil
}

// few are the first names of a list.
func few(names []string) string {
	const most = 12
	if len(names) > most {
		return show.Exacts(names[:most]) + " …"
	}
	return show.Exacts(names)
}

func emptyPrompt(name string, r row) error {
	return wrong(r.prompt.at, "field %q is empty; at least one token is needed", name)
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
		return ids, wrong(v.place(bad), "field %q: %s is no token; expected %s",
			field, t.cut.found(string(text[bad:])), t.data.expected()).with(AddToken)
	case n > MaxTokens:
		return ids, tooLong(field, n, v)
	}
	return ids, nil
}

func tooLong(field string, n int, v value) error {
	return wrong(v.at, "field %q has %d tokens, at most %d are possible; shorten it", field, n, MaxTokens)
}
