package backend

// Fusion is how a row's heads are combined (SPEC §5).
type Fusion int

// The fusions of SPEC §5.
const (
	FusionMesh Fusion = iota
	FusionPooled
	FusionMean
)

// Tree is how distances are accumulated along a sequence (SPEC §4, §10).
type Tree int

// The accumulations: the log-sum-exp, none (ablation no-tree), the plain sum (ablation no-lse).
const (
	TreeLogSumExp Tree = iota
	TreeNone
	TreeSum
)

// Attention holds what both directions of the attention read (SPEC §§3–6). For a row i of a sequence and j ≤ i:
//
//	D_ij = |q_i − q_j|² per head, C̃_ij from the edges, D̃ = D + softplus(Rho) C̃, A = fusion of c_k = C̃_i1,
//	D̂^(k) = Σ_l A_kl D̃^(l),  P^(k)_ij = softmax over j of −D̂^(k)_ij,  o_i^(k) = Σ_j P^(k)_ij h_j^(k)
//
// Position t of a sequence (0 ≤ t < T) reads row Start+1+t of State and Q. Memory is O(T): no T×T matrix exists.
type Attention struct {
	Seq      Sequences
	N, Heads int
	Last     bool // only each sequence's last position is asked for
	Fusion   Fusion
	Tree     Tree
	State    Vec // [rows, 2N]
	Q        Vec // [rows, 2N]
	Rho      Vec // [H], before the softplus
	B        Vec // [H, H]
}

func (a Attention) check(k string) {
	a.Seq.check(k)
	checkHeads(k, a.N, a.Heads)
	need(k, "State", a.State, 2*a.Seq.Rows*a.N)
	need(k, "Q", a.Q, 2*a.Seq.Rows*a.N)
	need(k, "Rho", a.Rho, a.Heads)
	need(k, "B", a.B, a.Heads*a.Heads)
}

func (a Attention) outRows() int {
	if a.Last {
		return a.Seq.Hi - a.Seq.Lo
	}
	return a.Seq.Rows
}

// AttentionForward writes O: with Last row s−Lo is sequence s's last position; otherwise position t is in the row
// of step t+1, Start+t, and a sequence's last row is zero.
type AttentionForward struct {
	Attention
	O Vec // [Hi−Lo, 2N] or [rows, 2N]
}

// Check panics on a shape that does not fit.
func (a AttentionForward) Check() {
	a.check("AttentionForward")
	need("AttentionForward", "O", a.O, 2*a.N*a.outRows())
}

// On enqueues the call on b.
func (a AttentionForward) On(b Backend) { b.AttentionForward(a) }

// AttentionBackward writes the gradients of State (through the weighted sum only) and Q in the covered rows, and
// adds those of Rho and B.
type AttentionBackward struct {
	Attention
	DO     Vec // as O
	DState Vec // [rows, 2N], added to
	DQ     Vec // [rows, 2N], overwritten in the covered rows
	DRho   Vec // [H], added to
	DB     Vec // [H, H], added to
}

// Check panics on a shape that does not fit.
func (a AttentionBackward) Check() {
	const k = "AttentionBackward"
	a.check(k)
	need(k, "DO", a.DO, 2*a.N*a.outRows())
	need(k, "DState", a.DState, 2*a.Seq.Rows*a.N)
	need(k, "DQ", a.DQ, 2*a.Seq.Rows*a.N)
	need(k, "DRho", a.DRho, a.Heads)
	need(k, "DB", a.DB, a.Heads*a.Heads)
}

// On enqueues the call on b.
func (a AttentionBackward) On(b Backend) { b.AttentionBackward(a) }

// AttentionMatrices writes the full matrices for `forward` and for pictures (FORMATS.md), right-padded with zeros to
// T positions. It is the one place where T×T matrices exist.
type AttentionMatrices struct {
	Attention
	T        int
	Distance Vec // [S, H, T, T], D in full (symmetric)
	TreeOut  Vec // [S, H, T, T], C̃; 0 above the diagonal
	FusedOut Vec // [S, T, H, H], A
	Weights  Vec // [S, H, T, T], P
}

// Check panics on a shape that does not fit.
func (a AttentionMatrices) Check() {
	const k = "AttentionMatrices"
	a.check(k)
	s := a.Seq.Hi - a.Seq.Lo
	need(k, "Distance", a.Distance, s*a.Heads*a.T*a.T)
	need(k, "TreeOut", a.TreeOut, s*a.Heads*a.T*a.T)
	need(k, "FusedOut", a.FusedOut, s*a.T*a.Heads*a.Heads)
	need(k, "Weights", a.Weights, s*a.Heads*a.T*a.T)
}

// On enqueues the call on b.
func (a AttentionMatrices) On(b Backend) { b.AttentionMatrices(a) }
