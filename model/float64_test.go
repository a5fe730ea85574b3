package model

import "mhacsp/model/backend/cpu"

// Logits64 is Logits in full precision, for tests on the float64 reference.
func (m *Model) Logits64(b *Batch) []float64 {
	y, rows := m.train.logits(b)
	return append([]float64(nil), cpu.Data[float64](y)[:rows*m.Config.Outputs()]...)
}

// NextLogits64 are the logits that generation and Classify read after each prompt, [B, outputs], on the float64
// reference. Sequences need `prefix` supervision: a `final` model speaks only through its decoder.
func (m *Model) NextLogits64(prompts [][]int32) []float64 {
	y, rows := m.decode.logits(&Batch{Prompts: prompts})
	return append([]float64(nil), cpu.Data[float64](y)[:rows*m.Config.Outputs()]...)
}
