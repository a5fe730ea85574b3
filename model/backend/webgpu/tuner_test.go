//go:build cgo || js

package webgpu

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/tasks/assert"
)

// tuned is a small run in a GPU's forms, whatever the adapter, with a tuner or without.
type tuned struct {
	t       *testing.T
	device  *Backend
	trainer *train.Trainer
	tuner   *Tuner
	kept    []tune.Record
	said    []tune.Record
	flight  []Forms
	timed   int // steps that a clock was read of
}

func newTuned(t *testing.T, known []tune.Record) *tuned {
	t.Helper()
	x := &tuned{t: t, device: open(t)}
	t.Cleanup(x.device.Close)
	const batch = 4
	x.trainer = trainer(t, x.device, "mha-csp", func(r *train.Run) {
		sequencetest.Small(t, r.Config, sequencetest.Keys{"width": 24, "embedding_std": 0.3})
		r.Training.Batch, r.Training.Warmup = batch, 2
	})
	x.tuner = NewTuner(x.device, batch, known, func(r tune.Record, used bool) {
		if x.kept = append(x.kept, r); used {
			x.said = append(x.said, r)
		}
	})
	x.trainer.Observer = x
	// How fast a form is on a busy machine is chance. Here the last of each knob is, by a known factor.
	x.tuner.judge = func(seconds float64) float64 {
		if seconds > 0 {
			x.timed++
		}
		seconds = 1 // no tick of a clock is coarse compared with it
		for _, k := range x.device.Candidates() {
			if x.flight[0][k.Place] == k.Values[len(k.Values)-1] {
				seconds *= faster
			}
		}
		return seconds
	}
	return x
}

// faster is what the last form of a knob takes of a step's time.
const faster = 0.8

// Begin and End pass on to the tuner what they hear, and keep in which forms the steps are that are under way.
func (x *tuned) Begin() {
	x.tuner.Begin()
	x.flight = append(x.flight, x.device.Forms())
}

func (x *tuned) Again(gradient backend.Vec) bool { return x.tuner.Again(gradient) }

func (x *tuned) End(l backend.StepTime) {
	x.tuner.End(l)
	x.flight = x.flight[1:]
}

// steps makes that many, none waited for but the last.
func (x *tuned) steps(n int) {
	x.t.Helper()
	for range n {
		_, _, err := x.trainer.Advance()
		assert.NoError(x.t, err)
	}
	_, _, err := x.trainer.Drain()
	assert.NoError(x.t, err)
}

// until makes steps until done says so, of which few are spent on waiting for the compiler.
func (x *tuned) until(done func() bool) {
	x.t.Helper()
	for n := 0; !done(); n++ {
		if n > 300 {
			x.t.Fatalf("not there after %d steps", n)
		}
		_, _, err := x.trainer.Advance()
		assert.NoError(x.t, err)
		if len(x.tuner.getting) > 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func (x *tuned) spoken() bool          { return len(x.said) > 0 }
func (x *tuned) searching() bool       { return x.tuner.search != nil }
func (x *tuned) parameters() []float32 { return parameters(x.t, x.trainer) }

// untuned are the parameters after steps of a run without a tuner.
func untuned(t *testing.T, steps int) []float32 {
	t.Helper()
	plain := newTuned(t, nil)
	plain.trainer.Observer = nil
	plain.steps(steps)
	return plain.parameters()
}

// TestTuner: a first run measures every form of the recurrence and keeps what it chose, and a second takes that
// without a measurement. Either ends with the bits of a run that has no tuner.
func TestTuner(t *testing.T) {
	first := newTuned(t, nil)
	assert.True(t, !first.tuner.Idle(), "idle before the first step")
	first.until(first.spoken)
	assert.True(t, first.tuner.Idle(), "not idle with a choice made")
	first.steps(2)
	steps := first.trainer.Count()
	r := first.said[0]
	t.Logf("%d steps: %s", steps, tune.Text(r))
	assert.Need(t, len(first.said) == 1 && len(first.kept) == 2 && reflect.DeepEqual(first.kept[1], r),
		"said %+v, kept %+v", first.said, first.kept)
	try := first.kept[0]
	assert.True(t, try.Tries == 1 && try.Choices == nil && try.Key == r.Key && r.Tries == 0, "kept first %+v", try)
	assert.True(t, r.Width == 24 && r.Batch == 4 && r.Angle == "token" && r.Adapter == first.device.info.Adapter &&
		r.Kernels != "", "key %+v", r.Key)
	assert.True(t, first.timed >= 20, "%d steps have a time", first.timed)
	var names []string
	for _, k := range first.device.Candidates() {
		names = append(names, k.Name)
		i := slices.IndexFunc(r.Choices, func(c tune.Choice) bool { return c.Knob == k.Name })
		assert.Need(t, i >= 0, "no choice for %s in %+v", k.Name, r)
		c := r.Choices[i]
		assert.Is(t, c.Value, k.Values[len(k.Values)-1], "%s: chosen, where the faster one is wanted", k.Name)
		assert.Is(t, first.device.Forms()[k.Place], c.Value, "%s, where what was chosen is wanted", k.Name)
		var measured []string
		for _, x := range c.Times {
			measured = append(measured, x.Value)
			assert.True(t, x.Ms > 0 && x.Ms < 60e3, "%s %s took %v ms a step", k.Name, x.Value, x.Ms)
		}
		assert.True(t, slices.Equal(measured, k.Values), "%s: times of %q, there are %q", k.Name, measured, k.Values)
	}
	assert.True(t, slices.Contains(names, "forward") && slices.Contains(names, "backward"), "knobs are %q", names)

	want := untuned(t, steps)
	assert.True(t, slices.Equal(first.parameters(), want), "the tuner has changed the results")

	second := newTuned(t, []tune.Record{r})
	second.until(second.spoken)
	assert.Is(t, second.kept, []tune.Record{r}, "the second run keeps")
	assert.Is(t, second.timed, 0, "the second run measures … steps")
	assert.Is(t, second.device.Forms(), first.device.Forms(), "forms, where those that were kept are wanted")
	second.steps(steps - second.trainer.Count())
	assert.True(t, slices.Equal(second.parameters(), want), "what was kept has changed the results")
}

// TestTunerIdle: where no kernel has another form there is nothing to wait for.
func TestTunerIdle(t *testing.T) {
	device := opened(t)
	x := NewTuner(device, 4, nil, nil)
	for range 3 {
		x.Begin()
	}
	assert.True(t, x.Idle(), "it looks for forms of no kernel")
}

// TestTunerTries: a run that is killed leaves a try behind, one that is closed does not; after some tries none is
// begun, which the run says.
func TestTunerTries(t *testing.T) {
	x := newTuned(t, nil)
	x.until(x.searching)
	killed := x.kept[len(x.kept)-1] // what a kill would leave
	assert.True(t, killed.Tries == 1, "kept before the first form is tried: %+v", killed)
	x.tuner.Close()
	left := x.kept[len(x.kept)-1]
	assert.True(t, left.Tries == 0, "closed, it leaves %+v", left)
	x.steps(3) // goes on
	killed.Tries = tune.Tries
	x = newTuned(t, []tune.Record{killed})
	x.until(x.spoken)
	assert.True(t, len(x.kept) == 1 && x.device.Forms() == DefaultForms(),
		"after %d tries: kept %+v", tune.Tries, x.kept)
	assert.Says(t, tune.Text(x.said[0]), "usual forms")
	killed.Tries--
	x = newTuned(t, []tune.Record{killed})
	x.until(x.searching)
	x.device.dev.faults.lost("a test")
	for range 2 {
		_, _, _ = x.trainer.Advance()
	}
	x.tuner.Close()
	left = x.kept[len(x.kept)-1]
	assert.True(t, left.Tries == tune.Tries, "a device that was lost amidst leaves %+v", left)
}

// TestTunerRefuses: forms that the device refuses are left out, which the run says, and the others are measured.
func TestTunerRefuses(t *testing.T) {
	x := newTuned(t, nil)
	x.until(func() bool { return len(x.tuner.getting) > 0 })
	for key := range x.device.pipelines {
		if key.kernel == loopKernel {
			x.device.refused[reform(key, Forms{registers})] = errors.New("not on this device")
		}
	}
	x.until(x.spoken)
	r := x.said[0]
	t.Logf("%d steps: %s", x.trainer.Count(), tune.Text(r))
	assert.Says(t, tune.Text(r), "forward registers is left out: not on this device")
	assert.True(t, len(r.Choices) == 2, "found %+v", r)
	for _, c := range r.Choices {
		for _, v := range c.Times {
			refused := c.Knob == "forward" && v.Value == registers
			assert.True(t, refused == (v.Ms == 0), "%s %s took %v ms", c.Knob, v.Value, v.Ms)
		}
	}
	x.steps(1)
}

// falsify has a form of the forward loop leave out the last quad of units.
func (x *tuned) falsify(form string) {
	x.t.Helper()
	var keys []pipelineKey
	for key := range x.device.pipelines {
		if key.kernel == loopKernel {
			keys = append(keys, reform(key, Forms{form}.full()))
		}
	}
	for _, key := range keys {
		narrow := key
		narrow.width -= 4
		x.device.pipelines[key] = x.device.compile(narrow, *x.device.text(narrow.kernel))
		delete(x.device.pipelines, narrow)
	}
	assert.Need(x.t, len(keys) > 0, "no loop has run")
}

// TestTunerProves: a form whose gradient has other bits is left out, though it is the fastest, and no step of the run
// has it, neither where it is found nor where it was found before.
func TestTunerProves(t *testing.T) {
	const wrong = registers // which judge says is the fastest
	x := newTuned(t, nil)
	x.steps(2)
	x.falsify(wrong)
	x.until(x.spoken)
	x.steps(2)
	r := x.said[0]
	t.Log(tune.Text(r))
	assert.Says(t, tune.Text(r), "forward "+wrong+" is left out: its gradient has other bits")
	assert.True(t, len(r.Notes) == 1, "noted %q", r.Notes)
	f := x.device.Forms()
	assert.True(t, f[0] != wrong && f[1] != streamed, "forms are %+v", f)
	steps := x.trainer.Count()

	want := untuned(t, steps)
	assert.True(t, slices.Equal(x.parameters(), want), "the form that was left out has changed the results")

	known := r
	known.Notes, known.Choices = nil, slices.Clone(r.Choices)
	for i := range known.Choices {
		if c := &known.Choices[i]; c.Knob == "forward" {
			c.Value = wrong
		}
	}
	x = newTuned(t, []tune.Record{known})
	x.steps(2)
	x.falsify(wrong)
	x.until(x.spoken)
	x.steps(steps - x.trainer.Count())
	assert.True(t, slices.Equal(x.parameters(), want), "the form that was kept has changed the results")
	assert.True(t, len(x.said) == 1 && x.said[0].Choices == nil && x.device.Forms() == DefaultForms(),
		"said %+v, forms are %+v", x.said, x.device.Forms())
	assert.Says(t, tune.Text(x.said[0]), "the fastest forms are not used: its gradient has other bits")
}
