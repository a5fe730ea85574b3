package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mhacsp/model/metric"
	"mhacsp/model/study/curve"
	"mhacsp/model/train"
)

// Figure is what several runs measured.
type Figure struct {
	Unit string  `json:"unit,omitempty"` // %, steps, s …
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"` // of a sample; 0 of one run
	N    int     `json:"n"`  // runs; 0: there is no figure, and Note says why
	// Thin says that the runs had this share of the steps asked for, 0: all of them. Thin and whole runs are never
	// averaged: where there are whole ones the figure is theirs.
	Thin  float64  `json:"thin,omitempty"`
	Paper *float64 `json:"paper,omitempty"` // what the paper has there
	Note  string   `json:"note,omitempty"`
	Runs  []Run    `json:"runs,omitempty"`
}

// Run is one of a figure's values, and where it comes from.
type Run struct {
	Cell  string   `json:"cell"`
	Seed  uint64   `json:"seed"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"` // Wilson's 95 % interval, where samples were counted
	High  *float64 `json:"high,omitempty"`
	Count int      `json:"count,omitempty"` // samples
	Steps int      `json:"steps"`
	Asked int      `json:"asked"`
	Wall  float64  `json:"seconds"` // wall time of the run
	train.Origin
}

// Measured is what a measure finds in a cell.
type Measured struct {
	Value       float64
	Hits, Count int     // where it is a share of samples: Value is Scale times Hits of Count
	Scale       float64 // 100 for percent
}

// Measure reads one number of a finished cell, and is false where there is none.
type Measure func(Cell) (Measured, bool)

// Of is the figure of cells that differ in their seed alone.
func Of(cells []Cell, unit string, measure Measure) Figure {
	f := Figure{Unit: unit}
	var whole, thin []Run
	share := 1.0
	for _, c := range cells {
		if c.State != Finished {
			continue
		}
		m, ok := measure(c)
		if !ok {
			continue
		}
		r := Run{Cell: c.Name, Seed: c.Run.Training.Seed, Value: m.Value, Count: m.Count, Steps: c.Steps,
			Asked: c.Asked, Wall: c.Seconds, Origin: c.Origin}
		if m.Count > 0 {
			low, high := metric.Wilson(m.Hits, m.Count)
			r.Low, r.High = new(low*m.Scale), new(high*m.Scale)
		}
		if c.Thin() {
			thin, share = append(thin, r), min(share, c.Share())
		} else {
			whole = append(whole, r)
		}
	}
	if f.Runs = whole; len(whole) == 0 && len(thin) > 0 {
		f.Runs, f.Thin = thin, share
	}
	var values []float64
	for _, r := range f.Runs {
		values = append(values, r.Value)
	}
	f.Mean, f.SD, f.N = Mean(values), Deviation(values), len(values)
	if f.N == 0 {
		f.Note = missing(cells)
	}
	return f
}

// missing says why cells have no figure.
func missing(cells []Cell) string {
	if len(cells) == 0 {
		return "not in the plan"
	}
	for _, x := range []struct {
		state State
		words string // of those that finished, and do not have it, a dash
	}{
		{Finished, "–"}, {Failed, "failed"}, {Damaged, "damaged"}, {Running, "running"}, {Half, "half done"},
		{Absent, "not run"},
	} {
		if slices.ContainsFunc(cells, func(c Cell) bool { return c.State == x.state }) {
			return x.words
		}
	}
	return "–"
}

// error2 is the square of the standard error of a figure's mean in percent: by the spread of its seeds, and at least
// by the counts of samples.
func (f Figure) error2() float64 {
	n := float64(max(f.N, 1))
	counted := 0.0
	for _, r := range f.Runs {
		if r.Count > 0 {
			counted += r.Value / 100 * (1 - r.Value/100) / float64(r.Count) * 1e4
		}
	}
	return math.Max(f.SD*f.SD/n, counted/(n*n))
}

// Value is the mean with its spread, or why there is none.
func (f Figure) Value() string {
	if f.N == 0 {
		return f.Note
	}
	text := number(f.Mean, f.Unit)
	if f.N > 1 && (f.SD != 0 || f.Unit != "") { // what is counted, and the same in all runs, has no spread
		text += " ± " + spreadText(f.SD, text)
	}
	return text
}

// PaperText is what the paper has there; empty where it has nothing.
func (f Figure) PaperText() string {
	if f.Paper == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", *f.Paper) // as the paper has all of them
}

// Text is the figure for a table.
func (f Figure) Text() string {
	if f.N == 0 {
		return f.Note
	}
	text := f.Value() + fmt.Sprintf(" (%d", f.N)
	if f.Thin > 0 {
		text += fmt.Sprintf(", thin: %.0f %% of the steps", 100*f.Thin)
	}
	return text + ")"
}

// Words is the figure in a sentence.
func (f Figure) Words() string {
	if f.N == 0 {
		return f.Note
	}
	text := strings.TrimSpace(f.Value() + " " + f.Unit)
	if f.Thin > 0 {
		return fmt.Sprintf("%s (thin: %.0f %% of the steps)", text, 100*f.Thin)
	}
	return fmt.Sprintf("%s (%s)", text, runs(f.N))
}

// spreadText is a spread with as many places as its mean has; of a mean without any, rounded.
func spreadText(sd float64, mean string) string {
	_, places, _ := strings.Cut(mean, ".")
	if places == "" {
		return grouped(sd)
	}
	return strconv.FormatFloat(sd, 'f', len(places), 64)
}

// score is the unit of what is about 1 at most and is no share.
const score = "score"

// number writes a figure of a unit for people.
func number(x float64, unit string) string {
	text := fmt.Sprintf("%.3g", x)
	switch {
	case unit == "%" && x < 99.95 && x > 10:
		text = fmt.Sprintf("%.1f", x)
	case unit == "%":
		text = fmt.Sprintf("%.2f", x)
	case unit == score:
		text = fmt.Sprintf("%.3f", x)
	case unit == "steps" || math.Abs(x) >= 999.5: // which rounds to 1 000
		text = grouped(x)
	}
	return signed(text)
}

// signed has a minus that is as wide as a plus.
func signed(text string) string { return strings.Replace(text, "-", "−", 1) }

// grouped is a whole number with spaces between thousands.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// runs is that many of them.
func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// share is a measure of hits among samples, in percent.
func share(hits, count int) (Measured, bool) {
	return Measured{100 * float64(hits) / float64(max(count, 1)), hits, count, 100}, count > 0
}

// The measures of a test.
func exactOf(c Cell) (Measured, bool)  { return share(c.Test.Exact, c.Test.Count) }
func answerOf(c Cell) (Measured, bool) { return share(c.Test.Answer, c.Test.Count) }
func guessOf(c Cell) (Measured, bool)  { return Measured{Value: 100 * c.Test.Majority}, true }

// scoreOf is the measure of right answers, or of whole outputs.
func scoreOf(answer bool) Measure {
	if answer {
		return answerOf
	}
	return exactOf
}

// reachedOf is how many steps, or seconds of them, lie before a share of the way to the final figure, of right answers
// or of whole outputs.
func reachedOf(part float64, answer, seconds bool) Measure {
	return func(c Cell) (Measured, bool) {
		x, ok := c.reached(part, answer, seconds)
		return Measured{Value: x}, ok
	}
}

// reached is the step of the first validation that has a share of the way, or the seconds of training before it. A
// constant guess, where the way begins, is one of answers: it gets no whole output where these are apart.
func (c Cell) reached(part float64, answer, seconds bool) (x float64, ok bool) {
	var way curve.Curve
	guess := 0.0
	for _, p := range c.Validations {
		at, y := float64(p.Step), p.Exact
		if seconds {
			at = p.Seconds
		}
		switch apart := c.Run.AnswerApart(); {
		case apart && answer:
			y, guess = p.Answer, p.Guess
		case !apart:
			guess = p.Guess
		}
		way.Add(at, y)
	}
	return way.Reach(guess, part)
}

// at finds a cell's evaluation on strings of some lengths. Where a task has odd lengths alone, or even ones, they go
// from the first to the last of these.
func (c Cell) at(low, high int) (Evaluation, bool) {
	i := slices.IndexFunc(c.Lengths, func(e Evaluation) bool {
		return e.Error == "" && (e.MinLength == low || e.MinLength == low+1) &&
			(e.MaxLength == high || e.MaxLength == high-1)
	})
	if i < 0 {
		return Evaluation{}, false
	}
	return c.Lengths[i], true
}
