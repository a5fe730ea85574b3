package album

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mhacsp/model/study/curve"
	"mhacsp/native/figure"
	"mhacsp/native/words"
)

// AddCurves draws loss and accuracy of one task.
func (a *Album) AddCurves(task, file string, groups []Group) {
	told := slices.DeleteFunc(slices.Clone(groups), func(g Group) bool {
		for _, s := range g.Runs {
			if len(s.Loss.X) == 0 {
				a.Miss(Curves, s.Path, "no log with steps")
				return true
			}
		}
		return false
	})
	if len(told) == 0 {
		return
	}
	page, loss, exact, answer := lossAndAccuracy(told)
	page.Title = "Training curves: " + task
	page.Legend = legend(told)
	page.Rows = []figure.Row{{Height: 200, Panels: []figure.Panel{loss}}}
	for _, chart := range []figure.Lines{exact, answer} {
		if len(chart.Series) > 0 {
			page.Rows = append(page.Rows, figure.Row{Height: 240, Panels: []figure.Panel{chart}})
		}
	}
	page.Caption = append(page.Caption, provenance(told)...)
	a.add(Curves, file, page)
}

// points is how many points a curve of steps is drawn with.
const points = 150

// lossAndAccuracy are the charts, and what is to be said about them. The third is empty where a right answer is a
// right output; else it has what is told from a constant guess, which is one of answers.
func lossAndAccuracy(groups []Group) (page figure.Page, loss, exact, answer figure.Lines) {
	loss = figure.Lines{Title: "Loss", X: "training steps", Y: "cross-entropy (nats)"}
	exact = figure.Lines{
		Title: "Accuracy on validation samples", X: "training steps", Y: "exact match (%)", Share: true,
	}
	if groups[0].Runs[0].Run.Config.Shape().Classes > 0 {
		exact.Y = "right labels (%)"
	}
	rising := &exact // the chart of what a constant guess is of
	apart := slices.ContainsFunc(groups, func(g Group) bool { return g.Runs[0].Run.AnswerApart() })
	if apart {
		answer = figure.Lines{
			Title: "Right answers on validation samples", X: exact.X, Y: "right answers (%)", Share: true,
		}
		rising = &answer
	}
	guess, fewest, most, curriculum, long := 0.0, math.MaxInt, 0, false, false
	weights := map[string]bool{} // of the answer in training's loss, in words
	var rises []string
	for i, g := range groups {
		var training, validation, right, answers []curve.Curve
		var rose []curve.Rise
		for _, s := range g.Runs {
			training = append(training, s.Loss.Thin(points))
			curriculum = curriculum || s.Run.Training.Curriculum
			long = long || s.Run.Training.LongShare > 0
			if s.Run.WeighsAnswer() {
				weights[fmt.Sprintf("%g times (%s)", s.Run.Training.AnswerWeight, g.Name)] = true
			}
			if len(s.Exact.X) == 0 {
				continue
			}
			validation, right = append(validation, s.Validation), append(right, s.Exact)
			guess, fewest, most = max(guess, s.Guess), min(fewest, s.Samples), max(most, s.Samples)
			rises := s.Exact
			if apart {
				rises, answers = s.Answer, append(answers, s.Answer)
			}
			if r, ok := rises.Rise(s.Guess); ok {
				rose = append(rose, r)
			}
			loss.ToX, exact.ToX = max(loss.ToX, float64(s.Step)), max(exact.ToX, float64(s.Step))
			answer.ToX = exact.ToX
		}
		loss.ToX = max(loss.ToX, float64(g.Runs[0].Step))
		loss.Series = append(loss.Series, seriesOf(i, curve.Over(training)))
		if len(right) > 0 {
			beside := seriesOf(i, curve.Over(validation))
			loss.Series = append(loss.Series, figure.Series{Group: i, Thin: true, X: beside.X, Y: beside.Y})
			exact.Series = append(exact.Series, seriesOf(i, curve.Over(right)))
			if apart {
				answer.Series = append(answer.Series, seriesOf(i, curve.Over(answers)))
			}
			span, text := riseOf(i, rose, len(right))
			rising.Spans = append(rising.Spans, span...)
			rises = append(rises, g.Name+": "+text)
		}
	}
	if len(exact.Series) == 0 {
		return page, loss, exact, answer
	}
	rising.Levels = []figure.Level{{Name: "a constant guess", Y: guess}}
	samples := words.Plural(most, "sample")
	if fewest < most {
		samples = words.Number(fewest) + " to " + samples
	}
	text := fmt.Sprintf("Loss: solid in training, thin and dotted in validation. Accuracy: %s a validation.", samples)
	if slices.ContainsFunc(groups, func(g Group) bool { return len(g.Runs) > 1 }) {
		text = "Lines are means over the seeds, bands go from the least seed to the greatest. " + text
	}
	if curriculum {
		text += " Training starts with short samples (curriculum), validation has all from the start."
	}
	if len(weights) > 0 {
		text += " The two losses are not on one scale: in training's the answer weighs " +
			strings.Join(slices.Sorted(maps.Keys(weights)), ", ") + ", in validation's all tokens weigh alike."
	}
	if long {
		text += " Training draws more long samples than validation."
	}
	page.Caption = []string{text, "Bars: the grokking interval (FIGURES.md), from 50 % over 90 % (mark) to 99 % of " +
		"the way from a constant guess to the final accuracy of answers or labels; the first validations that have " +
		"it, medians of the seeds. It may fall again behind them. " + strings.Join(rises, "; ") + "."}
	return page, loss, exact, answer
}

func seriesOf(i int, b curve.Band) figure.Series {
	return figure.Series{Group: i, X: b.X, Y: b.Mean, Low: b.Low, High: b.High}
}

// riseOf is the bar of a group of which that many seeds rose, and the bar in words.
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
	text := fmt.Sprintf("%s, %s and %s steps", words.Number(int(s.From)), words.Number(int(s.Mark)),
		words.Number(int(s.To)))
	if len(rose) < seeds {
		text += fmt.Sprintf(" (%d of %s)", len(rose), words.Plural(seeds, "seed"))
	}
	return []figure.Span{s}, text
}
