package model

import "mhacsp/model/backend/cpu"

// LossVec is the last loss in float64, for tests on the float64 reference.
func (m *Model) LossVec() []float64 { return cpu.Data[float64](m.LossOnDevice()) }
