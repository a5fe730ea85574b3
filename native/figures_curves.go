//go:build !js

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/native/figure"
)

// curves draws loss and accuracy of one task.
func (a *album) curves(task, file string, groups []runGroup) {
	told := slices.DeleteFunc(slices.Clone(groups), func(g runGroup) bool {
		for _, s := range g.runs {
			if len(s.loss.X) == 0 {
				a.miss(curvesKind, s.path, "no log with steps")
				return true
			}
		}
		return false
	})
	if len(told) == 0 {
		return
	}
	page, loss, exact := lossAndAccuracy(told)
	page.Title = "Training curves: " + task
	page.Legend = legend(told)
	page.Rows = []figure.Row{{Height: 200, Panels: []figure.Panel{loss}}}
	if len(exact.Series) > 0 {
		page.Rows = append(page.Rows, figure.Row{Height: 240, Panels: []figure.Panel{exact}})
	}
	page.Caption = append(page.Caption, provenance(told)...)
	a.add(curvesKind, file, page)
}

// points is how many points a curve of steps is drawn with.
const points = 150

// lossAndAccuracy are the two charts, and what is to be said about them.
func lossAndAccuracy(groups []runGroup) (page figure.Page, loss, exact figure.Lines) {
	loss = figure.Lines{Title: "Loss", X: "training steps", Y: "cross-entropy (nats)", Log: true}
	exact = figure.Lines{
		Title: "Accuracy on validation samples", X: "training steps", Y: "exact match (%)", Share: true,
	}
	if groups[0].runs[0].run.Config.Shape().Classes > 0 {
		exact.Y = "right labels (%)"
	}
	guess, samples, curriculum := 0.0, 0, false
	var rises []string
	for i, g := range groups {
		var training, validation, right []curve.Curve
		var rose []curve.Rise
		for _, s := range g.runs {
			training = append(training, s.loss.Thin(points))
			curriculum = curriculum || s.run.Training.Curriculum
			if len(s.exact.X) == 0 {
				continue
			}
			validation, right = append(validation, s.validation), append(right, s.exact)
			guess, samples = max(guess, s.guess), s.samples
			if r, ok := s.exact.Rise(s.guess); ok {
				rose = append(rose, r)
			}
			loss.ToX, exact.ToX = max(loss.ToX, float64(s.step)), max(exact.ToX, float64(s.step))
		}
		loss.ToX = max(loss.ToX, float64(g.runs[0].step))
		loss.Series = append(loss.Series, seriesOf(i, curve.Over(training)))
		if len(right) > 0 {
			beside := seriesOf(i, curve.Over(validation))
			loss.Series = append(loss.Series, figure.Series{Group: i, Thin: true, X: beside.X, Y: beside.Y})
			exact.Series = append(exact.Series, seriesOf(i, curve.Over(right)))
			span, text := riseOf(i, rose, len(right))
			exact.Spans = append(exact.Spans, span...)
			rises = append(rises, g.name+": "+text)
		}
	}
	if len(exact.Series) == 0 {
		return page, loss, exact
	}
	exact.Levels = []figure.Level{{Name: "a constant guess", Y: guess}}
	text := fmt.Sprintf("Lines are means over the seeds, bands go from the least seed to the greatest. Loss: "+
		"training, thin and dotted validation. Accuracy: %s samples a validation.", group(samples))
	if curriculum {
		text += " Training starts with short samples (curriculum), validation has all from the start."
	}
	page.Caption = []string{text, "Bars: the grokking interval (SPEC §15), from 50 % over 90 % (mark) to 99 % of " +
		"the way from a constant guess to the final accuracy; the first validations that have it, medians of the " +
		"seeds. " + strings.Join(rises, "; ") + "."}
	return page, loss, exact
}

func seriesOf(i int, b curve.Band) figure.Series {
	return figure.Series{Group: i, X: b.X, Y: b.Mean, Low: b.Low, High: b.High}
}

// riseOf is the bar of a group of which so many seeds rose, and the bar in words.
func riseOf(i int, rose []curve.Rise, seeds int) ([]figure.Span, string) {
	if len(rose) == 0 {
		return nil, "no rise"
	}
	median := func(of func(curve.Rise) float64) float64 {
		var x []float64
		for _, r := range rose {
			x = append(x, of(r))
		}
		slices.Sort(x)
		return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
	}
	s := figure.Span{
		Group: i, From: median(func(r curve.Rise) float64 { return r.Half }),
		Mark: median(func(r curve.Rise) float64 { return r.Most }),
		To:   median(func(r curve.Rise) float64 { return r.Nearly }),
	}
	text := fmt.Sprintf("%s, %s and %s steps", group(int(s.From)), group(int(s.Mark)), group(int(s.To)))
	if len(rose) < seeds {
		text += fmt.Sprintf(" (%d of %s)", len(rose), plural(seeds, "seed"))
	}
	return []figure.Span{s}, text
}

// accuracy draws the tests that runs made, or where they made none their last validations.
func (a *album) accuracy(task, file string, groups []runGroup) {
	var reports [][]*metric.Report
	var told []runGroup
	roles := map[string]bool{}
	for _, g := range groups {
		var list []*metric.Report
		for _, s := range g.runs {
			if s.report == nil {
				a.miss(accuracyKind, s.path, "no log with an evaluation")
				continue
			}
			list, roles[s.role] = append(list, s.report), true
		}
		if len(list) > 0 {
			reports, told = append(reports, list), append(told, g)
		}
	}
	if len(told) == 0 {
		return
	}
	source := "Samples: " + strings.Join(slices.Sorted(maps.Keys(roles)), " and ") + " of each run, at its last step."
	a.accuracies(task, file, legend(told), reports, append([]string{source}, provenance(told)...))
}

// accuracies draws reports by group.
func (a *album) accuracies(task, file string, names []string, reports [][]*metric.Report, about []string) {
	list := accuraciesOf(reports)
	if len(list) == 0 {
		a.miss(accuracyKind, task, "all samples have one number of operands, one depth and one length")
		return
	}
	page := figure.Page{Title: "Accuracy: " + task, Legend: names, Caption: append([]string{
		fmt.Sprintf("Accuracy is the share of exact matches, of strings that of right labels. Bars: intervals of 95 "+
			"%% (Wilson) of the sampling alone; the seeds of a group are added up. Faint: fewer than %d samples. n: "+
			"samples of each point. Dotted line: a constant guess, over all samples.", thinBelow)}, about...)}
	guess, count := 0.0, 0.0
	for _, all := range reports {
		for _, r := range all {
			guess, count = guess+r.Majority*float64(r.Count), count+float64(r.Count)
		}
	}
	for _, x := range list {
		if n := len(x.classes); n > mostClasses {
			why := fmt.Sprintf("by %s: %d values, and a chart has room for %d", x.name, n, mostClasses)
			a.miss(accuracyKind, task, why)
			continue
		}
		chart := figure.Shares{
			Title: "By " + x.name, X: x.name, Y: "accuracy (%)", Classes: x.classes,
			Levels: []figure.Level{{Y: guess / max(count, 1)}},
		}
		switch x.name {
		case "operands":
			chart.X = "numbers in the expression"
		case "depth":
			chart.X = "depth of the brackets"
		case "length":
			chart.X = "characters, up to"
			chart.Classes = nil
			for _, class := range x.classes {
				chart.Classes = append(chart.Classes, strings.TrimPrefix(class, "≤"))
			}
		}
		for g := range reports {
			chart.Groups = append(chart.Groups, sharesOf(x, g))
		}
		height := 215 + 11*float64(len(reports)) // a line of the table for each
		page.Rows = append(page.Rows, figure.Row{Height: height, Panels: []figure.Panel{chart}})
	}
	if len(page.Rows) > 0 {
		a.add(accuracyKind, file, page)
	}
}

// mostClasses is how many classes of samples a chart has room for.
const mostClasses = 40

// sharesOf are the points of group g.
func sharesOf(x accuracies, g int) figure.ShareGroup {
	out := figure.ShareGroup{Group: g}
	for c, class := range x.classes {
		t := x.tallies[g][class]
		if t.Count == 0 {
			continue
		}
		low, high := metric.Wilson(t.Exact, t.Count)
		out.Points = append(out.Points, figure.Share{
			Class: c, Y: t.ExactRate(), Low: low, High: high, Count: t.Count, Thin: t.Count < thinBelow,
		})
	}
	return out
}

// recorded draws the accuracies of files of records, a figure for each task.
func (a *album) recorded(paths []string) error {
	var all []evaluated
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return fmt.Errorf("--records %s stands twice; its samples would count twice, leave one out", path)
		}
		list, err := readRecords(path)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	task := func(e evaluated) string {
		return strings.TrimSpace(strings.Join([]string{e.Task, e.Preset, e.Format}, " "))
	}
	var done []string
	for _, first := range all {
		if slices.Contains(done, task(first)) {
			continue
		}
		done = append(done, task(first))
		var names []string
		var reports [][]*metric.Report
		samples := map[string]int{} // by what was evaluated
		versions := map[string]bool{}
		for _, e := range all {
			if task(e) != task(first) {
				continue
			}
			i := slices.Index(names, e.Model)
			if i < 0 {
				i, names, reports = len(names), append(names, e.Model), append(reports, nil)
			}
			reports[i] = append(reports[i], &e.Report)
			step := "step not known"
			if e.Step != nil {
				step = "step " + group(*e.Step)
			}
			seed := ""
			if e.Seed != nil {
				seed = fmt.Sprintf(", samples of seed %d", *e.Seed)
			}
			samples[fmt.Sprintf("%s: %s, %s%s", e.Model, e.Checkpoint, step, seed)] += e.N
			versions[versionOf(e.Origin)] = true
		}
		var about []string
		for _, what := range slices.Sorted(maps.Keys(samples)) {
			about = append(about, fmt.Sprintf("%s: %s.", what, plural(samples[what], "sample")))
		}
		about = append(about, "Records: "+strings.Join(paths, ", ")+". Evaluated by "+
			strings.Join(slices.Sorted(maps.Keys(versions)), "; ")+".")
		a.accuracies(task(first), task(first), names, reports, about)
	}
	return nil
}
