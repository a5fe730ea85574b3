package backend_test

import (
	"testing"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// wrong is the fast backend with one element of one kernel's output scaled.
func wrong() backend.Backend {
	device := cpu.New()
	return backend.Around{Memory: device, Do: func(c backend.Call) {
		c.On(device)
		if a, ok := c.(backend.DriveForward); ok {
			reference.Data[float32](a.In)[7] *= 1.5
		}
	}}
}

// TestMirror: equal backends agree through whole training steps of every preset; a wrong kernel is named with its
// tensor and index.
func TestMirror(t *testing.T) {
	b := &sequence.Batch{Prompts: [][]int32{{16, 3, 13, 10, 13, 4}, {16, 5}}, Targets: [][]int32{{7, 17}, {5, 20, 17}}}
	run := func(first backend.Backend, c sequence.Config, supervision string) error {
		sequencetest.Small(t, c, sequencetest.Keys{"width": 8, "supervision": supervision, "embedding_std": 0.5})
		m := assert.Must(c.Open(backend.NewMirror(first, reference.New[float64](), 1e-3)))(t)
		defer m.Backend().Close()
		m.Initialise(1)
		m.Gradients(b)
		if _, err := m.Generate(b.Prompts, 3, false); err != nil {
			return err
		}
		_, err := m.Loss()
		return err
	}
	for _, p := range zoo.Presets() {
		for _, supervision := range sequencetest.Supervisions(p.New()) {
			err := run(cpu.New(), p.New(), supervision)
			assert.True(t, err == nil, "%s, %s: %v", p.Name, supervision, err)
		}
	}
	err := run(wrong(), assert.Must(zoo.Preset("mha-csp"))(t), "final")
	assert.OneLine(t, "a wrong DriveForward", err, "DriveForward.In", "index 7:")
}
