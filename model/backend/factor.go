package backend

// FactorForward makes the lower-triangular factors of the metrics (SPEC §3): softplus on the diagonal, zeros above.
type FactorForward struct {
	Factor   Vec // [H, d, d], overwritten
	Raw      Vec // [H, d, d]
	Heads, D int
}

// FactorBackward adds the gradient of FactorForward's input to DRaw.
type FactorBackward struct {
	DRaw     Vec // [H, d, d], added to
	DFactor  Vec // [H, d, d]
	Raw      Vec // [H, d, d]
	Heads, D int
}
