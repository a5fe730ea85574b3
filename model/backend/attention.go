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

func (a Attention) also(k string) { checkHeads(k, a.N, a.Heads) }

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
	O Vec // [outRows, 2N]: Hi−Lo rows with Last, all without
}

// AttentionBackward writes the gradients of State (through the weighted sum only) and Q in the covered rows, and
// adds those of Rho and B.
type AttentionBackward struct {
	Attention
	DO     Vec // [outRows, 2N], as O
	DState Vec // [rows, 2N], added to
	DQ     Vec // [rows, 2N], overwritten in the covered rows
	DRho   Vec // [H], added to
	DB     Vec // [H, H], added to
}

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
