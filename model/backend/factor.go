package backend

// FactorForward makes the lower-triangular factors of the metrics (SPEC §3): softplus on the diagonal, zeros above.
type FactorForward struct {
	Factor   Vec // [H, d, d], overwritten
	Raw      Vec // [H, d, d]
	Heads, D int
}

// Check panics on a shape that does not fit.
func (a FactorForward) Check() {
	need("FactorForward", "Factor", a.Factor, a.Heads*a.D*a.D)
	need("FactorForward", "Raw", a.Raw, a.Heads*a.D*a.D)
}

// On enqueues the call on b.
func (a FactorForward) On(b Backend) { b.FactorForward(a) }

// FactorBackward adds the gradient of FactorForward's input to DRaw.
type FactorBackward struct {
	DRaw     Vec // [H, d, d], added to
	DFactor  Vec // [H, d, d]
	Raw      Vec // [H, d, d]
	Heads, D int
}

// Check panics on a shape that does not fit.
func (a FactorBackward) Check() {
	n := a.Heads * a.D * a.D
	need("FactorBackward", "DRaw", a.DRaw, n)
	need("FactorBackward", "DFactor", a.DFactor, n)
	need("FactorBackward", "Raw", a.Raw, n)
}

// On enqueues the call on b.
func (a FactorBackward) On(b Backend) { b.FactorBackward(a) }
