//go:build cgo || js

package webgpu

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// bitsOf is a hash of the bits of numbers.
func bitsOf(x ...[]float32) string {
	h := sha256.New()
	for _, x := range x {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestFormsBits: a training step's loss, gradient and update have the same bits in every form of the kernels, with
// sequences of several lengths and a number of them that is no multiple of a workgroup's, for each kind of angle; and
// a step after Prepare and SetForms compiles nothing.
func TestFormsBits(t *testing.T) {
	for _, x := range []struct {
		angle string
		width int
	}{{"token", 132}, {"state", 264}, {"product", 36}} {
		t.Run(fmt.Sprintf("%s-%d", x.angle, x.width), func(t *testing.T) {
			device := open(t).(*Backend)
			defer device.Close()
			preset, err := zoo.Preset("mha-csp")
			if err != nil {
				t.Fatal(err)
			}
			c := sequencetest.Small(t, preset, sequencetest.Keys{"width": x.width, "supervision": "final",
				"embedding_std": 0.3, "theta": x.angle})
			bits := func() string {
				loss, grad, values := step(t, device, c, arithmetic(t, 7))
				return bitsOf([]float32{loss}, grad, values)
			}
			want := bits()
			if len(device.Candidates()) < 2 {
				t.Fatalf("candidates are %v", device.Candidates())
			}
			for _, f := range together(device.Candidates()) {
				ready := device.Prepare(f)
				for done := false; !done; time.Sleep(time.Millisecond) {
					if done, err = ready(); err != nil {
						t.Fatal(err)
					}
				}
				if err := device.SetForms(f); err != nil || device.Forms() != f.full() {
					t.Fatalf("forms are %+v: %v", device.Forms(), err)
				}
				made := len(device.pipelines)
				if got := bits(); got != want {
					t.Errorf("%+v: bits %s, by default %s", f, got, want)
				}
				if len(device.pipelines) != made {
					t.Errorf("%+v: %d pipelines were not prepared", f, len(device.pipelines)-made)
				}
			}
		})
	}
}

// together turns all knobs at once, as often as one has another value.
func together(list []Knob) (all []Forms) {
	for more := true; more; {
		f := Forms{}
		more = false
		for _, k := range list {
			if i := len(all) + 1; i < len(k.Values) {
				f = f.With(k, k.Values[i])
				more = true
			}
		}
		if more {
			all = append(all, f)
		}
	}
	return all
}

// TestFormsContract holds the contract of the recurrence in two forms that together have all that the others have:
// weights in registers, two and four sequences a workgroup, one slot and two, with every fifth case. TestFormsBits
// compares all with each other.
func TestFormsContract(t *testing.T) {
	b := open(t).(*Backend)
	if err := b.SetForms(Forms{"registers2", "streamed4"}); err != nil {
		t.Fatal(err)
	}
	backendtest.RunOnly(t, contract().Every(5), b, "RecurrenceForward", "RecurrenceBackward")
}

// TestFormsRefused: a wrong value is named with what is allowed, and a form that the device has refused is neither a
// candidate nor taken.
func TestFormsRefused(t *testing.T) {
	b := open(t).(*Backend)
	defer b.Close()
	before := b.Forms()
	if err := b.SetForms(Forms{1: "fast"}); err == nil || !strings.Contains(err.Error(), "backward") {
		t.Errorf("no such form: %v", err)
	}
	if got := b.Candidates(); len(got) > 0 {
		t.Errorf("nothing has run, and there are candidates %v", got)
	}
	key := pipelineKey{kernel: loopKernel, width: 32}
	b.compiled(reform(key, before))
	no := errors.New("too many registers")
	b.refused[reform(key, Forms{"registers2"}.full())] = no
	if err := b.SetForms(Forms{"registers2"}); !errors.Is(err, no) {
		t.Errorf("a refused form: %v", err)
	}
	if _, err := b.Prepare(Forms{"registers2"})(); !errors.Is(err, no) {
		t.Errorf("a refused form is prepared: %v", err)
	}
	for _, k := range b.Candidates() {
		if k.Name != "forward" || strings.Contains(fmt.Sprint(k.Values), "registers2") {
			t.Errorf("candidates %v", k)
		}
	}
	if got := b.Forms(); got != before {
		t.Errorf("forms are %+v, they were %+v", got, before)
	}
}

// TestLoopMemory: what the host reckons of a loop's workgroup memory is what the kernel asks for, at widths where it
// fills it up, and the default form fits every width.
func TestLoopMemory(t *testing.T) {
	b := open(t).(*Backend)
	defer b.Close()
	for n := 4; n <= widestCell; n += 4 {
		for theta := range 3 {
			for _, kernel := range []string{loopKernel, loopBackKernel} {
				if _, _, fits := loopFormOf(streamed).layOut(n, theta, kernel == loopBackKernel); !fits {
					t.Errorf("%s, width %d, angle %d does not fit", kernel, n, theta)
				}
			}
		}
	}
	for _, kernel := range []string{loopKernel, loopBackKernel} {
		for _, form := range loopForms() {
			widest := 0
			for n := 4; n <= widestCell; n += 4 {
				if _, _, fits := loopFormOf(form).layOut(n, 2, kernel == loopBackKernel); fits {
					widest = n
				}
			}
			t.Logf("%s %s fits up to width %d", kernel, form, widest)
			b.compiled(pipelineKey{kernel: kernel, width: widest, theta: 2, loop: loopFormOf(form)})
		}
	}
	if err := b.Sync(); err != nil {
		t.Error(err)
	}
}
