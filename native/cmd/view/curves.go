//go:build desktop && !js

package view

import (
	"errors"
	"fmt"
	"io/fs"

	"mhacsp/model/train"
	"mhacsp/native/window"
)

// buckets is into how many equal parts a run is cut for its curves; a point is the mean of its part's steps.
const buckets = 300

// curves are what is drawn of a run's steps and evaluations.
type curves struct {
	steps       int // of the whole run
	sums        [buckets]curvePoint
	evaluations []train.Evaluation
	last        train.Step
}

type curvePoint struct{ count, step, loss, exact, answer float64 }

// readCurves takes the log of a run's folder, up to a step. A folder without a log has no curves.
func readCurves(dir string, steps, upTo int) (*curves, error) {
	c := &curves{steps: steps}
	for e, err := range train.ReadLog(dir) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		switch e := e.Event.(type) {
		case train.Step:
			if e.Step <= upTo {
				c.add(e)
			}
		case train.Evaluation:
			if e.Step <= upTo {
				c.evaluate(e)
			}
		}
	}
	return c, nil
}

func (c *curves) add(s train.Step) {
	i := min(max((s.Step-1)*buckets/max(c.steps, 1), 0), buckets-1)
	p := &c.sums[i]
	p.count++
	p.step += float64(s.Step)
	p.loss += s.Loss
	p.exact += s.Exact
	p.answer += s.Answer
	c.last = s
}

func (c *curves) evaluate(e train.Evaluation) { c.evaluations = append(c.evaluations, e) }

// charts are the curves as the window draws them. A task with labels has no exact match next to the answer.
func (c *curves) charts(run train.Run) (loss, shares window.Chart) {
	var x, losses, exacts, answers []float64
	for _, p := range c.sums {
		if p.count > 0 {
			x = append(x, p.step/p.count)
			losses = append(losses, p.loss/p.count)
			exacts = append(exacts, p.exact/p.count)
			answers = append(answers, p.answer/p.count)
		}
	}
	var ex, el, ee, ea []float64
	for _, e := range c.evaluations {
		if e.Role == "validation" {
			ex, el = append(ex, float64(e.Step)), append(el, e.Report.Loss)
			ee, ea = append(ee, e.Report.ExactRate()), append(ea, e.Report.AnswerRate())
		}
	}
	if len(x) == 0 {
		return
	}
	training := "training"
	if run.WeighsAnswer() { // evaluations weigh all tokens alike
		training += fmt.Sprintf(" (answer × %g)", run.Training.AnswerWeight)
	}
	loss = window.Chart{Title: "Loss", Series: []window.Series{
		{Name: training, Role: window.Loss, X: x, Y: losses},
		{Name: "validation", Role: window.Loss, Dots: true, X: ex, Y: el},
	}}
	shares = window.Chart{Title: "Right", Share: true, Series: []window.Series{
		{Name: "answer", Role: window.Answer, X: x, Y: answers},
	}}
	if run.Config.Shape().Classes == 0 {
		shares.Series = append(shares.Series,
			window.Series{Name: "all of the output", Role: window.Exact, X: x, Y: exacts},
			window.Series{Name: "validation", Role: window.Exact, Dots: true, X: ex, Y: ee})
	} else {
		shares.Series = append(shares.Series,
			window.Series{Name: "validation", Role: window.Answer, Dots: true, X: ex, Y: ea})
	}
	return loss, shares
}
