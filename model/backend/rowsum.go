package backend

// RowSum sums rows by what they read: Dst[m] += Σ Src[p] over the p with At[p] = m. It is the gradient of a table
// whose rows many steps share: embeddings, or what a first layer makes of them.
type RowSum struct {
	Dst     Vec   // [M, N], added to
	Src     Vec   // [P, N]
	At      Index // [P], below M; −1: Src[p] is left out
	P, N, M int
}

// Check panics on a shape that does not fit.
func (a RowSum) Check() {
	const k = "RowSum"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	positive(k, "M", a.M)
	need(k, "Dst", a.Dst, a.M*a.N)
	need(k, "Src", a.Src, a.P*a.N)
	needInts(k, "At", a.At, a.P)
}

// On enqueues the call on b.
func (a RowSum) On(b Backend) { b.(Baseline).RowSum(a) }
