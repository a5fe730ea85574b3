package backend

// RowSum sums rows by what they read: Dst[m] += Σ Src[p] over the p with At[p] = m. It is the gradient of a table
// whose rows many steps share: embeddings, or what a first layer makes of them.
type RowSum struct {
	Dst     Vec   // [M, N], added to
	Src     Vec   // [P, N]
	At      Index // [P], below M; −1: Src[p] is left out
	P, N, M int   // at least 1
}
