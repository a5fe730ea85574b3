//go:build desktop && !js

package view

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mhacsp/model/ask"
	"mhacsp/model/probe"
	"mhacsp/model/sequence"
	"mhacsp/model/trace"
	"mhacsp/model/train"
	"mhacsp/native/cli"
	traincmd "mhacsp/native/cmd/train"
	"mhacsp/native/window"
	"mhacsp/native/words"
	"mhacsp/site/circle"
	"mhacsp/tasks"
)

// viewer answers the window with a network. All but the methods of window.Host run in the one goroutine that owns the
// network's device: between the steps of training, or in serve.
type viewer struct {
	win  *window.Window
	run  train.Run
	task tasks.Task
	net  sequence.Network

	text    string // that is read
	clocks  clocks // that are looked for once the window wants them
	sums    sums
	curves  *curves
	rows    []window.Row    // that do not change
	meter   *traincmd.Meter // of training, else nil
	content window.Content
	reading *window.Reading // that the window does not have yet
	step    int             // training steps behind the parameters

	// Training.
	trainer   *train.Trainer
	paused    bool
	allowance int             // steps that a pause still lets pass
	closed    <-chan struct{} // with the window
	ctx       context.Context
	emit      func(train.Event)
	published time.Time // when the numbers went to the window last
	looked    time.Time // when the network was last asked for the window
	took      time.Duration

	kept []train.Checkpoint // to choose from

	inbox
	wanted atomic.Int64 // the checkpoint asked for last
}

// While it trains the window's numbers change at most this often, and circle, table and samples
// this often; and so seldom that asking the network and drawing (dear without a graphics card)
// take no more than these shares of the time.
const (
	numbersPeriod = 250 * time.Millisecond
	lookPeriod    = time.Second
	lookShare     = 0.03
	drawShare     = 0.03
)

// seldom is a period in which something that takes a time takes a share.
func seldom(takes time.Duration, share float64) time.Duration {
	return time.Duration(float64(takes) / share)
}

func newViewer(run train.Run, task tasks.Task, net sequence.Network, text string) *viewer {
	return &viewer{run: run, task: task, net: net, text: cmp.Or(text, task.Example()),
		inbox: inbox{wake: make(chan struct{}, 1)}}
}

// modulus is that of the sums whose clocks the window shows, else 0.
func (v *viewer) modulus() int {
	if v.task.Name() != "arithmetic" || v.run.Training.Format == "copy" || probe.Refuse(v.run.Config) != nil {
		return 0
	}
	return tasks.Modulus
}

// Ask implements window.Host.
func (v *viewer) Ask(text string) { v.again(func() { v.text = text }) }

// again reads the text once more, behind a change.
func (v *viewer) again(change func()) {
	v.do(func() {
		change()
		v.read()
		v.publish()
	})
}

// Train implements window.Host.
func (v *viewer) Train(on bool) {
	v.do(func() {
		v.paused, v.allowance = !on, 0
		v.publish()
	})
}

// Step implements window.Host.
func (v *viewer) Step() {
	v.do(func() {
		if v.paused {
			v.allowance++
		}
	})
}

// Checkpoint implements window.Host.
func (v *viewer) Checkpoint(at int) {
	v.wanted.Store(int64(at))
	v.do(func() {
		if v.wanted.Load() == int64(at) { // of a slider that is drawn along only the last counts
			v.choose(at)
		}
	})
}

// Begin implements train.Audience.
func (v *viewer) Begin(ctx context.Context, stop func(), emit func(train.Event)) {
	v.ctx, v.emit = ctx, emit
	go func() {
		select {
		case <-v.closed:
			stop()
		case <-ctx.Done():
		}
	}()
	v.trainer.Between = v.between
	v.trainer.Yield = func() error { // a question need not wait for the end of an evaluation
		v.answer()
		return nil
	}
	v.step = v.trainer.Count()
	v.look()
}

// Event implements train.Audience.
func (v *viewer) Event(e train.Event) {
	switch e := e.(type) {
	case train.Step:
		v.meter.Add(e)
		v.curves.add(e)
		v.step = e.Step
	case train.Evaluation:
		v.curves.evaluate(e)
	}
	if time.Since(v.published) >= max(numbersPeriod, seldom(v.win.FrameTime(), drawShare)) {
		v.publish()
	}
}

// between is called between two steps: it answers the window, and holds training while it is paused.
func (v *viewer) between() error {
	due := !v.paused && time.Since(v.looked) >= max(lookPeriod,
		seldom(v.took, lookShare), seldom(v.win.FrameTime(), drawShare))
	if !v.paused && !due && !v.waiting() {
		return nil
	}
	v.allowance = max(v.allowance-1, 0)
	if err := v.trainer.Settle(v.emit); err != nil {
		return err
	}
	if due {
		v.look()
	}
	for {
		v.answer()
		if !v.paused || v.allowance > 0 {
			v.meter.Last = time.Now() // the pause is no step's
			return nil
		}
		v.look()
		select {
		case <-v.wake:
		case <-v.ctx.Done():
			return nil
		}
	}
}

// look asks the network for all that the window shows.
func (v *viewer) look() {
	begin := time.Now()
	v.read()
	v.content.Samples = v.samples(samplesShown)
	v.content.Table = v.table()
	v.looked = time.Now()
	v.took = v.looked.Sub(begin)
	v.publish()
}

// read asks the network for what it makes of the text, for publish.
func (v *viewer) read() {
	q, err := v.question()
	if err != nil {
		v.notice(err)
		return
	}
	r, err := trace.Read(v.net, v.task, v.run.Training.Format, q)
	if err != nil {
		v.notice(err)
		return
	}
	r.Step = v.step
	reading := circle.Reading(*r)
	v.reading = &window.Reading{Reading: &reading, Rule: ruleWords(v.run.Config.Traits(), r), Dials: v.dials(q.Tokens)}
}

func (v *viewer) question() (ask.Question, error) { return v.parse(v.text) }

func (v *viewer) parse(text string) (ask.Question, error) {
	q, err := ask.Parse(v.task, v.run.Training.Format, cli.AsTyped(text))
	if err == nil {
		err = trace.Fits(v.run.Config.Traits(), q)
	}
	return q, err
}

// tokens are those of a text.
func (v *viewer) tokens(text string) ([]int32, error) {
	q, err := v.parse(text)
	return q.Tokens, err
}

// asked refuses a text that cannot be read.
func (v *viewer) asked() error {
	if _, err := v.question(); err != nil {
		return cli.PointAt(v.text, fmt.Errorf("--ask: %w", err))
	}
	return nil
}

func (v *viewer) notice(err error) {
	v.win.Do(func(s *window.Screen) { s.SetNotice(err.Error(), true) })
}

// samplesShown is how many the window asks for; it shows as many as have room.
const samplesShown = 16

// samples lets the network answer the first n test samples.
func (v *viewer) samples(n int) []window.Sample {
	d := tasks.Draw{Seed: v.run.Training.Seed, Role: tasks.Test, IID: v.run.Training.Split == "iid"}
	answered, err := ask.Samples(v.net, v.task, train.Draw(v.task, d, 0, n))
	if err != nil {
		v.notice(err)
		return nil
	}
	out := make([]window.Sample, n)
	for i, x := range answered {
		out[i] = window.Sample{Prompt: x.Prompt, Output: x.Output, Target: x.Target, Right: x.Right}
	}
	return out
}

// publish hands numbers, curves and the newest reading to the window.
func (v *viewer) publish() {
	v.published = time.Now()
	reading := v.reading
	v.reading = nil
	c := v.content
	c.Steps, c.Step = v.run.Training.Steps, v.step
	c.Loss, c.Shares = v.curves.charts(v.run)
	c.Rows = append(v.numbers(), v.rows...)
	state := window.NoTraining
	switch {
	case v.trainer == nil:
	case v.trainer.Between == nil:
		state = window.Ended
	case v.paused:
		state = window.Paused
	default:
		state = window.Training
	}
	v.forget()
	v.win.Do(func(s *window.Screen) {
		s.SetState(state)
		s.SetContent(c)
		if reading == nil {
			return
		}
		if err := s.SetReading(*reading); err != nil {
			s.SetNotice(err.Error(), true)
		}
	})
}

// numbers are the rows that change.
func (v *viewer) numbers() []window.Row {
	if v.trainer == nil && v.step == 0 && len(v.kept) == 0 { // a file, which does not say at which step it was written
		return nil
	}
	step := words.Number(v.step) + " of " + words.Number(v.run.Training.Steps)
	var rows []window.Row
	if m := v.meter; m != nil && m.Weight > 0 && v.trainer.Between != nil {
		w := m.Weight
		left := time.Duration(m.Wall / m.SlowWeight * float64(m.Steps-m.Count) * float64(time.Second))
		rows = append(rows,
			window.Row{Label: "step", Value: step + ", " + left.Round(time.Second).String() + " left"},
			window.Row{Label: "loss", Value: fmt.Sprintf("%.4f", m.Loss/w)},
			window.Row{Label: "answer right", Value: fmt.Sprintf("%.1f %% of the last batches", 100*m.Answer/w)})
		if v.task.Classes() == 0 {
			rows = append(rows, window.Row{Label: "all right", Value: fmt.Sprintf("%.1f %%", 100*m.Exact/w)})
		}
		rows = append(rows, window.Row{Label: "speed", Value: words.Number(m.Rate()) + " tokens/s"})
		if limit := cli.LimitText(m.Task, m.Limit); limit != "" {
			rows = append(rows, window.Row{Label: "limit", Value: limit})
		}
	} else {
		rows = append(rows, window.Row{Label: "step", Value: step})
	}
	for i := len(v.curves.evaluations) - 1; i >= 0; i-- {
		if e := v.curves.evaluations[i]; e.Step <= v.step || v.trainer != nil {
			value := fmt.Sprintf("%.1f %% right", 100*e.Report.AnswerRate())
			if v.task.Classes() == 0 {
				value = fmt.Sprintf("answer %.1f %%, all %.1f %%", 100*e.Report.AnswerRate(), 100*e.Report.ExactRate())
			}
			rows = append(rows, window.Row{Label: e.Role, Value: value + " at step " + words.Number(e.Step)})
			break
		}
	}
	return rows
}

// describe sets the rows that do not change.
func (v *viewer) describe(device, folder string) {
	v.rows = []window.Row{
		{Label: "model", Value: fmt.Sprintf("%s, %s", v.run.Config.Name(), words.Plural(v.net.Params().Count(), "parameter"))},
		{Label: "task", Value: cli.TaskText(v.run.Training)},
		{Label: "device", Value: device},
		{Label: "folder", Value: folder},
	}
}
