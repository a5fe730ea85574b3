package backend

// Average computes Y[p] = Σ_d Weight[p, d]·X[Edge[p, d]]: the mean over a graph's edges, where the weights of each row
// sum to 1 (SPEC §13, gcn). An edge of −1 is none. With its edges turned round a graph is its own way back.
type Average struct {
	Y       Vec   // [P, N], overwritten; added to with Add
	X       Vec   // [·, N]
	Edge    Index // [P, D] rows of X
	Weight  Vec   // [P, D]
	P, N, D int   // at least 1
	Add     bool
}
