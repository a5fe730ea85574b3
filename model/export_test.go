package model

import (
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
)

// Preset returns a named configuration.
func Preset(name string) (Config, error) {
	p, err := find(name)
	return p.Config, err
}

// Logits64 is Logits in full precision, for tests on the float64 reference.
func (m *Model) Logits64(b *sequence.Batch) []float64 {
	y, rows := m.Forward(b)
	return append([]float64(nil), reference.Data[float64](y)[:rows*m.config.Shape().Outputs()]...)
}
