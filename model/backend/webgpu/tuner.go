//go:build cgo || js

package webgpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
)

// TunerOptions say what a Tuner knows and whom it tells.
type TunerOptions struct {
	Batch   int                             // sequences of a step
	Records tune.Records                    // what was found before
	Keep    func(r tune.Record)             // told what is to be kept; nil: nobody keeps
	Say     func(r tune.Record, found bool) // told once, if at all, which forms are used; found: by measurements just made
}

// Tuner finds, while a run is trained, the forms in which the backend's kernels are the fastest, or takes those that
// were found before. It hears of the run's steps (it is a train.Laps), and between them chooses the forms of the next.
// The first two steps have the forms that the backend had; what others need is compiled beside the training.
//
// A form that the device refuses is left out. Where the times of steps cannot be trusted, the search ends with what it
// has. Neither is an error; the record says so.
type Tuner struct {
	b       *Backend
	o       TunerOptions
	next    func() // what is done before the next step
	laps    laps   // the device's clock; nil: the host's
	record  tune.Record
	knobs   []tune.Knob
	base    Forms // of what is not measured
	getting []trial
	refused []trial
	search  *tune.Search
	steps   int
	blind   int  // steps of which the device's clock told nothing
	begun   bool // Keep was told of a try that has not ended

	first, last mark // of the search, on both clocks
}

// trial is a form whose kernels are to be compiled; knob −1: all those that were found before.
type trial struct {
	knob, value int
	forms       Forms
	ready       func() (bool, error) // nil: not begun
}

// mark is a moment by the device's clock and by the host's.
type mark struct {
	ticks float64
	host  time.Time
}

// NewTuner begins with the next step that it hears of.
func NewTuner(b *Backend, o TunerOptions) *Tuner {
	t := &Tuner{b: b, o: o, base: b.Forms()}
	t.next = t.wait
	return t
}

// Begin is called before a step is enqueued.
func (t *Tuner) Begin() {
	if t.b.err != nil {
		t.next = nil // the run ends with it
	}
	if t.next != nil {
		t.next()
	}
	if t.laps != nil {
		t.laps.begin()
	}
}

// End is called when a step's results are here.
func (t *Tuner) End(l backend.Lap) {
	if t.search == nil {
		return
	}
	seconds := l.Seconds
	if t.laps != nil {
		ticks, at := t.laps.end(t.b)
		seconds = ticks
		switch {
		case ticks > 0 && t.first.ticks == 0:
			t.first = mark{at, time.Now()}
		case ticks > 0:
			t.last = mark{at, time.Now()}
		default:
			t.blind++
		}
		if t.blind > mostBlind && t.first.ticks == 0 {
			t.release()
			t.measure()
			return
		}
	}
	t.search.Add(seconds, tune.Work{Tokens: l.Tokens, Longest: l.Longest})
	t.steps++
	if t.search.Done() {
		t.end()
	}
}

// mostBlind is how many steps the device's clock may tell nothing of, until the host's is read in its place.
const mostBlind = 3

// Close puts off what has not come to its end: the next run begins anew.
func (t *Tuner) Close() {
	t.release()
	if t.begun && t.b.err == nil {
		t.record.Tries--
		t.keep()
	}
	t.next, t.search, t.begun = nil, nil, false
}

func (t *Tuner) release() {
	if t.laps != nil {
		t.laps.release()
		t.laps, t.b.laps = nil, nil
	}
}

func (t *Tuner) keep() {
	if t.o.Keep != nil {
		t.o.Keep(t.record)
	}
}

// say tells which forms are used from now on.
func (t *Tuner) say(found bool) {
	if t.o.Say != nil {
		t.o.Say(t.record, found)
	}
}

// wait lets the first two steps pass, which need every kernel.
func (t *Tuner) wait() {
	if t.steps++; t.steps > 2 {
		t.next, t.steps = nil, 0
		t.decide()
	}
}

// decide takes what was found before, or begins to look.
func (t *Tuner) decide() {
	candidates := t.b.Candidates()
	if len(candidates) == 0 {
		return
	}
	t.record = t.o.Records.Find(t.b.key(candidates, t.o.Batch))
	f := t.base
	for _, k := range candidates {
		value, ok := t.record.Value(k.Name)
		if !ok || !slices.Contains(k.Values, value) {
			t.knobs = append(t.knobs, tune.Knob(k))
			continue
		}
		f, _ = f.With(k.Name, value)
	}
	t.base = f
	switch {
	case len(t.knobs) == 0:
		t.getting = []trial{{knob: -1, forms: f}}
	case t.record.Tries >= tune.Tries:
		t.say(false)
		return
	default:
		t.record.Tries++
		t.record.Notes = nil
		t.begun = true
		t.keep()
		for k, knob := range t.knobs {
			for v := range knob.Values[1:] {
				with, _ := f.With(knob.Name, knob.Values[v+1])
				t.getting = append(t.getting, trial{knob: k, value: v + 1, forms: with})
			}
		}
	}
	t.next = t.prepare
}

// prepare has one form after another compiled, and looks before each step whether it is.
func (t *Tuner) prepare() {
	for len(t.getting) > 0 {
		x := &t.getting[0]
		if x.ready == nil {
			x.ready = t.b.Prepare(x.forms)
			return
		}
		ready, err := x.ready()
		if !ready {
			return
		}
		if x.knob < 0 {
			t.take(err)
			return
		}
		if err != nil {
			k := t.knobs[x.knob]
			t.note(fmt.Sprintf("%s %s is left out: %v", k.Name, k.Values[x.value], err))
			t.refused = append(t.refused, *x)
		}
		t.getting = t.getting[1:]
	}
	t.b.laps = t.b.dev.newLaps()
	t.laps = t.b.laps
	t.next = t.choose
	t.measure()
	t.choose()
}

// note keeps on one line what went wrong.
func (t *Tuner) note(text string) {
	t.record.Notes = append(t.record.Notes, strings.Join(strings.Fields(text), " "))
}

// take uses what was found before.
func (t *Tuner) take(err error) {
	t.next = nil
	if err == nil {
		err = t.b.SetForms(t.base)
	}
	if err != nil {
		t.note(fmt.Sprintf("not used: %v", err))
	}
	t.say(false)
}

// measure begins the search, by the device's clock or the host's.
func (t *Tuner) measure() {
	tick := 0.0
	if t.record.Clock = "device"; t.laps == nil {
		t.record.Clock, tick = "wall", wallTick
	}
	t.search = tune.NewSearch(t.knobs, tick)
	for _, x := range t.refused {
		t.search.Refuse(x.knob, x.value)
	}
}

// choose sets the forms of the next step.
func (t *Tuner) choose() {
	forms := t.search.Next()
	for k, v := range forms {
		if err := t.set(forms); err == nil {
			break
		}
		t.search.Refuse(k, v)
		forms[k] = 0
	}
}

// set uses forms of the knobs that are measured.
func (t *Tuner) set(values []int) error {
	f := t.base
	for k, v := range values {
		f, _ = f.With(t.knobs[k].Name, t.knobs[k].Values[v])
	}
	return t.b.SetForms(f)
}

// end takes what was found, and tells.
func (t *Tuner) end() {
	t.release()
	t.next, t.begun = nil, false
	best, times, decided := t.search.Best(), t.search.Times(), t.search.Decided()
	if err := t.set(best); err != nil {
		t.note(fmt.Sprintf("not used: %v", err))
	}
	scale := 1e3
	if ticks := t.last.ticks - t.first.ticks; t.record.Clock == "device" && ticks > 0 {
		scale *= t.last.host.Sub(t.first.host).Seconds() / ticks
	}
	for k, knob := range t.knobs[:decided] {
		c := tune.Choice{Knob: knob.Name, Value: knob.Values[best[k]]}
		for v, value := range knob.Values {
			c.Times = append(c.Times, tune.Time{Value: value, Ms: scale * times[k][v]})
		}
		t.record.Choices = slices.DeleteFunc(t.record.Choices, func(o tune.Choice) bool { return o.Knob == c.Knob })
		t.record.Choices = append(t.record.Choices, c)
	}
	if why := t.search.Ended(); why != "" {
		t.note("the measurement ended early: " + why)
	}
	t.record.Tries = 0
	t.search = nil
	t.keep()
	t.say(true)
}

// angles are the names of THETA's values.
var angles = [...]string{"token", "state", "product"}

// key is what a choice among candidates holds for, after a step of so many sequences.
func (b *Backend) key(candidates []Knob, batch int) tune.Key {
	k := tune.Key{Adapter: b.info.Adapter, Driver: driver(), Batch: tune.BatchClass(batch)}
	kernels := map[string]pipelineKey{}
	for key := range b.pipelines {
		if strings.HasPrefix(key.kernel, "recurrence_loop") && key.width > k.Width {
			k.Width, k.Angle = key.width, angles[key.theta]
		}
		for _, c := range candidates {
			for _, v := range c.Values {
				f, _ := DefaultForms().With(c.Name, v)
				if other := reform(key, f); other != reform(key, DefaultForms()) {
					kernels[key.kernel], kernels[other.kernel] = key, other
				}
			}
		}
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		texts = append(texts, b.load(kernels[name]).Source)
	}
	k.Kernels = tune.Hash(texts...)
	return k
}
