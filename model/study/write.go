package study

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteJSON writes the report whole.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// WriteCSV writes a line for each run of each figure.
func (r Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"table", "row", "column", "unit", "cell", "seed", "value", "low", "high", "samples", "steps",
		"asked", "seconds", "host", "device", "threads", "version", "commit"})
	float := func(x *float64) string {
		if x == nil {
			return ""
		}
		return strconv.FormatFloat(*x, 'g', -1, 64)
	}
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for i, f := range row.Figures {
				for _, x := range f.Runs {
					c.Write([]string{t.Name, row.Name, t.Columns[i], f.Unit, x.Cell, fmt.Sprint(x.Seed),
						float(&x.Value), float(x.Low), float(x.High), fmt.Sprint(x.Count), fmt.Sprint(x.Steps),
						fmt.Sprint(x.Asked), float(&x.Wall), x.Host, x.Device, fmt.Sprint(x.Threads), x.Version,
						x.Commit})
				}
			}
		}
	}
	c.Flush()
	return c.Error()
}

// WriteMarkdown writes the report for people.
func (r Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	n := r.Counts
	fmt.Fprintf(&b, "# The paper's tables\n\nMade %s of %d cells, seeds %s: %d whole, %d thin, %d half, %d running, "+
		"%d failed, %d damaged, %d not run.\n", r.Time, n.All, strings.Trim(fmt.Sprint(r.Seeds), "[]"), n.Whole,
		n.Thin, n.Half, n.Running, n.Failed, n.Damaged, n.Absent)
	b.WriteString("\nA figure is the mean of its runs ± their standard deviation, and in brackets how many runs " +
		"there are. A thin run\nhad fewer steps than asked for; it is never averaged with whole ones, and no " +
		"verdict rests on it.\n")
	for i, v := range r.Verdicts {
		if i == 0 {
			b.WriteString("\n## Claims of the paper\n\n| where | claim | the paper's | verdict | why |\n" +
				"|---|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | **%s** | %s |\n", v.Where, cellText(v.Words), cellText(v.Paper), v.Word,
			cellText(v.Why()))
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n## %s\n\n", t.Title)
		if t.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", t.Note)
		}
		fmt.Fprintf(&b, "| | %s |\n|---%s|\n", strings.Join(t.Columns, " | "), strings.Repeat("|---", len(t.Columns)))
		for _, row := range t.Rows {
			fmt.Fprintf(&b, "| %s |", cellText(row.Name))
			for _, f := range row.Figures {
				text := f.Text()
				if paper := f.PaperText(); paper != "" {
					text += " / " + paper
				}
				fmt.Fprintf(&b, " %s |", cellText(text))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n## Cells\n\n| cell | state | steps | exact match, % | right answers, % | wall time, s | " +
		"machine | device | program |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range r.Cells {
		exact, answer, state := "", "", string(c.State)
		if c.Exact != nil {
			exact, answer = number(*c.Exact, "%"), number(*c.Answer, "%")
		}
		if c.Thin {
			state = "thin"
		}
		if c.Reason != "" {
			state += ": " + c.Reason
		}
		program := strings.TrimSpace(c.Version + " " + c.Commit[:min(12, len(c.Commit))])
		fmt.Fprintf(&b, "| %s | %s | %d of %d | %s | %s | %.0f | %s | %s | %s |\n", c.Name, cellText(state), c.Steps,
			c.Asked, exact, answer, c.Wall, c.Host, cellText(c.Device), program)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cellText is a text that may stand in a Markdown table.
func cellText(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }

// Summary is how many claims have which verdict, for those that some have.
func (r Report) Summary() string {
	var parts []string
	for _, word := range []string{Reproduced, NotReproduced, Undecided, NotTestable, NotYet} {
		n := 0
		for _, v := range r.Verdicts {
			if v.Word == word {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	return strings.Join(parts, ", ")
}
