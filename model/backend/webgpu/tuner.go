//go:build cgo || js

package webgpu

import (
	"errors"
	"math"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/backend/tune"
)

// Tuner finds, while a run is trained, the forms in which the backend's kernels are the fastest, or takes those that
// were found before. It hears of the run's steps (it is a train.StepObserver), and between them chooses the forms of
// the next. The first two steps have the forms that the backend had; what others need is compiled meanwhile.
//
// Before a form is measured, or taken from what was found before, one step computes its gradient in that form and once
// more in the default ones, of which the run uses the latter. A form that gives other bits is left out, and so is one
// that the device refuses. Neither is an error; the record says so.
type Tuner struct {
	b       *Backend
	known   []tune.Record
	tell    func(r tune.Record, used bool)
	record  tune.Record
	knobs   []Knob
	next    func()       // what is done before the next step
	getting []trial      // forms that are compiled, or are to be
	refused []int        // knobs whose other form is not to be used
	proving bool         // the step that is being made proves the first of getting
	proof   []float32    // its gradient in that form; nil: it is not there yet
	search  *tune.Search // nil: none is under way
	begun   bool         // tell was told of a try that has not ended

	steps   int
	under   int // steps under way
	strange int // of them, begun before the search

	judge func(seconds float64) float64 // what a step is taken to have needed; nil: what it did; for tests
}

// trial is the other form of a knob, with the default forms of the others; knob −1: all forms that were found before.
type trial struct {
	knob  int
	forms Forms
	ready func() (bool, error) // nil: the compiler was not asked yet
	tried bool                 // a step has had the form
	err   error                // why it is not to be used
}

var errOtherBits = errors.New("its gradient has other bits than the default forms'")

// NewTuner begins with the next step that it hears of; a step has that many sequences. known is what was found before.
// tell is told what is to be kept from now on, and with used of the forms that the run goes on with.
func NewTuner(b *Backend, sequences int, known []tune.Record, tell func(r tune.Record, used bool)) *Tuner {
	t := &Tuner{b: b, known: known, tell: tell}
	t.record.Batch = tune.BatchClass(sequences)
	t.next = t.decide
	return t
}

// Begin is called before a step is enqueued.
func (t *Tuner) Begin() {
	if t.steps++; t.next != nil && t.steps > 2 && t.b.err == nil {
		t.next()
	}
	t.under++
}

// Again is called when the gradient of a step is enqueued, and reports whether it is to be computed once more: in the
// default forms, after it was in one that is to be proved.
func (t *Tuner) Again(gradient backend.Vec) bool {
	if !t.proving {
		return false
	}
	got := make([]float32, gradient.Len)
	if t.b.Download(got, gradient) != nil {
		return false
	}
	if t.proof == nil {
		t.proof, t.b.forms = got, DefaultForms()
		return true
	}
	for i, x := range got {
		if math.Float32bits(x) != math.Float32bits(t.proof[i]) {
			t.getting[0].err = errOtherBits
		}
	}
	t.proving, t.proof = false, nil
	return false
}

// End is called when a step's results are here.
func (t *Tuner) End(l backend.StepTime) {
	t.under--
	if t.strange > 0 {
		t.strange--
		return
	}
	if t.search == nil {
		return
	}
	seconds := l.Seconds
	if t.judge != nil {
		seconds = t.judge(seconds)
	}
	t.search.Add(seconds, l.Tokens, l.Longest)
	if t.search.Done() {
		t.end()
	}
}

// Close puts off what has not come to its end: the next run begins again. To be called before the backend is closed.
func (t *Tuner) Close() {
	if t.begun && t.b.err == nil {
		t.record.Tries--
		t.tell(t.record, false)
	}
	t.next, t.search, t.begun = nil, nil, false
}

// Idle reports whether nothing is left to try, as where no kernel that has run has another form.
func (t *Tuner) Idle() bool { return t.next == nil && t.search == nil }

// decide takes what was found before, or begins to look.
func (t *Tuner) decide() {
	t.next = nil
	t.knobs = t.b.Candidates()
	if len(t.knobs) == 0 {
		return
	}
	t.b.key(&t.record.Key)
	for _, r := range t.known {
		if r.Key == t.record.Key {
			t.record = r
		}
	}
	if f, ok := t.chosen(); ok {
		t.getting = []trial{{knob: -1, forms: f}}
	} else if t.record.Tries >= tune.Tries {
		t.tell(t.record, true)
		return
	} else {
		t.record.Tries++
		t.record.Choices, t.record.Notes = nil, nil
		t.begun = true
		t.tell(t.record, false)
		for k, knob := range t.knobs {
			t.getting = append(t.getting, trial{knob: k, forms: DefaultForms().With(knob, registers)})
		}
	}
	t.next = t.prepare
}

// chosen are the forms of the record; ok reports whether it has one for every knob.
func (t *Tuner) chosen() (f Forms, ok bool) {
	if len(t.record.Choices) != len(t.knobs) {
		return f, false
	}
	for i, c := range t.record.Choices {
		k := t.knobs[i]
		if c.Knob != k.Name || !slices.Contains(k.Values, c.Value) {
			return f, false
		}
		f = f.With(k, c.Value)
	}
	return f, true
}

// prepare has one form after another compiled, looks before each step whether it is, and lets that step prove it.
func (t *Tuner) prepare() {
	for len(t.getting) > 0 {
		x := &t.getting[0]
		if x.ready == nil {
			x.ready = t.b.Prepare(x.forms)
			return
		}
		if !x.tried {
			ready, err := x.ready()
			if !ready {
				return
			}
			if err == nil {
				err = t.b.SetForms(x.forms)
			}
			if x.tried, x.err = true, err; err == nil {
				t.proving = true
				return
			}
		}
		if x.knob < 0 {
			t.use(x.forms, x.err)
			return
		}
		if x.err != nil {
			why := t.knobs[x.knob].Name + " " + registers + " is left out: " + x.err.Error()
			t.record.Notes = append(t.record.Notes, why)
			t.refused = append(t.refused, x.knob)
		}
		t.getting = t.getting[1:]
	}
	t.search, t.strange = tune.NewSearch(slices.Repeat([]int{2}, len(t.knobs)), wallTick), t.under
	for _, knob := range t.refused {
		t.search.Refuse(knob, 1)
	}
	t.next = t.choose
	t.choose()
}

// use goes on in these forms for good, where they can be used; else the next run looks for others.
func (t *Tuner) use(f Forms, err error) {
	t.next = nil
	if err == nil {
		err = t.b.SetForms(f)
	}
	if err != nil {
		t.record.Choices = nil
		t.record.Notes = append(t.record.Notes, "the fastest forms are not used: "+err.Error())
	}
	t.tell(t.record, true)
}

// choose sets the forms of the next step. What cannot be set is not tried again.
func (t *Tuner) choose() {
	knob, form := t.search.Next()
	if t.b.SetForms(t.forms(knob, form)) != nil {
		t.search.Refuse(knob, form)
	}
}

// forms are the best so far, but for one knob; −1: for none.
func (t *Tuner) forms(knob, form int) (f Forms) {
	for k, v := range t.search.Best {
		if k == knob {
			v = form
		}
		f = f.With(t.knobs[k], t.knobs[k].Values[v])
	}
	return f
}

// end takes what was found.
func (t *Tuner) end() {
	f := t.forms(-1, 0)
	for k, knob := range t.knobs {
		c := tune.Choice{Knob: knob.Name, Value: f[knob.Place]}
		for v, value := range knob.Values {
			c.Times = append(c.Times, tune.Time{Value: value, Ms: 1e3 * t.search.Seconds(k, v)})
		}
		t.record.Choices = append(t.record.Choices, c)
	}
	t.record.Tries, t.search, t.begun = 0, nil, false
	t.use(f, nil)
}

// key fills in what a choice holds for, after a step.
func (b *Backend) key(k *tune.Key) {
	k.Adapter, k.Driver = b.info.Adapter, Driver(b.info.Adapter)
	for key := range b.pipelines {
		if key.kernel == loopKernel && key.width > k.Width {
			k.Width, k.Angle = key.width, [...]string{"token", "state", "product"}[key.theta]
		}
	}
	k.Kernels = tune.Hash(b.text(loopKernel).Source, b.text(loopBackKernel).Source)
}
