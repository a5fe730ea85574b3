//go:build cgo && !js

package webgpu

import (
	"strings"
	"testing"

	"github.com/cogentcore/webgpu/wgpu"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
)

// TestOneWave: natively AMD's adapters are offered no attention of several waves, nor take it when asked; the time
// loops keep their forms.
func TestOneWave(t *testing.T) {
	if !splits(wgpu.AdapterInfo{VendorId: 0x1002}) || splits(wgpu.AdapterInfo{VendorId: 0x10de}) {
		t.Error("AMD's adapters are taken for others'")
	}
	device := open(t).(*Backend)
	defer device.Close()
	preset, err := zoo.Preset("mha-csp")
	if err != nil {
		t.Fatal(err)
	}
	step(t, device, sequencetest.Small(t, preset, sequencetest.Keys{}), arithmetic(t, 2))
	offered := func() (names string) {
		for _, k := range device.Candidates() {
			names += k.Name + " "
		}
		return names
	}
	if got := offered(); got != "forward backward attention " {
		t.Fatalf("candidates are %q", got)
	}
	var tried []string
	err = device.EachForm(func(name string) error {
		if tried = append(tried, name); device.Forms() == DefaultForms() {
			t.Errorf("%s is the default", name)
		}
		return nil
	})
	if err != nil || len(tried) != 12 || tried[0] != "forward half" || device.Forms() != DefaultForms() {
		t.Errorf("each form: %q, then %+v, %v", tried, device.Forms(), err)
	}
	device.dev.split = true
	if got := offered(); got != "forward backward " {
		t.Errorf("on AMD's adapters candidates are %q", got)
	}
	if err := device.SetForms(Forms{Attention: 128}); err == nil || !strings.Contains(err.Error(), "attention") {
		t.Errorf("several waves: %v", err)
	}
}
