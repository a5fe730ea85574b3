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

// On enqueues the call on b.
func (a CrossEntropy) On(b Backend) { b.CrossEntropy(a) }
