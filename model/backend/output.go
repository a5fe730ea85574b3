package backend

// OutputForward puts every unit back on the unit circle (SPEC §6): z = Z[ZRow[p]] + σ(Gate) ⊙ H[HRow[p]],
// Y = z/sqrt(|z|²+Eps). A row index of −1 gives a row of zeros.
type OutputForward struct {
	Y    Vec   // [P, 2N], overwritten
	Inv  Vec   // [P, N], overwritten: 1/sqrt(|z|²+Eps)
	Z    Vec   // [·, 2N]
	ZRow Index // [P]
	H    Vec   // [·, 2N], given with Gate
	HRow Index // [P], given with Gate
	Gate Vec   // [N], optional: a
	P, N int
	Eps  float32
}

// Check panics on a shape that does not fit.
func (a OutputForward) Check() {
	const k = "OutputForward"
	need(k, "Y", a.Y, 2*a.P*a.N)
	need(k, "Inv", a.Inv, a.P*a.N)
	needInts(k, "ZRow", a.ZRow, a.P)
	need(k, "Z", a.Z, 0)
	if a.Gate.Given() {
		need(k, "Gate", a.Gate, a.N)
		need(k, "H", a.H, 0)
		needInts(k, "HRow", a.HRow, a.P)
	}
}

// On enqueues the call on b.
func (a OutputForward) On(b Backend) { b.OutputForward(a) }

// OutputBackward is the backward pass of OutputForward. Rows of Z (and of H) are named at most once, so the
// gradient is added to the rows that are named and the others stay as they are.
type OutputBackward struct {
	DZ    Vec // as Z, added to
	DH    Vec // as H, added to; given with Gate
	DGate Vec // [N], added to; given with Gate
	DY    Vec // [P, 2N]
	Y     Vec // [P, 2N]
	Inv   Vec // [P, N]
	ZRow  Index
	H     Vec
	HRow  Index
	Gate  Vec
	P, N  int
}

// Check panics on a shape that does not fit.
func (a OutputBackward) Check() {
	const k = "OutputBackward"
	need(k, "DZ", a.DZ, 0)
	need(k, "DY", a.DY, 2*a.P*a.N)
	need(k, "Y", a.Y, 2*a.P*a.N)
	need(k, "Inv", a.Inv, a.P*a.N)
	needInts(k, "ZRow", a.ZRow, a.P)
	if a.Gate.Given() {
		need(k, "Gate", a.Gate, a.N)
		need(k, "DGate", a.DGate, a.N)
		need(k, "H", a.H, 0)
		need(k, "DH", a.DH, 0)
		needInts(k, "HRow", a.HRow, a.P)
	}
}

// On enqueues the call on b.
func (a OutputBackward) On(b Backend) { b.OutputBackward(a) }
