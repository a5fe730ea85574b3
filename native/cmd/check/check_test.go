//go:build !js

package check

import (
	"errors"
	"io"
	"strings"
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
	"mhacsp/tasks/assert"
)

// bent is a device whose Adam is wrong: each call has another rate, by a factor.
func bent(factor func() float32) backend.Backend {
	device := reference.New[float32]()
	return backend.Around{Memory: device, Do: func(c backend.Call) {
		if a, ok := c.(backend.Adam); ok {
			a.Rate *= factor()
			c = a
		}
		c.On(device)
	}}
}

// TestCheckBits: a device that gives other bits in a second run is reported.
func TestCheckBits(t *testing.T) {
	calls := float32(0)
	x := newExamination(bent(func() float32 { calls++; return 1 + calls/1e4 }), 0, io.Discard)
	err := x.bits()
	assert.True(t, err == nil && !x.Right(), "training: %v, %+v", err, x.Parts)
	err = x.steps([]string{"csp"})
	assert.True(t, err == nil && x.Parts[1].Wrong == 1 && strings.Contains(x.Parts[1].Failed[0], "csp: element "),
		"first step: %v, %+v", err, x.Parts)
}

// formed is a device that computes wrong in one of two forms.
type formed struct {
	backend.Backend
	form string
}

func (d *formed) EachForm(try func(string) error) error {
	for _, d.form = range []string{"forward half", "attention 128"} {
		if err := try(d.form); err != nil {
			return err
		}
	}
	d.form = ""
	return nil
}

// TestCheckForms: a form of the kernels whose bits are others is reported by its name.
func TestCheckForms(t *testing.T) {
	d := &formed{}
	d.Backend = bent(func() float32 {
		if d.form == "attention 128" {
			return 1.01
		}
		return 1
	})
	x := newExamination(d, 0, io.Discard)
	assert.NoError(t, errors.Join(x.steps([]string{"csp"}), x.forms()))
	p := x.Parts[1]
	assert.True(t, p.Done == 2 && p.Wrong == 1 && strings.HasPrefix(p.Failed[0], "csp, attention 128: "), "%+v", p)
}

// TestCheckWrong: a device that computes wrong is reported by the kernel's name.
func TestCheckWrong(t *testing.T) {
	x := newExamination(bent(func() float32 { return 1.01 }), 2, io.Discard)
	assert.NoError(t, x.kernels())
	assert.Need(t, !x.Right() && x.Parts[0].Wrong >= 1 && strings.HasPrefix(x.Parts[0].Failed[0], "Adam/"),
		"%+v", x.Parts)
}
