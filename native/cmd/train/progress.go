//go:build !js

package train

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"mhacsp/model/train"
	"mhacsp/native/cli"
	"mhacsp/native/words"
	"mhacsp/tasks"
	"mhacsp/tasks/show"
)

// display shows a run's progress on standard error and prints what stays on standard output.
type display interface {
	step(train.Step)
	print(text string) // for standard output
	note(text string)  // for standard error; may come from another goroutine
	close()
}

// newDisplay is a bar on a terminal and plain lines elsewhere.
func newDisplay(out *bufio.Writer, stderr *cli.Outlet, t *train.Trainer) display {
	m := &Meter{Task: t.Task, Steps: t.Run.Training.Steps}
	if columns, rows := cli.Size(stderr); min(columns, rows) > 0 && os.Getenv("TERM") != "dumb" {
		return newBar(out, stderr, m, t.Count())
	}
	return &lines{out: out, stderr: stderr, meter: m}
}

// Meter keeps exponential averages of what the steps report.
type Meter struct {
	Task  tasks.Task
	Steps int // of the whole run

	Count                              int // steps seen
	Limit                              int
	Weight                             float64
	Loss, Exact, Answer, tokens, spent float64
	SlowWeight, Wall                   float64 // time from step to step, evaluations included
	Last                               time.Time
}

const (
	fastDecay = 0.95  // of the averages shown, a step
	slowDecay = 0.995 // of the time a step takes, for the time left
)

// Add takes in what a step reports.
func (m *Meter) Add(s train.Step) {
	m.Count, m.Limit = s.Step, s.Limit
	m.Weight = fastDecay*m.Weight + 1 - fastDecay
	for _, x := range []struct {
		mean  *float64
		value float64
	}{
		{&m.Loss, s.Loss}, {&m.Exact, s.Exact}, {&m.Answer, s.Answer},
		{&m.tokens, float64(s.Tokens)}, {&m.spent, s.Seconds},
	} {
		*x.mean = fastDecay**x.mean + (1-fastDecay)*x.value
	}
	now, wall := time.Now(), s.Seconds
	if !m.Last.IsZero() { // before the first step there was also what a run does once
		wall = now.Sub(m.Last).Seconds()
	}
	m.SlowWeight = slowDecay*m.SlowWeight + 1 - slowDecay
	m.Wall = slowDecay*m.Wall + (1-slowDecay)*wall
	m.Last = now
}

// Rate is in tokens a second; 0 where the clock, which may stand still for half a millisecond, saw no time go by.
func (m *Meter) Rate() int {
	if m.spent == 0 {
		return 0
	}
	return int(m.tokens / m.spent)
}

// text is "loss 1.2345  exact match 12.3 %  …".
func (m *Meter) text() string {
	w := m.Weight
	left := time.Duration(m.Wall / m.SlowWeight * float64(m.Steps-m.Count) * float64(time.Second))
	s := fmt.Sprintf("loss %.4f  exact match %.1f %%  answer %.1f %%  %s tokens/s  %s left",
		m.Loss/w, 100*m.Exact/w, 100*m.Answer/w, words.Number(m.Rate()), left.Round(time.Second))
	if limit := cli.LimitText(m.Task, m.Limit); limit != "" {
		s += "  " + limit
	}
	return s
}

// bar is a progress bar with a line of figures beneath it.
type bar struct {
	out    *bufio.Writer
	above  *cli.Outlet // for lines that scroll above the bar
	prints bool        // standard output is a terminal: what is for it goes there too
	meter  *Meter
	pool   *mpb.Progress
	bar    *mpb.Bar
	figure atomic.Pointer[string]
}

func newBar(out *bufio.Writer, stderr *cli.Outlet, m *Meter, at int) *bar {
	pool := mpb.New(mpb.WithOutput(cli.TerminalOf(stderr)), mpb.WithAutoRefresh()) // it draws in goroutines of its own
	b := &bar{out: out, meter: m, pool: pool, above: stderr.Above(pool), prints: cli.IsTerminal(os.Stdout)}
	b.figure.Store(new(string))
	// A total of 0 keeps the bar from ending by itself: the last evaluations still go above it.
	b.bar = b.pool.New(0, mpb.BarStyle(),
		mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string {
			return "step " + words.Number(int(s.Current)) + "/" + words.Number(m.Steps) + " "
		})),
		mpb.AppendDecorators(decor.Percentage()),
		mpb.BarExtender(mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
			text := []rune(*b.figure.Load())
			_, err := fmt.Fprintln(w, string(text[:min(len(text), max(s.AvailableWidth, 20))]))
			return err
		}), false))
	b.bar.SetTotal(int64(m.Steps), false)
	b.bar.SetCurrent(int64(at))
	return b
}

func (b *bar) step(s train.Step) {
	b.meter.Add(s)
	text := b.meter.text()
	b.figure.Store(&text)
	b.bar.SetCurrent(int64(s.Step))
}

// print goes to standard output itself where the bar has ended early, as it does with its terminal.
func (b *bar) print(text string) {
	if b.prints {
		if _, err := io.WriteString(b.above, text); err == nil {
			return
		}
	}
	b.out.WriteString(text)
	b.out.Flush()
}

func (b *bar) note(text string) { io.WriteString(b.above, text) }

// close waits for the terminal as drain does.
func (b *bar) close() {
	b.above.Drain()
	b.above.Finish(func() {
		b.bar.Abort(false)
		b.pool.Wait()
	})
}

// Plain lines come when this time and this many steps have passed since the last.
const (
	lineSeconds = 5 * time.Second
	lineSteps   = 50
)

// lines prints progress as text.
type lines struct {
	out    *bufio.Writer
	stderr io.Writer
	meter  *Meter
	steps  int // since the last line
	at     time.Time
}

func (l *lines) step(s train.Step) {
	l.meter.Add(s)
	l.steps++
	first, last := l.at.IsZero(), s.Step == l.meter.Steps
	if first || last || l.steps >= lineSteps && time.Since(l.at) >= lineSeconds {
		fmt.Fprintf(l.stderr, "step %s/%s  %s\n", words.Number(s.Step), words.Number(l.meter.Steps), l.meter.text())
		l.steps, l.at = 0, time.Now()
	}
}

func (l *lines) print(text string) {
	l.out.WriteString(text)
	l.out.Flush()
}

func (l *lines) note(text string) { io.WriteString(l.stderr, text) }

func (l *lines) close() {}

// evaluationText is an evaluation in a few lines, each accuracy with its breakdown and next to what a constant guess
// gets (SPEC §9).
func evaluationText(e train.Evaluation) string {
	var s strings.Builder
	r := e.Report
	fmt.Fprintf(&s, "%s at step %s: loss %.4f, exact match %s, answer %s of %s (a constant guess %s)\n",
		e.Role, words.Number(e.Step), r.Loss, cli.Percent(r.ExactRate()),
		cli.Percent(r.AnswerRate()), words.Plural(r.Count, "sample"), cli.Percent(r.Majority))
	if r.Trivial.Count > 0 {
		fmt.Fprintf(&s,
			"    two operands or more: exact match %s, answer %s of %s; one number (trivial): %s, %s of %s\n",
			cli.Percent(r.Computed.ExactRate()), cli.Percent(r.Computed.AnswerRate()), words.Number(r.Computed.Count),
			cli.Percent(r.Trivial.ExactRate()), cli.Percent(r.Trivial.AnswerRate()), words.Number(r.Trivial.Count))
	}
	for _, b := range r.Breakdowns() {
		fmt.Fprintf(&s, "    %-10s", show.Text(b.Name))
		for _, g := range b.Groups {
			fmt.Fprintf(&s, "  %s: %.1f/%.1f %%", show.Text(g.Name), 100*g.ExactRate(), 100*g.AnswerRate())
		}
		s.WriteString("  (exact/answer)\n")
	}
	return s.String()
}
