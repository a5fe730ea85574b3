//go:build cgo || js

package webgpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Forms are the ways in which the recurrence's time loop and its way back run, in this order. All give the same bits,
// and which is the fastest depends on the GPU. One that is empty stands for the default.
type Forms [2]string

// Knob is one of Forms: its place there, its name, and its values, the default first.
type Knob struct {
	Place  int
	Name   string
	Values []string
}

// The forms of a loop: weights are read in every step, the default, or they stay in registers.
const (
	streamed  = "streamed"
	registers = "registers"
)

// DefaultForms are those that a backend begins with.
func DefaultForms() Forms { return Forms{streamed, streamed} }

func knobs() []Knob {
	values := []string{streamed, registers}
	return []Knob{{0, "forward", values}, {1, "backward", values}}
}

// With are the forms with another value of one knob.
func (f Forms) With(k Knob, value string) Forms {
	f[k.Place] = value
	return f
}

// full has the default in place of what is empty.
func (f Forms) full() Forms {
	for i := range f {
		f[i] = cmp.Or(f[i], streamed)
	}
	return f
}

// Forms are those in use.
func (b *Backend) Forms() Forms { return b.forms.full() }

// SetForms chooses the forms of the calls that follow; results do not depend on it. A loop that a form does not fit
// runs in the default form (Candidates). With an error nothing changes.
func (b *Backend) SetForms(f Forms) error {
	f = f.full()
	for _, k := range knobs() {
		if !slices.Contains(k.Values, f[k.Place]) {
			return fmt.Errorf("webgpu: form %s is %q; allowed are %s", k.Name, f[k.Place],
				strings.Join(k.Values, ", "))
		}
	}
	for key := range b.pipelines {
		if reformed := reform(key, f); b.refused[reformed] != nil {
			return fmt.Errorf("webgpu: forms %v: kernel %s: %w", f, key.kernel, b.refused[reformed])
		}
	}
	b.forms = f
	return nil
}

// Candidates lists the knobs whose other form fits every kernel that has run so far (what it needs depends on the
// width): call it after a training step.
func (b *Backend) Candidates() (list []Knob) {
	for _, k := range knobs() {
		if b.fits(DefaultForms().With(k, registers)) {
			list = append(list, k)
		}
	}
	return list
}

// fits reports whether forms change a kernel that has run and are refused by none.
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

// Prepare compiles, in these forms, the kernels that have run so far, while the device and the program go on, so
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
		p, err := b.build(key, *b.text(key.kernel), device.begin)
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

// EachForm calls try in the other form of each of Candidates, with its name, as in "forward registers", and ends in
// the forms that b had. What the device refuses is left out, as the Tuner does. The first error of try ends it.
func (b *Backend) EachForm(try func(name string) error) error {
	defer func(f Forms) { b.forms = f }(b.forms)
	for _, k := range b.Candidates() {
		f := DefaultForms().With(k, registers)
		ready := b.Prepare(f)
		done, err := ready()
		for ; !done; done, err = ready() {
			time.Sleep(time.Millisecond)
		}
		if err != nil || b.SetForms(f) != nil {
			continue
		}
		if err := try(k.Name + " " + registers); err != nil {
			return err
		}
	}
	return nil
}
