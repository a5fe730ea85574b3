//go:build desktop && !js

package native

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mhacsp/model/ask"
	"mhacsp/model/backend"
	"mhacsp/model/metric"
	"mhacsp/model/sequence"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/native/window"
	"mhacsp/site/circle"
	"mhacsp/tasks"
)

// race answers the window with two to four networks that train in turns, a step each, on the same batches. All but the
// methods of window.Host run in the one goroutine that owns the device. It keeps nothing.
type race struct {
	win     *window.Window
	device  backend.Backend
	task    tasks.Task
	text    string // that all of them read
	runners []*runner

	inbox
	closed    <-chan struct{} // with the window
	published time.Time
	looked    time.Time
	took      time.Duration
}

// runner is one of them.
type runner struct {
	run     train.Run
	net     sequence.Network
	trainer *train.Trainer
	curves  *curves
	seconds float64           // of a step, smoothed
	test    *train.Evaluation // the newest
	over    bool              // its test is done
	failed  error
	verdict string // what it makes of the text
	reading *circle.Reading
}

// errClosed ends an evaluation when the window is closed.
var errClosed = errors.New("the window was closed")

// newRace opens the networks of a race.
func newRace(f trainFlags, runs []train.Run, text string) (r *race, err error) {
	device, err := openBackend(f.device)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			device.Close()
		}
	}()
	r = &race{inbox: newInbox(), device: device, text: text}
	r.changed = r.publish
	for _, run := range runs {
		x := &runner{run: run, curves: &curves{steps: run.Training.Steps}}
		if x.net, err = build(run.Config, r.device, bytesTrained); err != nil {
			return nil, err
		}
		if r.device.Info().Name != "gpu" {
			if err = batchFits(run); err != nil {
				return nil, err
			}
		}
		x.net.Initialise(run.Training.Seed)
		if x.trainer, err = train.New(run, x.net); err != nil {
			return nil, err
		}
		x.trainer.Yield = r.yield
		r.runners = append(r.runners, x)
	}
	r.task = r.runners[0].trainer.Task
	if r.text == "" {
		r.text = r.task.Example()
	}
	for _, x := range r.runners {
		if _, err = x.question(r.task, r.text); err != nil {
			return nil, pointAt(r.text, fmt.Errorf("--ask: %w", err))
		}
	}
	return r, nil
}

// in implements shown.
func (r *race) in(w *window.Window) { r.win = w }

// title implements shown.
func (r *race) title() (name, example string) { return "race, " + r.task.Name(), r.text }

// modulus implements shown.
func (r *race) modulus() int { return 0 }

// Ask implements window.Host.
func (r *race) Ask(text string) {
	r.do(func() {
		if _, err := r.runners[0].question(r.task, text); err != nil {
			r.win.Do(func(s *window.Screen) { s.SetNotice(err.Error(), true) })
			return
		}
		r.text = text
		r.look()
		r.win.Do(func(s *window.Screen) { s.SetNotice("", false) })
	})
}

// Checkpoint, Clocks, Cut, Turn, Sums and Table implement window.Host: of a race nobody asks for these.
func (r *race) Checkpoint(int) {}
func (r *race) Clocks(bool)    {}
func (r *race) Cut()           {}
func (r *race) Turn(int)       {}
func (r *race) Sums()          {}
func (r *race) Table(bool)     {}

// yield answers the window in the middle of an evaluation.
func (r *race) yield() error {
	select {
	case <-r.closed:
		return errClosed
	default:
	}
	r.answer()
	return nil
}

// work trains until all are over or the window is closed, then shows what was trained.
func (r *race) work(closed <-chan struct{}, f *viewFlags) error {
	r.closed = closed
	r.look()
	for !r.over() {
		if r.yield() != nil {
			return nil
		}
		if r.held() {
			if r.looked.Before(r.published) {
				r.look()
			}
			select {
			case <-r.wake:
			case <-closed:
			}
			continue
		}
		r.passed()
		for _, x := range r.runners {
			if err := x.step(); errors.Is(err, errClosed) {
				return nil
			}
		}
		r.show()
	}
	r.look()
	r.win.Do(func(s *window.Screen) {
		if f.play {
			s.Play()
		}
		if f.close {
			s.CloseAtRest()
		}
	})
	r.serve(closed)
	return r.failure()
}

// over reports whether nobody runs any more.
func (r *race) over() bool {
	for _, x := range r.runners {
		if x.runs() {
			return false
		}
	}
	return true
}

// failure is the first that ended a runner before its course was run.
func (r *race) failure() error {
	for _, x := range r.runners {
		if x.failed != nil {
			return internalError{fmt.Errorf("%s: %w", x.run.Config.Name(), x.failed)}
		}
	}
	return nil
}

func (x *runner) runs() bool { return !x.over && x.failed == nil }

// step makes a runner's next step and what is due after it. Only errClosed is returned: what else goes wrong ends the
// runner, and the others go on.
func (x *runner) step() error {
	if !x.runs() {
		return nil
	}
	_, _, err := x.trainer.Advance()
	if err == nil { // waited for at once: else the others' steps would count as its time
		err = x.trainer.Settle(x.event)
	}
	if err == nil {
		err = x.trainer.Due(x.event, func() error { return nil })
	}
	if err == nil && x.trainer.Over() {
		_, err = x.trainer.Finish(x.event)
		x.over = err == nil
	}
	if !errors.Is(err, errClosed) {
		x.failed, err = err, nil
	}
	return err
}

func (x *runner) event(e train.Event) {
	switch e := e.(type) {
	case train.Step:
		x.curves.add(e)
		x.seconds = fastDecay*x.seconds + (1-fastDecay)*e.Seconds
		if e.Step == 1 {
			x.seconds = e.Seconds
		}
	case train.Evaluation:
		x.test = &e
	}
}

// show brings the window up to date, so seldom that it takes little of the time.
func (r *race) show() {
	slow := seldom(r.win.FrameTime(), drawShare)
	switch {
	case time.Since(r.looked) >= max(lookPeriod, seldom(r.took, lookShare), slow):
		r.look()
	case time.Since(r.published) >= max(numbersPeriod, slow):
		r.publish()
	}
}

// look has every network read the text.
func (r *race) look() {
	begin := time.Now()
	for _, x := range r.runners {
		if x.failed != nil {
			continue
		}
		if err := x.read(r.task, r.text); err != nil {
			x.verdict = err.Error()
		}
	}
	r.looked = time.Now()
	r.took = r.looked.Sub(begin)
	r.publish()
}

func (x *runner) question(t tasks.Task, text string) (ask.Question, error) {
	q, err := ask.Parse(t, x.run.Training.Format, asTyped(text))
	if err == nil {
		err = trace.Fits(x.run.Config.Traits(), q)
	}
	return q, err
}

func (x *runner) read(t tasks.Task, text string) error {
	q, err := x.question(t, text)
	if err != nil {
		return err
	}
	reading, err := trace.Read(x.net, t, x.run.Training.Format, q)
	if err != nil {
		return err
	}
	reading.Step = x.trainer.Count()
	x.verdict = "answers " + reading.Answer
	if reading.Answer == "" {
		x.verdict = "writes no answer"
	}
	switch {
	case reading.Right:
		x.verdict += ": right"
	case reading.Expected != "":
		x.verdict += ": wrong, it is " + reading.Expected
	}
	if x.phases() {
		drawn := circle.Reading(*reading)
		x.reading = &drawn
	}
	return nil
}

func (x *runner) phases() bool { return x.run.Config.Traits().Units > 0 }

// publish hands chart and lanes to the window.
func (r *race) publish() {
	r.published = time.Now()
	c := window.Content{Steps: r.runners[0].run.Training.Steps}
	c.Shares = window.Chart{Title: "Right answers in training, smoothed", Share: true}
	var lanes []window.Lane
	for i, x := range r.runners {
		c.Step = max(c.Step, x.trainer.Count())
		curve := window.Series{Name: x.run.Config.Name(), Role: window.Runner + window.Role(i)}
		if _, shares := x.curves.charts(x.run); len(shares.Series) > 0 {
			s := shares.Series[0]
			curve.X, curve.Seconds, curve.Y = s.X, s.Seconds, smoothed(s.Y)
		}
		c.Shares.Series = append(c.Shares.Series, curve)
		lanes = append(lanes, x.lane(r.paused))
		x.reading = nil
	}
	state := window.Training
	switch {
	case r.over():
		state = window.Ended
	case r.paused:
		state = window.Paused
	}
	told := r.told()
	r.win.Do(func(s *window.Screen) {
		s.SetState(state)
		s.SetContent(c)
		s.SetTold(told)
		if err := s.SetLanes(lanes); err != nil {
			s.SetNotice(err.Error(), true)
		}
	})
}

// smoothed is a running mean, as the page's race draws it.
func smoothed(y []float64) []float64 {
	const keep = 0.9
	out := make([]float64, len(y))
	for i, x := range y {
		if i > 0 {
			x = keep*out[i-1] + (1-keep)*x
		}
		out[i] = x
	}
	return out
}

// told is what the page says of a race: what is the same for all, and in the end the tests.
func (r *race) told() string {
	t := r.runners[0].run.Training
	text := fmt.Sprintf("All read the same batches of %s, drawn by seed %d, without a curriculum.",
		group(t.Batch), t.Seed)
	if !r.over() {
		return text
	}
	var list []string
	for _, x := range r.runners {
		if x.over && x.test != nil {
			list = append(list, fmt.Sprintf("%s %.1f %%", x.run.Config.Name(), 100*x.test.Report.AnswerRate()))
		}
	}
	return fmt.Sprintf("The race is over; in the last test: %s. %s", strings.Join(list, ", "), text)
}

// lane is what the window shows of a runner.
func (x *runner) lane(paused bool) window.Lane {
	test, took := "–", "–"
	if x.test != nil {
		e := x.test.Report
		low, high := metric.Wilson(e.Answer, e.Count)
		test = fmt.Sprintf("%.1f %% (%.0f to %.0f) at step %s",
			100*e.AnswerRate(), 100*low, 100*high, group(x.test.Step))
	}
	if x.seconds > 0 {
		took = fmt.Sprintf("%.1f ms", 1000*x.seconds)
	}
	says := "trains"
	switch {
	case x.failed != nil:
		says = "has ended: " + x.failed.Error()
	case x.over:
		says = "has run its course"
	case paused:
		says = "rests"
	}
	if x.failed == nil && x.verdict != "" {
		says += "; " + x.verdict
	}
	return window.Lane{
		Name: x.run.Config.Name(),
		Rows: []window.Row{
			{Label: "parameters", Value: group(x.net.Params().Count())},
			{Label: "step", Value: group(x.trainer.Count()) + " of " + group(x.run.Training.Steps)},
			{Label: "a step", Value: took},
			{Label: "test", Value: test},
		},
		Says: says, Bad: x.failed != nil, Phases: x.phases(), Reading: x.reading,
	}
}
