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

// OutputBackward is the backward pass of OutputForward. Rows of Z (and of H) are named at most once, so the
// gradient is added to the rows that are named and the others stay as they are.
type OutputBackward struct {
	DZ    Vec   // as Z, added to
	DH    Vec   // as H, added to; given with Gate
	DGate Vec   // [N], added to; given with Gate
	DY    Vec   // [P, 2N]
	Y     Vec   // [P, 2N]
	Inv   Vec   // [P, N]
	ZRow  Index // [P]
	H     Vec   // as OutputForward read it; given with Gate
	HRow  Index // [P], given with Gate
	Gate  Vec   // [N], optional
	P, N  int
}
