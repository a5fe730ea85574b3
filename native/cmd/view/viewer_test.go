//go:build desktop && !js

package view

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"mhacsp/model/backend/cpu"
	"mhacsp/model/metric"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/native/cli"
	traincmd "mhacsp/native/cmd/train"
	"mhacsp/native/hardware"
	"mhacsp/native/nativetest"
	"mhacsp/native/runs"
	"mhacsp/native/window"
	"mhacsp/site/circle"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// viewing is a run under a viewer whose window is not open: what the window would be told waits in it.
type viewing struct {
	*testing.T
	*viewer
	closed chan struct{}
	ended  chan error
	at     chan int // the step of each report
}

// begun is a run that has its folder, and no step.
func begun(t *testing.T, args ...string) *traincmd.Training {
	t.Helper()
	var f traincmd.Flags
	c := &cobra.Command{}
	s := traincmd.AddFlags(c, &f)
	c.SetContext(context.WithValue(t.Context(), cli.ConsoleKey{}, cli.NewConsole(io.Discard, io.Discard)))
	c.SetErr(io.Discard)
	assert.NoError(t, c.ParseFlags(args))
	tr := traincmd.NewTraining(bufio.NewWriter(io.Discard), c, f, s)
	t.Cleanup(tr.Close)
	assert.NoError(t, tr.Begin(f, s))
	return tr
}

// newViewing starts a small run that pauses after its first step.
func newViewing(t *testing.T, steps int) viewing {
	t.Helper()
	tr := begun(t, "--task", "parity", "--model", "csp", "--width", "8", "--steps", fmt.Sprint(steps), "--batch", "4",
		"--curriculum=false", "--eval-every", "0", "--eval-samples", "8", "--test-samples", "8",
		"--backend", "cpu", "--out", t.TempDir()+"/run")
	v := newViewer(tr.Trainer.Run, tr.Trainer.Task, tr.Net, "101")
	v.trainer, v.curves = tr.Trainer, &curves{steps: steps}
	v.meter = &traincmd.Meter{Task: v.task, Steps: steps}
	w := viewing{t, v, make(chan struct{}), make(chan error, 1), make(chan int, steps)}
	tr.Audience = reporting{v, w.at}
	v.win = assert.Must(window.New(window.NewScreen(v, window.Options{}), "", nil))(t)
	v.do(func() { v.paused = true }) // before the first step
	go func() { w.ended <- v.train(tr, w.closed, &viewFlags{}) }()
	return w
}

// reporting tells the steps that a viewer hears of.
type reporting struct {
	*viewer
	at chan int
}

func (r reporting) Event(e train.Event) {
	r.viewer.Event(e)
	if s, ok := e.(train.Step); ok {
		r.at <- s.Step
	}
}

// reports wants the next report to be of a step, or none to come where that is 0.
func (w viewing) reports(step int, wait time.Duration) {
	w.Helper()
	at := 0
	select {
	case at = <-w.at:
	case <-time.After(wait):
	}
	assert.Need(w, at == step, "it reports step %d, want %d (0: none)", at, step)
}

const (
	soon  = time.Minute            // what comes has come by then
	never = 300 * time.Millisecond // what does not come in this time does not come
)

// TestViewerPause: paused it stands still but answers; Step makes exactly one step; closing the window writes a
// checkpoint.
func TestViewerPause(t *testing.T) {
	w := newViewing(t, 1000)
	w.reports(1, soon) // the pause is heard between the first step and the second
	w.reports(0, never)
	for want := 2; want < 5; want++ {
		w.Step()
		w.reports(want, soon)
		w.reports(0, never)
	}
	answered := make(chan error)
	w.do(func() { _, err := w.question(); answered <- err })
	assert.NoError(t, <-answered)
	w.Train(true)
	for want := 5; want < 8; want++ {
		w.reports(want, soon)
	}
	w.Train(false)
	close(w.closed)
	err := <-w.ended
	assert.True(t, errors.Is(err, cli.ErrInterrupted) && strings.Contains(err.Error(), "checkpoint written"),
		"closing the window ends training with %v", err)
	assert.True(t, w.trainer.Count() < 1000, "it trained to the end")
}

// TestViewerClosed: a window closed while training is paused ends it too.
func TestViewerClosed(t *testing.T) {
	w := newViewing(t, 1000)
	w.reports(1, soon)
	close(w.closed)
	err := <-w.ended
	assert.True(t, errors.Is(err, cli.ErrInterrupted), "closing ends training with %v", err)
}

// TestViewerFails: where training ends with an error the window is told that it has ended, and at which step.
func TestViewerFails(t *testing.T) {
	w := newViewing(t, 1000)
	w.reports(1, soon)
	failed, at := errors.New("no device"), make(chan time.Time, 1)
	w.do(func() {
		w.trainer.Between = func() error {
			at <- time.Now()
			return failed
		}
	})
	w.Train(true)
	then, told := <-at, make(chan bool)
	w.do(func() { told <- w.trainer.Between == nil && w.published.After(then) })
	assert.True(t, <-told, "the window was not told")
	close(w.closed)
	assert.True(t, errors.Is(<-w.ended, failed), "training does not end with the error")
}

// TestViewerShows: what goes to the window is what the network says.
func TestViewerShows(t *testing.T) {
	w := newViewing(t, 3)
	w.Train(true)
	for want := 1; want < 4; want++ {
		w.reports(want, soon)
	}
	done := make(chan struct{})
	w.do(func() {
		defer close(done)
		samples := w.samples(5)
		assert.Is(t, len(samples), 5, "samples")
		for _, x := range samples {
			assert.True(t, x.Right == (x.Output == x.Target) && (x.Output == "0" || x.Output == "1") &&
				strings.Trim(x.Prompt, "01") == "", "%+v", x)
		}
		for text, good := range map[string]bool{
			"1 0 1": true, "12": false, "": false, strings.Repeat("1", 1024): true, strings.Repeat("1", 1025): false,
		} {
			w.text = text
			_, err := w.question()
			assert.True(t, (err == nil) == good, "%q: %v", text, err)
		}
		rows := map[string]string{}
		w.describe("a device", "a folder")
		for _, r := range append(w.numbers(), w.rows...) {
			rows[r.Label] = r.Value
		}
		assert.True(t, rows["step"] == "3 of 3" && strings.Contains(rows["test"], "right at step 3") &&
			rows["device"] == "a device" && rows["folder"] == "a folder" && rows["task"] == "parity", "rows %v", rows)
	})
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatal("after its end it answers no more")
	}
	close(w.closed)
	assert.NoError(t, <-w.ended)
}

// TestViewerStep: a run that trains on is shown at the step of its checkpoint, which its log is ahead of; a file at
// its own, where that is known.
func TestViewerStep(t *testing.T) {
	p := nativetest.New(t)
	tr := begun(t, nativetest.SmallRun("--out", p.Path("run"), "--checkpoint-every", "2", "--keep-checkpoints",
		"4")[1:]...)
	assert.NoError(t, tr.CarryOn())
	p.Write("run/metrics.jsonl", string(p.Read("run/metrics.jsonl"))+`{"event":"step","step":7,"loss":1}`+"\n")
	p.Write("alone.safetensors", string(p.Read("run/model.safetensors")))
	for path, want := range map[string]struct {
		step int
		kept []int
	}{
		"run": {4, []int{0, 2, 4}}, "run/checkpoints/step-000000002.safetensors": {step: 2},
		"alone.safetensors": {step: 4},
	} {
		f := &viewFlags{run: p.Path(path)}
		l := assert.Must(runs.Load(f.run, "", hardware.Flags{Backend: "cpu"}))(t)
		defer l.Device.Close()
		v := newViewer(l.Run, l.Task, l.Net, "")
		assert.NoError(t, v.show(l, f))
		assert.True(t, v.step == want.step && slices.Equal(v.content.Checkpoints, want.kept),
			"%s is shown at step %d of %v, want %+v", path, v.step, v.content.Checkpoints, want)
		assert.True(t, path != "run" || v.curves.last.Step == 7, "the curves end at step %d", v.curves.last.Step)
	}
}

// TestSmallestWindow: --size takes what the window can show whole.
func TestSmallestWindow(t *testing.T) {
	assert.Is(t, smallestSide, circle.Smallest, "--size takes sides from … pixels, as the smallest picture has")
}

// TestCurves: a point is the mean of its part of the run, evaluations are points; a run's log gives the same curves.
func TestCurves(t *testing.T) {
	dir := t.TempDir()
	r := assert.Must(train.Default("arithmetic"))(t)
	folder := assert.Must(train.Create(dir, r, false))(t)
	c := &curves{steps: 600}
	log := func(e train.Event) { assert.NoError(t, folder.Log(e)) }
	for i := range 7 {
		s := train.Step{Step: i + 1, Loss: float64(i), Exact: 0.1 * float64(i), Answer: 0.5, Seconds: 2}
		c.add(s)
		log(s)
	}
	e := train.Evaluation{Step: 4, Role: "validation", Report: metric.Report{
		Tally: metric.Tally{Count: 4, Exact: 1, Answer: 2}, Loss: 3,
	}}
	c.evaluate(e)
	log(e)
	assert.NoError(t, folder.Close())
	loss, shares := c.charts(r)
	training, validation := loss.Series[0], loss.Series[1]
	assert.True(t, fmt.Sprint(training.X) == "[1.5 3.5 5.5 7]" && fmt.Sprint(training.Y) == "[0.5 2.5 4.5 6]" &&
		fmt.Sprint(validation.X, validation.Y) == "[4] [3]", "loss %+v", loss)
	assert.Is(t, training.Name, fmt.Sprintf("training (answer × %g)", r.Training.AnswerWeight), "the weighted loss")
	assert.True(t, shares.Series[0].Y[0] == 0.5 && math.Abs(shares.Series[1].Y[1]-0.25) <= 1e-12 &&
		shares.Series[2].Y[0] == 0.25 && shares.Share, "shares %+v", shares)
	parity, _, err := train.Resolve([]byte(`{"task": "parity"}`))
	assert.NoError(t, err)
	_, labels := c.charts(parity)
	assert.True(t, len(labels.Series) == 2 && labels.Series[1].Y[0] == 0.5, "of labels %+v", labels)
	read := assert.Must(readCurves(dir, 600, 100))(t)
	a, b := fmt.Sprint(read.charts(r)), fmt.Sprint(c.charts(r))
	assert.True(t, a == b && read.last.Step == 7, "the log gives\n%s, not\n%s", a, b)
	part := assert.Must(readCurves(dir, 600, 3))(t)
	assert.True(t, part.last.Step == 3 && len(part.evaluations) == 0, "up to step 3: %+v", part.last)
	assert.Is(t, assert.Must(readCurves(t.TempDir(), 600, 3))(t).last.Step, 0, "without a log the last step is")
}

// TestViewerFamilies: the window shows every family of the zoo on every task, those whose units have no phase too.
func TestViewerFamilies(t *testing.T) {
	for _, name := range tasks.Names() {
		for _, p := range zoo.Presets() {
			t.Run(name+"/"+p.Name, func(t *testing.T) {
				run := assert.Must(train.Default(name))(t)
				task := assert.Must(tasks.New(name, tasks.Options{}))(t)
				run.Config = p.New()
				run.Config.Fit(task.Vocabulary().Size(), task.Classes())
				sequencetest.Small(t, run.Config, sequencetest.Keys{"width": 12})
				sequencetest.Usable(t, run.Config)
				net := assert.Must(run.Config.Open(cpu.New()))(t)
				net.Initialise(4)
				screen := window.NewScreen(nil, window.Options{})
				v := newViewer(run, task, net, "")
				v.win = assert.Must(window.New(screen, "", nil))(t)
				v.read()
				assert.Need(t, v.reading != nil, "nothing was read")
				assert.NoError(t, screen.SetReading(*v.reading))
				assert.Is(t, screen.View.Where().At, len(v.reading.Tokens)-1, "the window stands at token")
			})
		}
	}
}
