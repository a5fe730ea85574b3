package own

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"mhacsp/tasks/show"
	"mhacsp/tasks/strict"
)

// format is how a file has its samples: a JSON object a line, or a table whose first line names its columns.
type format struct {
	comma   byte     // between two columns; 0: JSON lines
	columns []string // of a table
}

// cut takes the first record off a text: a line, or what a table writes over several lines within quotation marks.
func (f format) cut(text []byte) (record, rest []byte) {
	for at, marks := 0, 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return text, nil
		}
		marks += f.quotes(text[at : at+n])
		if at += n + 1; marks%2 == 0 {
			return text[:at], text[at:]
		}
	}
}

// quotes is how many quotation marks of a line count: where those of a record are odd in number, it goes on. Between
// tabs a mark is a character like others.
func (f format) quotes(line []byte) int {
	if f.comma == 0 || f.comma == '\t' {
		return 0
	}
	return bytes.Count(line, []byte(`"`))
}

// names are those of a table's columns, or of the fields of a JSON line that was read.
func (f format) names(line []byte) (list []string) {
	if f.comma != 0 {
		return slices.DeleteFunc(slices.Clone(f.columns), func(s string) bool { return s == "" })
	}
	_ = strict.Fields(line, strict.Begin(line), func(f strict.Field) error {
		list = append(list, string(f.Name))
		return nil
	})
	return list
}

// cells are the columns of a record.
func (f format) cells(record []byte) ([]value, error) {
	if f.comma == '\t' {
		return tabbed(record), nil
	}
	r := csv.NewReader(bytes.NewReader(record))
	r.Comma, r.FieldsPerRecord = rune(f.comma), -1
	texts, err := r.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad) && errors.Is(err, csv.ErrBareQuote):
		return nil, wrong(offset(record, bad.Line, bad.Column), "a quotation mark stands within a column; "+
			`put the column into quotation marks and write each mark in it twice, as in "say ""no"""`)
	case errors.As(err, &bad):
		return nil, wrong(offset(record, bad.StartLine, 1), "a quotation mark of the line is never closed, or text "+
			`stands behind it; a column in quotation marks has each mark in it twice, as in "say ""no"""`)
	case err != nil:
		return nil, wrong(0, "%v", err)
	}
	list := make([]value, len(texts))
	for i, text := range texts {
		line, column := r.FieldPos(i)
		at := offset(record, line, column)
		list[i] = value{[]byte(text), at, true, at < len(record) && record[at] == '"'}
	}
	return list, nil
}

// tabbed are the columns between tabs. One that stands in quotation marks with each mark in it doubled, as
// spreadsheets write it, is what they hold.
func tabbed(record []byte) []value {
	record = bytes.TrimRight(record, "\r\n")
	var list []value
	for at := 0; ; {
		text, _, more := bytes.Cut(record[at:], []byte("\t"))
		v := value{raw: text, at: at, cell: true}
		if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
			if inner := bytes.ReplaceAll(text[1:n-1], []byte(`""`), nil); !bytes.Contains(inner, []byte(`"`)) {
				v.raw, v.quoted = bytes.ReplaceAll(text[1:n-1], []byte(`""`), []byte(`"`)), true
			}
		}
		if list = append(list, v); !more {
			return list
		}
		at += len(text) + 1
	}
}

// offset is the byte of a record at a line and a column in bytes, both from 1.
func offset(record []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(record[at:], '\n') + 1
	}
	return min(at+column-1, len(record))
}

// recognise tells a file's format by its name and how it begins. A file that is none of those that are read is an
// *Error that says what it is, and what line it should have.
func recognise(name string, head []byte, d *Data) (format, error) {
	if is := strict.Packed(head); is != "" {
		return format{}, &Error{File: name, Line: 1, Column: 1, Text: is}
	}
	lines := 1
	for line := range bytes.Lines(head) {
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		lines++
		head = head[len(line):]
	}
	text := bytes.TrimSpace(head)
	switch {
	case len(text) == 0:
		return format{}, nil
	case text[0] == '{' || text[0] == '[':
		if shape := spread(text); shape != "" {
			return format{}, &Error{File: name, Line: lines, Column: 1, Text: shape}
		}
		return format{}, nil
	}
	return header(name, lines, head, d)
}

// spread says in what other shape than one object a line a text has its first sample, or nothing.
func spread(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	rows := json.NewDecoder(bytes.NewReader(text))
	list := text[0] == '['
	if list {
		_, _ = rows.Token()
	} else if strict.Check(line) == nil {
		return ""
	}
	var row json.RawMessage
	if rows.Decode(&row) != nil || row[0] != '{' || !list && !bytes.Contains(row, []byte("\n")) {
		return ""
	}
	var flat bytes.Buffer
	if json.Compact(&flat, row) != nil {
		return ""
	}
	shown := show.Escaped(clipTo(flat.Bytes(), 200))
	if list {
		return "the file is one JSON list, but a line is a sample; write each item on a line of its own, " +
			"as jq -c '.[]' does: " + shown
	}
	return "the object goes over more than one line, but a line is a sample; write each on one, " +
		"as jq -c . does: " + shown
}

// header reads the line that names a table's columns.
func header(name string, number int, head []byte, d *Data) (format, error) {
	ending := strings.ToLower(filepath.Ext(name))
	called := slices.Contains([]string{".csv", ".tsv", ".tab"}, ending)
	prompt := d.Fields.names().Prompt
	var best format
	for _, comma := range []byte{'\t', ',', ';'} {
		f := format{comma: comma}
		record, _ := f.cut(head)
		if !called {
			record, _, _ = bytes.Cut(head, []byte("\n"))
		}
		list, err := f.cells(record)
		if err != nil {
			continue
		}
		for _, c := range list {
			f.columns = append(f.columns, string(bytes.TrimSpace(c.raw)))
		}
		if !best.has(prompt) && (f.has(prompt) || len(f.columns) > len(best.columns)) {
			best = f
		}
	}
	if !best.has(prompt) && !called {
		return format{}, nil // a line of it will be refused
	}
	return best, best.check(name, number, d)
}

// has reports whether a table has a column. No column has an empty name.
func (f format) has(name string) bool { return name != "" && slices.Contains(f.columns, name) }

// check refuses a table without the columns that are needed.
func (f format) check(name string, number int, d *Data) error {
	bad := func(r Remedy, text string) error {
		return &Error{File: name, Line: number, Column: 1, Text: text, Fields: f.names(nil), Remedy: r}
	}
	has := "the first line names the columns " + show.Exacts(f.names(nil))
	n := d.Fields.names()
	target, label := f.has(n.Target), f.has(n.Label)
	switch {
	case !(f.has(n.Prompt) && (target || label)) && strings.ContainsRune(strings.Join(f.columns, ""), '\r'):
		return bad(0, `the lines end with CR alone; end them with LF, as tr '\r' '\n' does`)
	case !f.has(n.Prompt):
		return bad(NameFields, "column "+show.Exact(n.Prompt)+" is missing; "+has)
	case !target && !label:
		return bad(NameFields, "column "+n.outcomes()+" is missing; "+has)
	case target && label:
		return bad(NameFields, "both columns "+show.Exact(n.Target)+" and "+show.Exact(n.Label)+" are there")
	}
	if double := repeated(f.names(nil)); double != "" {
		return bad(0, "column "+show.Exact(double)+" stands twice; rename one")
	}
	return nil
}

// rowOf finds the columns of a record that are of use.
func (f format) rowOf(record []byte, d *Data) (row, error) {
	r, n := row{groups: make([]value, len(d.Groups))}, d.Fields.names()
	list, err := f.cells(record)
	if err != nil {
		return r, err
	}
	if len(list) != len(f.columns) {
		return r, wrong(0, "the first line names %d columns, this one has %d; a text with %s in it stands in "+
			"quotation marks", len(f.columns), len(list),
			map[byte]string{'\t': "a tab", ',': "a comma", ';': "a semicolon"}[f.comma])
	}
	for i, v := range list {
		if v.raw == nil {
			v.raw = []byte{}
		}
		name := f.columns[i]
		if name == "" {
			continue
		}
		if name == n.Prompt {
			r.prompt = v
		}
		if name == n.Target {
			r.target = v
		}
		if len(v.raw) == 0 {
			v.raw = nil
		}
		if name == n.Label {
			if r.label = v; v.raw == nil {
				return r, wrong(v.at, "column %s is empty; write a label", show.Exact(n.Label))
			}
		}
		if i := slices.Index(d.Groups, name); i >= 0 {
			r.groups[i] = v
		}
	}
	return r, nil
}
