//go:build !js

package tables

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"mhacsp/model/checkpoint"
	"mhacsp/model/study"
	"mhacsp/model/study/sweep"
	"mhacsp/native/album"
	"mhacsp/native/cli"
	"mhacsp/native/cmd/figures"
	"mhacsp/native/words"
)

// outcome is what came of a configuration at the highest rung that it has reached.
type outcome struct {
	configuration, rung, step int // rung below 0: none yet
	sweep.Estimate
	first  float64   // mean at the first rung, 0 at least; no number where it has not come there
	target []float64 // steps to the target, of the seeds that came there
}

// outcomes are those of all configurations, best first: by the rung, the mean, the steps to the target.
func (w *sweeping) outcomes() (list []outcome) {
	for c, scores := range w.scores() {
		scores = slices.DeleteFunc(scores, func(s float64) bool { return s == sweep.Failed })
		o := outcome{configuration: c, rung: len(scores) - 1, first: math.Max(0, append(scores, math.NaN())[0])}
		var of []float64
		for _, cell := range w.cells[c*w.Seeds : (c+1)*w.Seeds] {
			if o.rung >= 0 {
				last, step, _ := w.reached(cell, o.rung)
				of, o.step = append(of, last.Exact), step
			}
			at := slices.IndexFunc(cell.Validations, func(p study.Point) bool { return p.Exact >= w.target })
			if at >= 0 {
				o.target = append(o.target, float64(cell.Validations[at].Step))
			}
		}
		o.Estimate = sweep.EstimateOf(of)
		list = append(list, o)
	}
	slices.SortStableFunc(list, func(a, b outcome) int {
		return cmp.Or(b.rung-a.rung, cmp.Compare(b.Mean, a.Mean), len(b.target)-len(a.target),
			cmp.Compare(study.Mean(a.target), study.Mean(b.target)))
	})
	return list
}

// tell prints what came out, and writes it into the folder.
func (w *sweeping) tell() error {
	if err := w.refresh(); err != nil {
		return err
	}
	metric, guesses := "exact match", []float64{}
	if w.cells[0].Run.Config.Shape().Classes > 0 {
		metric = "accuracy"
		for _, c := range w.cells {
			if n := len(c.Validations); n > 0 {
				guesses = append(guesses, c.Validations[n-1].Guess)
			}
		}
	}
	estimates := func(e sweep.Estimate) []string {
		switch e.Count {
		case 0:
			return []string{"–", "–"}
		case 1:
			return []string{cli.Percent(e.Mean), "–"}
		}
		return []string{cli.Percent(e.Mean), fmt.Sprintf("%.1f–%.1f %%", 100*e.Low, 100*e.High)}
	}
	head := []string{"run"}
	for _, k := range w.keys {
		head = append(head, k.Name)
	}
	head = append(head, "steps", metric, "95 %")
	if w.target > 0 {
		head = append(head, fmt.Sprintf("to %.4g %%", 100*w.target))
	}
	rows, scores, first := [][]string{head}, make([]float64, len(w.values)), make([]float64, len(w.values))
	var order []int
	stopped := map[int]bool{}
	for _, o := range w.outcomes() {
		stopped[o.configuration] = o.rung < len(w.rungs)-1
		row := append([]string{fmt.Sprintf("%03d", o.configuration+1)}, w.values[o.configuration]...)
		row = append(append(row, words.Number(o.step)), estimates(o.Estimate)...)
		if n := len(o.target); w.target > 0 && n == 0 {
			row = append(row, "–")
		} else if w.target > 0 {
			row = append(row, fmt.Sprintf("%s (%d of %d)", words.Number(int(study.Mean(o.target))), n, w.Seeds))
		}
		rows, order = append(rows, row), append(order, o.configuration)
		scores[o.configuration], first[o.configuration] = o.Mean, o.first
	}
	effects := [][]string{{"key", "value", metric, "95 %", "configurations"}}
	list := sweep.Effects(w.keys, w.values, first)
	var unseen []string
	for _, e := range list {
		if !e.Seen() {
			unseen = append(unseen, e.Key)
		}
		for _, l := range e.Levels {
			effects = append(effects, slices.Concat([]string{e.Key, l.Name}, estimates(l.Estimate),
				[]string{fmt.Sprint(l.Count)}))
		}
	}
	of := fmt.Sprintf("Means over %s by the last validation, with 95 %% intervals (Student's t).",
		words.Plural(w.Seeds, "seed"))
	about := "What each key does: means over the configurations with a value, or in a third of a range."
	if len(w.rungs) > 1 {
		of += " What did not go on stands where it ended."
		about += fmt.Sprintf(" All are taken after %s.", words.Plural(w.rungs[0], "step"))
	}
	if len(unseen) > 0 {
		about += fmt.Sprintf(" The intervals of %s all meet: chance may have made the differences.",
			strings.Join(unseen, " and of "))
	}
	if w.Seeds == 1 {
		of += " One seed tells little: the same command with --seeds 3 adds two more."
	}
	if len(guesses) > 0 {
		of += fmt.Sprintf(" A constant guess gets %s.", cli.Percent(study.Mean(guesses)))
	}
	fmt.Fprintf(w.out, "\n%s\n%s\n", of, about)
	for _, list := range [][][]string{rows, effects} {
		fmt.Fprintln(w.out)
		t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
		for _, row := range list {
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
		t.Flush()
	}
	var a album.Album
	name := filepath.Base(w.f.out)
	a.AddSweep("Sweep "+name, metric, w.keys, w.values, scores, order, stopped, list, of, about)
	if _, err := figures.WriteAlbum(&a, w.f.out, []string{"svg", "png"}, true); err != nil {
		return err
	}
	path := filepath.Join(w.f.out, "SWEEP.md")
	var text strings.Builder
	fmt.Fprintf(&text, "# Sweep %s\n\n%s, %s, --vary %s\n\n%s\n\n", name, w.Method, words.Plural(w.Seeds, "seed"),
		strings.Join(w.Vary, " --vary "), of)
	cli.Table(&text, rows)
	text.WriteString(about + "\n\n")
	cli.Table(&text, effects)
	drawn := ""
	if len(a.Pages) > 0 { // none where no run has a score yet
		text.WriteString("![as a picture](sweep.svg)\n")
		drawn = ", sweep.svg, sweep.png"
	}
	if err := checkpoint.WriteText(path, []byte(text.String())); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "\nreport   %s%s\n", path, drawn)
	return nil
}
