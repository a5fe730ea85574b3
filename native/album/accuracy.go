package album

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/native/figure"
	"mhacsp/native/words"
)

// AddAccuracy draws the tests that runs made, or where they made none their last validations.
func (a *Album) AddAccuracy(task, file string, groups []Group) {
	var reports [][]*metric.Report
	var told []Group
	roles, stops := map[string]bool{}, []string{}
	for _, g := range groups {
		var list []*metric.Report
		with := Group{Name: g.Name}
		for _, s := range g.Runs {
			if s.Report == nil {
				a.Miss(Accuracy, s.Path, "no log with an evaluation")
				continue
			}
			list, roles[s.Role] = append(list, s.Report), true
			with.Runs = append(with.Runs, s)
			if s.Tested < s.Step {
				stops = append(stops, fmt.Sprintf("of %s at step %s of %s", s.name(), words.Number(s.Tested),
					words.Number(s.Step)))
			}
			if s.Role == "test" && s.Run.Training.Patience > 0 {
				stops = append(stops, "of "+s.name()+" with the parameters of its best validation")
			}
		}
		if len(list) > 0 {
			reports, told = append(reports, list), append(told, with)
		}
	}
	if len(told) == 0 {
		return
	}
	source := "Samples: " + strings.Join(slices.Sorted(maps.Keys(roles)), " and ") + " of each run, at its last step"
	for _, s := range stops {
		source += "; " + s
	}
	source += "."
	a.AddReports(task, file, legend(told), reports, append([]string{source}, provenance(told)...))
}

// AddReports draws reports by group. Where right answers are not whole outputs each has a chart of its own.
func (a *Album) AddReports(task, file string, names []string, reports [][]*metric.Report, about []string) {
	list := accuraciesOf(reports)
	if len(list) == 0 {
		a.Miss(Accuracy, task, "all samples have one number of operands, one depth and one length")
		return
	}
	guess, count, apart := 0.0, 0.0, false
	for _, all := range reports {
		for _, r := range all {
			guess, count = guess+r.Majority*float64(r.Count), count+float64(r.Count)
			apart = apart || r.Exact != r.Answer
		}
	}
	guess /= max(count, 1)
	what := "Accuracy: exact matches; of strings, right labels."
	level := []figure.Level{{Y: guess}}
	readings := []reading{{y: "accuracy (%)", counts: true, levels: level}}
	if apart { // a constant guess is one of answers
		what = "Whole outputs: exact matches, answer and text. Right answers: the answer alone."
		readings = []reading{
			{", whole outputs", "exact match (%)", false, true, nil},
			{", right answers", "right answers (%)", true, false, level},
		}
	}
	page := figure.Page{Title: "Accuracy: " + task, Legend: names, Caption: append([]string{
		fmt.Sprintf("%s Bars: intervals of 95 %% (Wilson) of the sampling alone; the seeds of a group are added up. "+
			"Faint: fewer than %d samples. n: samples of each point. Dotted line: a constant guess of the answer, "+
			"over all samples.", what, thinBelow)}, about...)}
	for _, x := range list {
		if n := len(x.classes); n > mostClasses {
			why := fmt.Sprintf("by %s: %d values, and a chart has room for %d", x.name, n, mostClasses)
			a.Miss(Accuracy, task, why)
			continue
		}
		for _, r := range readings {
			height := 215.0
			if r.counts {
				height += 11 * float64(len(reports)) // a line of the table for each
			}
			page.Rows = append(page.Rows, figure.Row{Height: height, Panels: []figure.Panel{chartOf(x, r)}})
		}
	}
	if len(page.Rows) > 0 {
		a.add(Accuracy, file, page)
	}
}

// reading is a chart of accuracies: of right answers, or of whole outputs.
type reading struct {
	title, y string
	answer   bool
	counts   bool           // the numbers of samples stand below; those of the second chart are the same
	levels   []figure.Level // what a constant guess gets there
}

func chartOf(x accuracies, r reading) figure.Shares {
	chart := figure.Shares{
		Title: "By " + x.name + r.title, X: x.name, Y: r.y, Classes: x.classes, Levels: r.levels, NoCounts: !r.counts,
	}
	if !x.own {
		chart.X = cmp.Or(map[string]string{
			"operands": "numbers in the expression", "depth": "depth of the brackets", "length": "length in tokens",
		}[x.name], x.name)
	}
	for g := range x.tallies {
		chart.Groups = append(chart.Groups, sharesOf(x, g, r.answer))
	}
	return chart
}

// mostClasses is how many classes of samples a chart has room for.
const mostClasses = 40

// sharesOf are the points of group g: of right answers, or of whole outputs.
func sharesOf(x accuracies, g int, answer bool) figure.ShareGroup {
	out := figure.ShareGroup{Group: g}
	for c, class := range x.classes {
		t := x.tallies[g][class]
		if t.Count == 0 {
			continue
		}
		hits, share := t.Exact, t.ExactRate()
		if answer {
			hits, share = t.Answer, t.AnswerRate()
		}
		low, high := metric.Wilson(hits, t.Count)
		out.Points = append(out.Points, figure.Share{
			Class: c, Y: share, Low: low, High: high, Count: t.Count, Thin: t.Count < thinBelow,
		})
	}
	return out
}

// accuracies are what a chart of accuracy shows: groups of samples by one property.
type accuracies struct {
	name    string   // operands, depth, length, or a field of the user's own data
	own     bool     // the latter
	classes []string // in order
	tallies []map[string]metric.Tally
}

// thinBelow is how many samples a point has that is not faint.
const thinBelow = 30

// accuraciesOf sorts the reports of each group by property; those of one group are added up.
func accuraciesOf(reports [][]*metric.Report) []accuracies {
	var list []accuracies
	for g, all := range reports {
		for _, r := range all {
			for _, b := range r.Breakdowns() {
				i := slices.IndexFunc(list, func(a accuracies) bool { return a.name == b.Name && a.own == b.Own })
				if i < 0 {
					i, list = len(list), append(list, accuracies{name: b.Name, own: b.Own})
				}
				a := &list[i]
				for len(a.tallies) < len(reports) {
					a.tallies = append(a.tallies, map[string]metric.Tally{})
				}
				for _, x := range b.Groups {
					t := a.tallies[g][x.Name]
					t.Count, t.Exact, t.Answer = t.Count+x.Count, t.Exact+x.Exact, t.Answer+x.Answer
					a.tallies[g][x.Name] = t
					if !slices.Contains(a.classes, x.Name) {
						a.classes = append(a.classes, x.Name)
					}
				}
			}
		}
	}
	for _, a := range list {
		slices.SortStableFunc(a.classes, func(x, y string) int { return cmp.Compare(size(x), size(y)) })
	}
	return slices.DeleteFunc(list, func(a accuracies) bool { return len(a.classes) < 2 })
}

// size is the number that a class's name begins with, 0 where there is none.
func size(name string) float64 {
	first, _, _ := strings.Cut(name, " ") // of 65 to 128
	x, _ := strconv.ParseFloat(first, 64)
	return x
}
