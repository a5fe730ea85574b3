package model

import (
	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
)

// Own is the configuration that the model was built with.
func (m *Model) Own() Config { return m.config }

// Preset returns a named configuration.
func Preset(name string) (Config, error) {
	p, err := find(name)
	return p.Config, err
}

// LossVec is the last loss in float64, for tests on the float64 reference.
func (m *Model) LossVec() []float64 {
	return reference.Data[float64](m.Results().Slice(sequence.ResultLoss, 1))
}
