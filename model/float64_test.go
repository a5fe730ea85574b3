package model

import (
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
)

// Logits64 is Logits in full precision, for tests on the float64 reference.
func (m *Model) Logits64(b *sequence.Batch) []float64 {
	y, rows := m.Forward(b)
	return append([]float64(nil), reference.Data[float64](y)[:rows*m.config.Shape().Outputs()]...)
}

// NextLogits64 are the logits that generation and Classify read after each prompt, [B, outputs], on the float64
// reference. Sequences need `prefix` supervision: a `final` model speaks only through its decoder.
func (m *Model) NextLogits64(prompts [][]int32) []float64 {
	return m.Logits64(&sequence.Batch{Prompts: prompts})
}
