package cpu

import "mhacsp/model/backend"

// FactorForward is Λ: a few thousand numbers, for which the plain loops are fast enough.
func (*Fast) FactorForward(a backend.FactorForward) { factorForward[float32](a) }

// FactorBackward is the backward pass of FactorForward.
func (*Fast) FactorBackward(a backend.FactorBackward) { factorBackward[float32](a) }
