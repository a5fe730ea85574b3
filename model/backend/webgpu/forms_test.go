//go:build cgo || js

package webgpu

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mhacsp/model/backend/backendtest"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// bitsOf is a hash of the bits of numbers.
func bitsOf(x ...[]float32) string {
	h := sha256.New()
	for _, x := range x {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestFormsBits: a training step's loss, gradient and update have the same bits in both forms of the kernels, with
// sequences of several lengths, for each kind of angle; and a step after Prepare and SetForms compiles nothing.
func TestFormsBits(t *testing.T) {
	for _, x := range []struct {
		angle string
		width int
	}{{"token", 132}, {"state", 144}, {"product", 36}} {
		t.Run(fmt.Sprintf("%s-%d", x.angle, x.width), func(t *testing.T) {
			device, preset := opened(t), assert.Must(zoo.Preset("mha-csp"))(t)
			c := sequencetest.Small(t, preset, sequencetest.Keys{"width": x.width, "supervision": "final",
				"embedding_std": 0.3, "theta": x.angle})
			bits := func() string {
				loss, grad, values := step(t, device, c, arithmetic(t, 0, 7))
				return bitsOf([]float32{loss}, grad, values)
			}
			want := bits()
			assert.Need(t, len(device.Candidates()) >= 2, "candidates are %v", device.Candidates())
			f := Forms{registers, registers}
			ready := device.Prepare(f)
			for done := false; !done; time.Sleep(time.Millisecond) {
				done = assert.Must(ready())(t)
			}
			err := device.SetForms(f)
			assert.Need(t, err == nil && device.Forms() == f, "forms are %+v: %v", device.Forms(), err)
			made := len(device.pipelines)
			assert.Is(t, bits(), want, "%+v: bits, where those of the default forms are wanted", f)
			assert.True(t, len(device.pipelines) == made,
				"%+v: %d pipelines were not prepared", f, len(device.pipelines)-made)
		})
	}
}

// TestFormsContract holds the contract of the recurrence with weights in registers, with every fifth case.
func TestFormsContract(t *testing.T) {
	b := open(t)
	assert.NoError(t, b.SetForms(Forms{registers, registers}))
	backendtest.RunOnly(t, contract().Every(5), b, "RecurrenceForward", "RecurrenceBackward")
}

// TestFormsRefused: a wrong value is named with what is allowed, and a form that the device has refused is neither a
// candidate nor taken.
func TestFormsRefused(t *testing.T) {
	b := opened(t)
	before := b.Forms()
	assert.OneLine(t, "no such form", b.SetForms(Forms{1: "fast"}), "backward")
	assert.Is(t, len(b.Candidates()), 0, "nothing has run: candidates")
	key := pipelineKey{kernel: loopKernel, width: 32}
	b.compiled(reform(key, before))
	no := errors.New("too many registers")
	b.refused[reform(key, Forms{registers}.full())] = no
	err := b.SetForms(Forms{registers})
	assert.True(t, errors.Is(err, no), "a refused form: %v", err)
	_, err = b.Prepare(Forms{registers})()
	assert.True(t, errors.Is(err, no), "a refused form is prepared: %v", err)
	for _, k := range b.Candidates() {
		assert.True(t, k.Name == "forward" && !slices.Contains(k.Values, registers), "candidates %v", k)
	}
	assert.Is(t, b.Forms(), before, "after that the forms are")
}

// TestLoopMemory: what the host reckons of a loop's workgroup memory is what the kernel asks for, at widths where it
// fills it up, and the default form fits every width.
func TestLoopMemory(t *testing.T) {
	b := opened(t)
	for n := 4; n <= widestCell; n += 4 {
		for theta := range 3 {
			for _, kernel := range []string{loopKernel, loopBackKernel} {
				_, fits := (pipelineKey{kernel: kernel, width: n, theta: theta}).layOut()
				assert.True(t, fits, "%s, width %d, angle %d does not fit", kernel, n, theta)
			}
		}
	}
	for _, kernel := range []string{loopKernel, loopBackKernel} {
		for _, held := range []bool{false, true} {
			var widest pipelineKey
			for n := 4; n <= widestCell; n += 4 {
				key := pipelineKey{kernel: kernel, width: n, theta: 2, held: held}
				if _, fits := key.layOut(); fits {
					widest = key
				}
			}
			t.Logf("%+v is the widest that fits", widest)
			b.compiled(widest)
		}
	}
	assert.NoError(t, b.Sync())
}

// TestEachForm: every form but the default is tried once, and the forms are then those that they were.
func TestEachForm(t *testing.T) {
	device, preset := opened(t), assert.Must(zoo.Preset("mha-csp"))(t)
	step(t, device, sequencetest.Small(t, preset, sequencetest.Keys{}), arithmetic(t, 0, 2))
	var tried []string
	err := device.EachForm(func(name string) error {
		tried = append(tried, name)
		assert.True(t, device.Forms() != DefaultForms(), "%s is the default", name)
		return nil
	})
	want := []string{"forward registers", "backward registers"}
	assert.True(t, err == nil && slices.Equal(tried, want) && device.Forms() == DefaultForms(),
		"each form: %q, then %+v, %v", tried, device.Forms(), err)
}
