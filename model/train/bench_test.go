package train_test

import (
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// BenchmarkStep is a whole training step on the paper's main task: arithmetic+repeat, author data, batch 128.
func BenchmarkStep(b *testing.B) {
	// A memory needs final supervision.
	for _, name := range strings.Fields("mha-csp/final mha-csp/prefix mha-csp-2/final mha-csp-2/prefix " +
		"mha-csp-m/final mha-csp-s/final mha-csp-s/prefix csp/final csp/prefix") {
		preset, supervision, _ := strings.Cut(name, "/")
		b.Run(name, func(b *testing.B) {
			r := assert.Must(train.Default("arithmetic"))(b)
			r.Config = assert.Must(zoo.Preset(preset))(b)
			r.Config.(*model.Config).Supervision = supervision
			assert.Must(r.Fit())(b)
			device := cpu.New()
			defer device.Close()
			m := assert.Must(r.Config.Open(device))(b)
			m.Initialise(1)
			t := assert.Must(train.New(r, m))(b)
			for range 5 {
				assert.Must(t.Step())(b)
			}
			b.ReportAllocs()
			for b.Loop() {
				assert.Must(t.Step())(b)
			}
		})
	}
}
