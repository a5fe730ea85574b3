package train_test

import (
	"fmt"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/assert"
)

// BenchmarkStep is a whole training step on the paper's main task: arithmetic+repeat, author data, batch 128.
func BenchmarkStep(b *testing.B) {
	for _, preset := range []string{"mha-csp", "mha-csp-2", "mha-csp-m", "mha-csp-s", "csp"} {
		for _, supervision := range []string{"final", "prefix"} {
			if preset == "mha-csp-m" && supervision == "prefix" {
				continue // a memory needs final supervision
			}
			b.Run(fmt.Sprintf("%s/%s", preset, supervision), func(b *testing.B) {
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
				tokens := 0
				for b.Loop() {
					s := assert.Must(t.Step())(b)
					tokens += s.Tokens
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
