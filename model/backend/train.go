package backend

// CrossEntropy computes the weighted mean cross-entropy of P rows of logits and its gradient:
// Loss = Σ_p w_p (logsumexp Logits_p − Logits_p[Target_p]) / Σ_p w_p. Scale is 1/Σ w_p, from the host. Hit tells where
// greedy decoding would write the target: of equal logits the first is taken.
type CrossEntropy struct {
	Loss    Vec   // [1], overwritten
	RowLoss Vec   // [P], overwritten: unweighted loss of each row
	Hit     Vec   // [P], overwritten: 1 where Target is the greatest logit's place, 0 elsewhere
	DLogits Vec   // [P, C], overwritten
	Logits  Vec   // [P, C]
	Target  Index // [P], 0 ≤ Target < C
	Weight  Vec   // [P]
	P, C    int
	Scale   float32
}

// Check panics on a shape that does not fit.
func (a CrossEntropy) Check() {
	const k = "CrossEntropy"
	positive(k, "C", a.C)
	need(k, "Loss", a.Loss, 1)
	need(k, "RowLoss", a.RowLoss, a.P)
	need(k, "Hit", a.Hit, a.P)
	need(k, "DLogits", a.DLogits, a.P*a.C)
	need(k, "Logits", a.Logits, a.P*a.C)
	needInts(k, "Target", a.Target, a.P)
	need(k, "Weight", a.Weight, a.P)
}

// SumSquares writes Σ x² to Out[0], in an order that depends on the length alone.
type SumSquares struct {
	Out Vec // [1]
	X   Vec
}

// Check panics on a shape that does not fit.
func (a SumSquares) Check() {
	need("SumSquares", "Out", a.Out, 1)
	need("SumSquares", "X", a.X, 0)
}

// Adam updates all parameters at once (SPEC §8). The gradient is first scaled by Clip/‖g‖ where ‖g‖² = Norm2[0]
// exceeds Clip² (Clip 0: never), then weight decay is added to it (Decoupled false, Adam) or applied to the
// parameters (Decoupled true, AdamW). Where Norm2 or Loss is not finite nothing is changed, and Guard, where given, is
// set; while Guard is set nothing is changed either. So a host that reads the numbers of a step only after it has enqueued
// further steps finds the parameters as they were before the first bad one.
type Adam struct {
	Param, M, V, Grad Vec // of one length
	Norm2             Vec // [1]
	Loss              Vec // [1], optional
	Guard             Vec // [1], optional: 0, or 1 once it is set
	Rate              float32
	Beta1, Beta2, Eps float32
	Decay             float32
	Decoupled         bool
	Clip              float32
	Step              int // from 1
}

// Check panics on a shape that does not fit.
func (a Adam) Check() {
	const k = "Adam"
	need(k, "Param", a.Param, 0)
	n := a.Param.Len
	need(k, "M", a.M, n)
	need(k, "V", a.V, n)
	need(k, "Grad", a.Grad, n)
	need(k, "Norm2", a.Norm2, 1)
	maybe(k, "Loss", a.Loss, 1)
	maybe(k, "Guard", a.Guard, 1)
	positive(k, "Step", a.Step)
}
