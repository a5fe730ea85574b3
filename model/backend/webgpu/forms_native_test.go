//go:build cgo && !js

package webgpu

import (
	"slices"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// TestEachForm: every form but the default is tried once, and the forms are then those that they were.
func TestEachForm(t *testing.T) {
	device := open(t).(*Backend)
	defer device.Close()
	preset, err := zoo.Preset("mha-csp")
	if err != nil {
		t.Fatal(err)
	}
	step(t, device, sequencetest.Small(t, preset, sequencetest.Keys{}), arithmetic(t, 2))
	var tried []string
	err = device.EachForm(func(name string) error {
		if tried = append(tried, name); device.Forms() == DefaultForms() {
			t.Errorf("%s is the default", name)
		}
		return nil
	})
	want := []string{"forward registers", "backward registers"}
	if err != nil || !slices.Equal(tried, want) || device.Forms() != DefaultForms() {
		t.Errorf("each form: %q, then %+v, %v", tried, device.Forms(), err)
	}
}
