//go:build !js

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mhacsp/model/study"
)

// The page of the paper opens with what came out: five sentences, a plot of the paper's scores and ours, and how many
// claims have which outcome.

// outcome is a group of verdicts. Where a score is not reproduced the networks get more than the paper says, or less:
// these are groups of their own, since neither says that a claim about networks is wrong.
type outcome struct {
	Class, Words string
	Verdicts     []study.Verdict
}

// Outcomes are the groups that have a verdict, what lies furthest from the paper's score first.
func (p *paper) Outcomes() []outcome {
	list := []outcome{
		{Class: "reproduced", Words: study.Reproduced},
		{Class: "better", Words: "the networks do better than the paper says"},
		{Class: "worse", Words: "the networks do worse than the paper says"},
		{Class: "not-reproduced", Words: "the claim failed"},
		{Class: "undecided", Words: study.Undecided},
		{Class: "not-testable-as-stated", Words: study.NotTestable},
		{Class: "not-enough-runs-yet", Words: study.NotYet},
	}
	for _, v := range p.Verdicts {
		class := strings.ReplaceAll(v.Word, " ", "-")
		if lead, score := v.Lead(); score && v.Word == study.NotReproduced {
			class = map[bool]string{true: "better", false: "worse"}[lead > 0]
		}
		i := slices.IndexFunc(list, func(o outcome) bool { return o.Class == class })
		list[i].Verdicts = append(list[i].Verdicts, v)
	}
	for _, o := range list[1:3] {
		slices.SortStableFunc(o.Verdicts, func(v, w study.Verdict) int {
			a, _ := v.Lead()
			b, _ := w.Lead()
			return cmp.Compare(b*b, a*a)
		})
	}
	return slices.DeleteFunc(list, func(o outcome) bool { return len(o.Verdicts) == 0 })
}

// Count is how many verdicts have one of the words.
func (p *paper) Count(words ...string) (n int) {
	for _, v := range p.Verdicts {
		if slices.Contains(words, v.Word) {
			n++
		}
	}
	return n
}

// Claim is the verdict on a claim.
func (p *paper) Claim(name string) (study.Verdict, error) {
	for _, v := range p.Verdicts {
		if v.Name == name {
			return v, nil
		}
	}
	return study.Verdict{}, fmt.Errorf("there is no claim %q", name)
}

// dot is a score with the name of its network.
type dot struct {
	Name string
	study.Figure
}

// Least and Most are the scores of the runs at the ends.
func (d dot) Least() float64 { return slices.MinFunc(d.Runs, byValue).Value }
func (d dot) Most() float64  { return slices.MaxFunc(d.Runs, byValue).Value }

func byValue(a, b study.Run) int { return cmp.Compare(a.Value, b.Value) }

// dotsOf are the scores that a verdict rests on.
func dotsOf(v study.Verdict) (list []dot) {
	for i, f := range v.Figures {
		list = append(list, dot{plain(strings.TrimSpace(study.Short(v.Needs[i].Column) + " " + v.Needs[i].Row)), f})
	}
	return list
}

// Ahead are the networks that some claims say to be behind their first, and that are ahead of it, the best first.
func (p *paper) Ahead(names ...string) (list []dot) {
	for _, v := range p.Verdicts {
		for _, d := range dotsOf(v) {
			if slices.Contains(names, v.Name) && d.Mean > v.Figures[0].Mean {
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b dot) int { return cmp.Compare(b.Mean, a.Mean) })
	return list
}

// plot is the scores on one task, the paper's and ours.
type plot struct {
	Title string
	Guess float64 // what one answer to everything gets, in percent; 0: it was not counted
	Rows  []dot
}

// Plots have each score of the paper's tables once: of arithmetic by the runs that decide.
func (p *paper) Plots() (list []plot) {
	for _, x := range []struct{ title, table, column, rows string }{
		{"Parity: is the number of ones odd?", "table1", "parity", ""},
		{"Brackets: does each have its partner?", "table1", "parenthesis", ""},
		{"Nested sums modulo 9: answer and copy all right", "long", "exact match", `^repeat \S+$`},
		{"The same with a part taken out", "long", "exact match", `^repeat \S+ no-`},
		{"Nested sums, other ways to write: answer right", "long", "right answers", "^(direct|copy) "},
	} {
		t, rows := p.Table(x.table), regexp.MustCompile(x.rows)
		if t == nil {
			continue
		}
		column, group := 0, plot{Title: x.title}
		for i, name := range t.Columns { // the last is of the longest runs
			if strings.HasPrefix(name, x.column) {
				column = i
			}
		}
		for _, row := range t.Rows {
			f := row.Figures[column]
			switch {
			case f.N == 0 || !rows.MatchString(row.Name):
			case f.Paper != nil:
				group.Rows = append(group.Rows, dot{plain(row.Name), f})
			case row.Name == "a constant guess":
				group.Guess = f.Mean
			}
		}
		if len(group.Rows) > 0 {
			list = append(list, group)
		}
	}
	return list
}

// plain is a row or a column of the study in plain words.
func plain(name string) string {
	return strings.NewReplacer("lstm", "LSTM", "mha-csp no-tree", "no sum of distances", "repeat-50", "nested sums",
		"mha-csp no-B", "no meshing of heads", "mha-csp no-norm", "no normalisation", "direct mha-csp", "answer alone",
		"copy mha-csp", "copy, then answer", "direct-50", "answers alone", "mha-csp no-lse", "no log-sum-exp",
		"repeat ", "", "mhacsp", "mhacsp", "mha-csp", "MHA-CSP", "csp", "CSP", "copy-50", "copied sums", "gru", "GRU",
		"gdn", "Gated DeltaNet", "arformer", "Transformer", "gcn", "graph network", "parenthesis", "brackets",
	).Replace(name)
}
