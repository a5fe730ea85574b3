//go:build !js

package native

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"mhacsp/model/metric"
	"mhacsp/model/train"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/show"
)

// group writes 12000 as "12 000".
func group(n int) string { return words.Number(n) }

// plural is "1 step", "2 steps".
func plural(n int, noun string) string { return words.Plural(n, noun) }

func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }

// evaluationText is an evaluation in a few lines, each accuracy with its breakdown and next to what a constant guess
// gets (SPEC §9).
func evaluationText(e train.Evaluation) string {
	var s strings.Builder
	r := e.Report
	fmt.Fprintf(&s, "%s at step %s: loss %.4f, exact match %s, answer %s of %s (a constant guess %s)\n",
		e.Role, group(e.Step), r.Loss, percent(r.ExactRate()),
		percent(r.AnswerRate()), plural(r.Count, "sample"), percent(r.Majority))
	if r.Trivial.Count > 0 {
		fmt.Fprintf(&s,
			"    two operands or more: exact match %s, answer %s of %s; one number (trivial): %s, %s of %s\n",
			percent(r.Computed.ExactRate()), percent(r.Computed.AnswerRate()), group(r.Computed.Count),
			percent(r.Trivial.ExactRate()), percent(r.Trivial.AnswerRate()), group(r.Trivial.Count))
	}
	for _, b := range r.Breakdowns() {
		fmt.Fprintf(&s, "    %-10s", show.Text(b.Name))
		for _, g := range b.Groups {
			fmt.Fprintf(&s, "  %s: %.1f/%.1f %%", show.Text(g.Name), 100*g.ExactRate(), 100*g.AnswerRate())
		}
		s.WriteString("  (exact/answer)\n")
	}
	return s.String()
}

// writeReport prints a report as a table.
func writeReport(w io.Writer, r metric.Report) error {
	fmt.Fprintf(w, "loss                %.6f\n", r.Loss)
	fmt.Fprintf(w, "a constant guess    %s (of answers: the share of the most common one)\n\n", percent(r.Majority))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "group\tsamples\texact match\tanswer\t\n")
	row := func(name string, x metric.Tally) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", name, group(x.Count), percent(x.ExactRate()), percent(x.AnswerRate()))
	}
	row("all", r.Tally)
	if r.Trivial.Count > 0 {
		row("two operands or more", r.Computed)
		row("one number (trivial)", r.Trivial)
	}
	for _, b := range r.Breakdowns() {
		for _, g := range b.Groups {
			row(show.Text(b.Name)+" "+show.Text(g.Name), g.Tally)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeClasses(w, r.Classes())
}

// mostColumns is of how many labels the table of answers has a column each.
const mostColumns = 12

// writeClasses prints how each label fared, and which was given for which.
func writeClasses(w io.Writer, list []metric.Class) error {
	if len(list) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\nlabel\tsamples\tfound\tright when given\t")
	for i, c := range list {
		if len(list) <= mostColumns {
			fmt.Fprintf(t, "%s\t", map[bool]string{true: "given: "}[i == 0]+show.Text(c.Name))
		}
	}
	if len(list) > mostColumns {
		fmt.Fprint(t, "most often taken for\t")
	}
	fmt.Fprintln(t)
	for i, c := range list {
		precision := "none"
		if c.Given > 0 {
			precision = percent(c.Precision())
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", show.Text(c.Name), group(c.Count), percent(c.Recall()), precision)
		worst := -1
		for j, n := range c.As {
			if len(list) <= mostColumns {
				fmt.Fprintf(t, "%s\t", group(n))
			} else if j != i && n > 0 && (worst < 0 || n > c.As[worst]) {
				worst = j
			}
		}
		switch {
		case worst >= 0:
			fmt.Fprintf(t, "%s (%s)\t", show.Text(list[worst].Name), group(c.As[worst]))
		case len(list) > mostColumns:
			fmt.Fprint(t, "\t")
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// splitText names the split of drawn samples.
func splitText(c train.Config) string {
	if c.Data != nil {
		return ""
	}
	return "split " + c.Split + ", "
}

// taskText names a task with its options.
func taskText(c train.Config) string {
	if c.Data != nil {
		return ownText(*c.Data)
	}
	text := c.Task
	if c.Task == defaultTask {
		text += ", preset " + orElse(c.Preset, "author") + ", format " + orElse(c.Format, "repeat")
	}
	if c.MinLength > 0 {
		text += fmt.Sprintf(", at least %s", plural(c.MinLength, "character"))
	}
	if c.MaxLength > 0 {
		text += fmt.Sprintf(", at most %s", plural(c.MaxLength, "character"))
	}
	if c.Brackets != nil && !*c.Brackets {
		text += ", no brackets"
	}
	if c.Operators != "" {
		text += ", operators " + c.Operators
	}
	return text
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// limitText is the curriculum's limit for a progress line.
func limitText(t tasks.Task, limit int) string {
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("%s ≤ %d", t.Curriculum().Limit, limit)
}

// quote makes a path safe to look at and to paste into a shell.
func quote(path string) string { return quoteFor(path, filepath.Separator) }

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

// promptFor makes a prompt an argument of ask, for the shells of a system with that separator. It may be any text of a
// file: where such a shell has no way to write it on a line, a word stands for it.
func promptFor(prompt string, separator rune) string {
	if show.Text(prompt) != prompt || separator == '\\' && strings.ContainsAny(prompt, "\"%$`") {
		return `"PROMPT"`
	}
	if strings.HasPrefix(prompt, "-") { // which is no flag
		return "-- " + quoteFor(prompt, separator)
	}
	return quoteFor(prompt, separator)
}

// writeJSON prints v on one line, <SOS> and the like as they are.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
