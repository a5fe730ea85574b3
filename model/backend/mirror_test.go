package backend_test

import (
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence"
	"mhacsp/model/zoo"
)

// wrong is the fast backend with one element of one kernel's output scaled.
func wrong() backend.Backend {
	device := cpu.New()
	return backend.Around{Memory: device, Do: func(c backend.Call) {
		c.On(device)
		if a, ok := c.(backend.DriveForward); ok {
			cpu.Data[float32](a.In)[7] *= 1.5
		}
	}}
}

// TestMirror: equal backends agree through whole training steps of every preset; a wrong kernel is named with its
// tensor and index.
func TestMirror(t *testing.T) {
	b := &sequence.Batch{Prompts: [][]int32{{16, 3, 13, 10, 13, 4}, {16, 5}}, Targets: [][]int32{{7, 17}, {5, 20, 17}}}
	run := func(first backend.Backend, preset, supervision string) error {
		c, err := model.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		c.Width, c.Supervision, c.EmbeddingStd = 8, supervision, 0.5
		m, err := model.New(c, backend.NewMirror(first, cpu.NewReference[float64](), 1e-3))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Backend().Close()
		m.Initialise(1)
		m.Gradients(b)
		if _, err := m.Generate(b.Prompts, 3, false); err != nil {
			return err
		}
		_, err = m.Loss()
		return err
	}
	for _, preset := range zoo.Names() {
		for _, supervision := range []string{"final", "prefix"} {
			if err := run(cpu.New(), preset, supervision); err != nil {
				t.Errorf("%s, %s: %v", preset, supervision, err)
			}
		}
	}
	err := run(wrong(), "mha-csp", "final")
	if err == nil || !strings.Contains(err.Error(), "DriveForward.In") || !strings.Contains(err.Error(), "index 7:") {
		t.Errorf("a wrong DriveForward: %v", err)
	}
}
