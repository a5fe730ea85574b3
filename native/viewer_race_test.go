//go:build desktop && !js

package native

import (
	"slices"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/train"
	"mhacsp/native/window"
)

// newRacing is a small race whose window is not open.
func newRacing(t *testing.T) *race {
	t.Helper()
	runs, err := racing(t, "gru,csp", "--width", "8", "--steps", "12", "--batch", "4", "--warmup", "0",
		"--max-length", "8", "--eval-samples", "8", "--test-samples", "16")
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRace(trainFlags{device: deviceFlags{backend: "cpu"}}, runs, "101")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.device.Close)
	if r.win, err = window.New(window.NewScreen(r, window.Options{}), "", nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestViewerRace: paused it stands still, Step makes one step of each; every runner ends with the parameters that it
// has when it trains alone, and the window hears of a circle where units have a phase alone.
func TestViewerRace(t *testing.T) {
	r := newRacing(t)
	closed, ended := make(chan struct{}), make(chan error, 1)
	r.Train(false)
	go func() { ended <- r.work(closed, &viewFlags{}) }()
	counts := func() []int {
		answer := make(chan []int, 1)
		r.do(func() { answer <- []int{r.runners[0].trainer.Count(), r.runners[1].trainer.Count()} })
		return <-answer
	}
	reach := func(n int) {
		t.Helper()
		for end := time.Now().Add(soon); ; time.Sleep(5 * time.Millisecond) {
			if got := counts(); slices.Equal(got, []int{n, n}) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("they stand at steps %v, not at %d", got, n)
			}
		}
	}
	reach(0)
	r.Step()
	reach(1)
	time.Sleep(never)
	reach(1)
	r.Train(true)
	reach(12)
	lanes := make(chan []window.Lane, 1)
	r.do(func() { lanes <- []window.Lane{r.runners[0].lane(false), r.runners[1].lane(false)} })
	for i, x := range <-lanes {
		if x.Phases != (i == 1) || x.Rows[1].Value != "12 of 12" || x.Rows[3].Value == "–" || x.Bad {
			t.Errorf("lane %d is %+v", i, x)
		}
	}
	close(closed)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, x := range r.runners {
		net, err := build(x.run.Config, cpu.New(), bytesTrained)
		if err != nil {
			t.Fatal(err)
		}
		net.Initialise(x.run.Training.Seed)
		alone, err := train.New(x.run, net)
		if err != nil {
			t.Fatal(err)
		}
		if err := alone.Continue(t.Context(), func(train.Event) {}, nil); err != nil {
			t.Fatal(err)
		}
		a, err := alone.Model()
		if err != nil {
			t.Fatal(err)
		}
		b, err := x.trainer.Model()
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Tensors) == 0 || len(a.Tensors) != len(b.Tensors) {
			t.Fatalf("%s: %d tensors and %d", x.run.Config.Name(), len(a.Tensors), len(b.Tensors))
		}
		for i := range a.Tensors {
			if !slices.Equal(a.Tensors[i].Data, b.Tensors[i].Data) {
				t.Errorf("%s: %s differs from a run alone", x.run.Config.Name(), a.Tensors[i].Name)
			}
		}
	}
}

// TestViewerRaceTimes: a runner's time is that of its own steps, not of the others' beside it.
func TestViewerRaceTimes(t *testing.T) {
	r := newRacing(t)
	slow, fast := r.runners[0], r.runners[1]
	slow.trainer.Spread = func(b *sequence.Batch) backend.Vec {
		time.Sleep(never)
		slow.net.Gradients(b)
		return slow.net.Results()
	}
	for range 3 {
		for _, x := range r.runners {
			x.trainer.Run.Training.EvalEvery = 0 // an evaluation waits for its step
			if err := x.step(); err != nil || x.failed != nil {
				t.Fatal(err, x.failed)
			}
		}
	}
	for _, x := range r.runners {
		if x.curves.last.Step != 3 {
			t.Errorf("%s: after three steps the last that is known is %d", x.run.Config.Name(), x.curves.last.Step)
		}
	}
	a, b := slow.curves.spent, fast.curves.spent
	if a < 3*never.Seconds() || b > a/2 || fast.seconds > slow.seconds/2 {
		t.Errorf("three steps take %.3f s and %.3f s, each %.3f s and %.3f s", a, b, slow.seconds, fast.seconds)
	}
}

// TestViewerRaceClosed: a window that is closed ends a race that is paused, and one that trains.
func TestViewerRaceClosed(t *testing.T) {
	for _, paused := range []bool{true, false} {
		r := newRacing(t)
		closed := make(chan struct{})
		r.Train(!paused)
		close(closed)
		if err := r.work(closed, &viewFlags{}); err != nil || r.over() {
			t.Errorf("paused %t: %v, over %t", paused, err, r.over())
		}
	}
}
