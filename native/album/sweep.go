package album

import (
	"fmt"
	"math"
	"slices"

	"mhacsp/model/study/sweep"
	"mhacsp/native/figure"
)

// AddSweep adds the page of a sweep: its configurations across the keys, and what each key does. scores are those of
// the configurations, NaN where there is none; order has them, best first, and stopped those that did not go on.
func (a *Album) AddSweep(title, metric string, keys []sweep.Key, values [][]string, scores []float64, order []int,
	stopped map[int]bool, effects []sweep.Effect, caption ...string) {
	finite := slices.DeleteFunc(slices.Clone(scores), math.IsNaN)
	if len(finite) == 0 {
		return
	}
	low, high := slices.Min(finite), slices.Max(finite)
	if more := (0.1 - (high - low)) / 2; more > 0 { // an axis of less than ten points makes much of chance
		low, high = max(0, low-more), min(1, high+more)
	}
	chart := figure.Parallel{}
	caption = append(caption, "A line is a configuration: the best one orange, the others from grey to blue by what "+
		"they reached, dashed where they did not go on to the end.")
	for _, k := range keys {
		axis := figure.ParallelAxis{Name: k.Name}
		for _, v := range k.Marks() {
			axis.Ticks = append(axis.Ticks, figure.ParallelTick{At: k.Place(v), Name: v})
		}
		chart.Axes = append(chart.Axes, axis)
	}
	last := figure.ParallelAxis{Name: metric}
	for _, at := range []float64{0, 0.25, 0.5, 0.75, 1} {
		name := fmt.Sprintf("%.1f %%", 100*(low+at*(high-low)))
		last.Ticks = append(last.Ticks, figure.ParallelTick{At: at, Name: name})
	}
	chart.Axes = append(chart.Axes, last)
	for _, c := range slices.Backward(order) {
		if math.IsNaN(scores[c]) {
			continue
		}
		var line []float64
		for i, k := range keys {
			line = append(line, k.Place(values[c][i]))
		}
		line = append(line, (scores[c]-low)/(high-low))
		chart.Lines = append(chart.Lines, figure.ParallelLine{At: line, Dashed: stopped[c]})
	}
	page := figure.Page{Title: title, Caption: caption}
	page.Rows = []figure.Row{{Height: 250, Panels: []figure.Panel{chart}}}
	var panels []figure.Panel
	for _, e := range effects {
		s := figure.Shares{Title: e.Key, Y: metric + " (%)"}
		var g figure.ShareGroup
		for i, l := range e.Levels {
			s.Classes = append(s.Classes, l.Name)
			g.Points = append(g.Points, figure.Share{Class: i, Y: l.Mean, Low: l.Low, High: l.High, Count: l.Count})
		}
		s.Groups = []figure.ShareGroup{g}
		panels = append(panels, s)
	}
	for three := range slices.Chunk(panels, 3) {
		page.Rows = append(page.Rows, figure.Row{Height: 170, Panels: three})
	}
	a.Pages = append(a.Pages, Drawn{Sweep, Sweep, page})
}
