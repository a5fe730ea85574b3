//go:build !js

package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"mhacsp/model/train"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/own"
	"mhacsp/tasks/show"
)

// Percent writes a share as "99.50 %".
func Percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// TaskText names a task with its options.
func TaskText(c train.Config) string {
	if c.Data != nil {
		return ownText(*c.Data)
	}
	text := c.Task
	if c.Task == train.DefaultTask {
		text += ", preset " + cmp.Or(c.Preset, "author") + ", format " + cmp.Or(c.Format, "repeat")
	}
	if c.MinLength > 0 {
		text += fmt.Sprintf(", at least %s", words.Plural(c.MinLength, "character"))
	}
	if c.MaxLength > 0 {
		text += fmt.Sprintf(", at most %s", words.Plural(c.MaxLength, "character"))
	}
	if c.Brackets != nil && !*c.Brackets {
		text += ", no brackets"
	}
	if c.Operators != "" {
		text += ", operators " + c.Operators
	}
	return text
}

// LimitText is the curriculum's limit for a progress line.
func LimitText(t tasks.Task, limit int) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("%s ≤ %d", t.Curriculum().Limit, limit)
}

// Program is how this program is called, in commands that are advised: as it was, but where its name alone is enough.
var Program = "mhacsp"

// Quote makes a path safe to look at and to paste into a shell.
func Quote(path string) string { return quoteFor(path, filepath.Separator) }

// quoteFor quotes for the shells of a system with that separator.
func quoteFor(path string, separator rune) string {
	safe := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%"
	if separator == '\\' {
		safe += `\`
	}
	switch {
	case path != "" && strings.Trim(path, safe) == "":
		return path
	case separator == '\\': // cmd.exe knows "…" alone, which no path there contains; \" would be a quotation mark
		return `"` + path + path[len(strings.TrimRight(path, `\`)):] + `"`
	case show.Text(path) != path: // bash and zsh read these escapes
		text := show.Text(path)
		return "$'" + strings.ReplaceAll(text[1:len(text)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// PromptFor makes a prompt an argument of ask, for the shells of a system with that separator. It may be any text of a
// file: where such a shell has no way to write it on a line, a word stands for it.
func PromptFor(prompt string, separator rune) string {
	if show.Text(prompt) != prompt || separator == '\\' && strings.ContainsAny(prompt, "\"%$`") {
		return `"PROMPT"`
	}
	if strings.HasPrefix(prompt, "-") { // which is no flag
		return "-- " + quoteFor(prompt, separator)
	}
	return quoteFor(prompt, separator)
}

// WriteJSON prints v on one line, <SOS> and the like as they are.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// ownText names the user's own data in a line.
func ownText(raw []byte) string {
	t, err := own.Parse(raw)
	if err != nil {
		return "your own data"
	}
	d := t.Data()
	kind := "targets"
	if n := len(d.Classes); n > 0 {
		kind = strconv.Itoa(n) + " classes"
	}
	unit := strings.TrimSuffix(d.Tokens, "s")
	if d.Tokens == own.Characters {
		unit = "token"
	}
	return fmt.Sprintf("own data, %s of %s, %s, %s",
		words.Plural(d.Train.Samples, "sample"), show.Text(d.Train.Path), words.Plural(len(d.Vocabulary), unit), kind)
}

// PointAt shows the text with a caret under the place that an error names.
func PointAt(text string, err error) error {
	var parse *tasks.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	before := string([]rune(text)[:min(parse.Offset, utf8.RuneCountInString(text))])
	text = show.Line(before) + show.Line(text[len(before):])
	return fmt.Errorf("%w\n  %s\n  %s^", err, text, strings.Repeat(" ", utf8.RuneCountInString(show.Line(before))))
}

// CellText keeps a text from ending a table's cell or its row.
func CellText(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "¦")), " ")
}

// Table writes rows, the first of which is the head; all columns but the first stand to the right.
func Table(s *strings.Builder, rows [][]string) {
	for i, r := range rows {
		for k := range r {
			r[k] = CellText(r[k])
		}
		fmt.Fprintf(s, "| %s |\n", strings.Join(r, " | "))
		if i == 0 {
			s.WriteString("|---|" + strings.Repeat("--:|", len(r)-1) + "\n")
		}
	}
	s.WriteString("\n")
}
