package backend

// Average computes Y[p] = Σ_d Weight[p, d]·X[Edge[p, d]]: the mean over a graph's edges, where the weights of each row
// sum to 1 (SPEC §13, gcn). An edge of −1 is none. With its edges turned round a graph is its own way back.
type Average struct {
	Y       Vec   // [P, N], overwritten; added to with Add
	X       Vec   // [·, N]
	Edge    Index // [P, D] rows of X
	Weight  Vec   // [P, D]
	P, N, D int
	Add     bool
}

// Check panics on a shape that does not fit.
func (a Average) Check() {
	const k = "Average"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	positive(k, "D", a.D)
	need(k, "Y", a.Y, a.P*a.N)
	need(k, "X", a.X, 0)
	needInts(k, "Edge", a.Edge, a.P*a.D)
	need(k, "Weight", a.Weight, a.P*a.D)
}

// On enqueues the call on b.
func (a Average) On(b Backend) { b.(Baseline).Average(a) }
