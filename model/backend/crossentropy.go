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
	P       int
	C       int // at least 1
	Scale   float32
}
