package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
)

// FactorForward is Λ: a few thousand numbers, for which the plain loops are fast enough.
func (*Fast) FactorForward(a backend.FactorForward) { reference.FactorForward[float32](a) }

// FactorBackward is the backward pass of FactorForward.
func (*Fast) FactorBackward(a backend.FactorBackward) { reference.FactorBackward[float32](a) }
