package train_test

import (
	"fmt"
	"testing"

	"mhacsp/model"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/train"
	"mhacsp/model/zoo"
	"mhacsp/tasks/require"
)

// BenchmarkStep is a whole training step on the paper's main task: arithmetic+repeat, author data, batch 128.
func BenchmarkStep(b *testing.B) {
	for _, preset := range []string{"mha-csp", "mha-csp-2", "mha-csp-m", "mha-csp-s", "csp"} {
		for _, supervision := range []string{"final", "prefix"} {
			if preset == "mha-csp-m" && supervision == "prefix" {
				continue // a memory needs final supervision
			}
			b.Run(fmt.Sprintf("%s/%s", preset, supervision), func(b *testing.B) {
				r, err := train.Default("arithmetic")
				require.NoError(b, err)
				if r.Config, err = zoo.Preset(preset); err != nil {
					b.Fatal(err)
				}
				r.Config.(*model.Config).Supervision = supervision
				if _, err := r.Fit(); err != nil {
					b.Fatal(err)
				}
				device := cpu.New()
				defer device.Close()
				m, err := r.Config.Open(device)
				require.NoError(b, err)
				m.Initialise(1)
				t, err := train.New(r, m)
				require.NoError(b, err)
				for range 5 {
					if _, err := t.Step(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				tokens := 0
				for b.Loop() {
					s, err := t.Step()
					require.NoError(b, err)
					tokens += s.Tokens
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}
