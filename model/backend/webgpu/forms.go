//go:build cgo || js

package webgpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Forms are the ways in which those kernels run that have several. All give the same bits, and which is the fastest
// depends on the GPU. A field that is empty stands for its default.
type Forms struct {
	Forward  string `json:"forward,omitempty"`  // the recurrence's time loop
	Backward string `json:"backward,omitempty"` // and its way back
}

// Knob is one field of Forms, by its name in JSON, and its values as Forms.With reads them, the default first.
type Knob struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

const streamed = "streamed"

// DefaultForms are those that a backend begins with.
func DefaultForms() Forms { return Forms{Forward: streamed, Backward: streamed} }

// knobs are all knobs, with every value that some width and angle may have.
func knobs() []Knob { return []Knob{{"forward", loopForms()}, {"backward", loopForms()}} }

// field is that of a knob; nil where no knob has the name.
func (f *Forms) field(knob string) *string {
	return map[string]*string{"forward": &f.Forward, "backward": &f.Backward}[knob]
}

// Value is that of a knob; empty where no knob has the name.
func (f Forms) Value(knob string) string {
	f = f.full()
	if field := f.field(knob); field != nil {
		return *field
	}
	return ""
}

// With returns the forms with another value of one knob. The error names what is allowed.
func (f Forms) With(knob, value string) (Forms, error) {
	f = f.full()
	field := f.field(knob)
	switch {
	case field == nil:
		return f, fmt.Errorf("webgpu: no form is called %q; there are forward, backward", knob)
	case !slices.Contains(loopForms(), value):
		return f, fmt.Errorf("webgpu: form %s is %q; allowed are %s", knob, value, strings.Join(loopForms(), ", "))
	}
	*field = value
	return f, nil
}

// full has the defaults in place of what is empty.
func (f Forms) full() Forms {
	d := DefaultForms()
	return Forms{cmp.Or(f.Forward, d.Forward), cmp.Or(f.Backward, d.Backward)}
}

// Forms are those in use.
func (b *Backend) Forms() Forms { return b.forms.full() }

// SetForms chooses the forms of the calls that follow; results do not depend on it. A loop that a form does not fit
// runs in the default form (Candidates). The error names the knob, the value and what is allowed; then nothing
// changes.
func (b *Backend) SetForms(f Forms) error {
	f = f.full()
	for _, k := range knobs() {
		if _, err := f.With(k.Name, f.Value(k.Name)); err != nil {
			return err
		}
	}
	for key := range b.pipelines {
		if reformed := reform(key, f); b.refused[reformed] != nil {
			return fmt.Errorf("webgpu: forms %+v: kernel %s: %w", f, key.kernel, b.refused[reformed])
		}
	}
	b.forms = f
	return nil
}

// Candidates lists the knobs that are worth a trial, each with the values that fit every kernel that has run so far
// (what a form needs depends on the width and the angle), the default first: call it after a training step.
func (b *Backend) Candidates() (list []Knob) {
	for _, k := range knobs() {
		values := k.Values[:1:1]
		for _, v := range k.Values[1:] {
			if f, err := DefaultForms().With(k.Name, v); err == nil && b.fits(f) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			list = append(list, Knob{k.Name, values})
		}
	}
	return list
}

// fits tells whether forms change a kernel that has run and are refused by none.
func (b *Backend) fits(f Forms) bool {
	changes := false
	for key := range b.pipelines {
		other := reform(key, f)
		if b.refused[other] != nil {
			return false
		}
		changes = changes || other != reform(key, DefaultForms())
	}
	return changes
}

// Prepare compiles, in these forms, the kernels that have run so far, beside what the device and the program do, so
// that SetForms later makes no pause. ready is to be called between steps, by the goroutine that owns b: it tells
// whether all are compiled. A kernel that the device refuses is an error of ready and of SetForms, not of b.
func (b *Backend) Prepare(f Forms) (ready func() (bool, error)) {
	var waiting []*pipeline
	var failed error
	refuse := func(p *pipeline, err error) {
		failed = fmt.Errorf("webgpu: kernel %s: %w", p.key.kernel, b.sorted(err))
		b.refused[p.key] = failed
		delete(b.pipelines, p.key)
		p.release()
	}
	var keys []pipelineKey
	for key := range b.pipelines {
		if key = reform(key, f.full()); b.pipelines[key] == nil && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if failed = b.refused[key]; failed != nil {
			break
		}
		p, err := b.build(key, load(key), device.begin)
		if err != nil {
			refuse(p, err)
			break
		}
		b.pipelines[key] = p
		waiting = append(waiting, p)
	}
	return func() (bool, error) {
		for len(waiting) > 0 && failed == nil {
			p := waiting[0]
			select {
			case <-p.done:
			default:
				return false, nil
			}
			if p.err != nil {
				refuse(p, p.err)
				break
			}
			p.ready = nil
			waiting = waiting[1:]
		}
		return true, failed
	}
}
