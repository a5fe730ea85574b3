package backend

// Sequences names the sequences of an arena that a call covers: Lo ≤ s < Hi. Sequence s runs from the state row
// Start[s] to the state row End[s]: End[s]−Start[s] ≥ 1 steps. A later window on the same arena continues a
// sequence, which is how answers are generated token by token.
type Sequences struct {
	Start, End Index // [Hi]
	Lo, Hi     int
	Rows       int // rows of the whole arena
}

func (s Sequences) check(kernel string) {
	if s.Lo < 0 || s.Hi < s.Lo {
		panic("backend: " + kernel + ".Seq: bad range")
	}
	needInts(kernel, "Seq.Start", s.Start, s.Hi)
	needInts(kernel, "Seq.End", s.End, s.Hi)
}

// Cell holds what both directions of the recurrence read (SPEC §2). A step in row r with drive row m = At[r]:
//
//	δ = WDelta h' + DeltaU[m],  α = 1/(1+exp δ),  p = e^{iθ̂} ⊙ h' (units < Turn) or h',
//	g = α ⊙ p + In[m],  h = g/sqrt(|g|²+Eps)  (h = g without Normalise)
//
// with h' the state in row r and h that in row r+1. θ̂ is the token's angle, given as Rot[m], or, where WTheta is
// given, π·tanh(WTheta h' + Pre[m]).
type Cell struct {
	Seq       Sequences
	At        Index // [rows] drive row of each step, −1 in a sequence's last row
	N, Turn   int
	M         int // drive rows
	In        Vec // [M, 2N]
	DeltaU    Vec // [M, N]: W_δu u + b_δ
	Rot       Vec // [M, 2N] (theta token)
	Pre       Vec // [M, N]: W_θ u + b_θ (theta state)
	WDelta    Vec // [N, 2N]
	WTheta    Vec // [N, 2N] (theta state; only the first Turn rows are read)
	Normalise bool
	Eps       float32

	State Vec // [rows, 2N]
	Alpha Vec // [rows, N]
	Inv   Vec // [rows, N]: 1/sqrt(|g|²+Eps); 1 without Normalise
	Theta Vec // [rows, N]: θ̂ (theta state only)
}

// StateTheta tells whether the state turns by an angle that depends on it.
func (c Cell) StateTheta() bool { return c.WTheta.Given() }

func (c Cell) check(k string) {
	c.Seq.check(k)
	rows := c.Seq.Rows
	positive(k, "N", c.N)
	if c.Turn < 0 || c.Turn > c.N {
		panic("backend: " + k + ".Turn is outside 0..N")
	}
	needInts(k, "At", c.At, rows)
	need(k, "In", c.In, 2*c.M*c.N)
	need(k, "DeltaU", c.DeltaU, c.M*c.N)
	need(k, "WDelta", c.WDelta, 2*c.N*c.N)
	if c.StateTheta() {
		need(k, "WTheta", c.WTheta, 2*c.N*c.N)
		need(k, "Pre", c.Pre, c.M*c.N)
		need(k, "Theta", c.Theta, rows*c.N)
	} else {
		need(k, "Rot", c.Rot, 2*c.M*c.N)
	}
	need(k, "State", c.State, 2*rows*c.N)
	need(k, "Alpha", c.Alpha, rows*c.N)
	need(k, "Inv", c.Inv, rows*c.N)
}

// RecurrenceForward runs the time loop of every sequence. It writes State of the covered sequences, the first row
// included (Init's row s−Lo, or zeros), and of their steps Alpha, Inv and, up to Turn, Theta.
// Continue keeps the first state row as it is: the window goes on where an earlier one ended. Init and Continue
// exclude each other.
type RecurrenceForward struct {
	Cell
	Init     Vec // [Hi−Lo, 2N], optional
	Continue bool
}

// Check panics on a shape that does not fit.
func (a RecurrenceForward) Check() {
	a.check("RecurrenceForward")
	if a.Continue && a.Init.Given() {
		panic("backend: RecurrenceForward: Init and Continue exclude each other")
	}
	maybe("RecurrenceForward", "Init", a.Init, 2*a.N*(a.Seq.Hi-a.Seq.Lo))
}

// RecurrenceBackward runs the time loop backwards. On entry DState holds the gradient of every state from its
// other readers; it is used up. The weight gradients are products over rows that the caller makes afterwards:
// of WDelta DDeltaᵀ·State, of WTheta DThetaᵀ·State.
//
// It covers whole sequences only: the row after a window's last step counts as the sequence's last.
//
// The drive's gradients come in one of two forms. Where steps share drive rows (tokens), the T fields are given and
// gain the sums over each drive row's steps (SPEC §2, cost facts); DIn is then left out, and DTheta too with theta
// token. Where every step has its own drive row, the T fields are left out and the D fields hold one row a step.
type RecurrenceBackward struct {
	Cell
	DState Vec `after:"anything"` // [rows, 2N], in; destroyed
	DDelta Vec // [rows, N], overwritten in the covered rows: gradient of δ
	DTheta Vec // [rows, N], overwritten: of θ̂ (theta token) or of its pre-activation (theta state); 0 from Turn on
	DIn    Vec // [rows, 2N], overwritten: gradient of γ⊙r
	TDelta Vec // [M, N], added to: DDelta summed by drive row
	TTheta Vec // [M, N], added to
	TIn    Vec // [M, 2N], added to
	DInit  Vec // [Hi−Lo, 2N], optional, overwritten: gradient of the first state
}

// Tabled tells whether the drive's gradients are summed by drive row.
func (a RecurrenceBackward) Tabled() bool { return a.TIn.Given() }

// Check panics on a shape that does not fit.
func (a RecurrenceBackward) Check() {
	const k = "RecurrenceBackward"
	a.check(k)
	rows := a.Seq.Rows
	need(k, "DState", a.DState, 2*rows*a.N)
	need(k, "DDelta", a.DDelta, rows*a.N)
	if a.Tabled() {
		need(k, "TDelta", a.TDelta, a.M*a.N)
		need(k, "TTheta", a.TTheta, a.M*a.N)
		need(k, "TIn", a.TIn, 2*a.M*a.N)
	} else {
		need(k, "DIn", a.DIn, 2*rows*a.N)
	}
	if a.StateTheta() || !a.Tabled() {
		need(k, "DTheta", a.DTheta, rows*a.N)
	}
	maybe(k, "DInit", a.DInit, 2*a.N*(a.Seq.Hi-a.Seq.Lo))
}

// FactorForward makes the lower-triangular factors of the metrics (SPEC §3): softplus on the diagonal, zeros above.
type FactorForward struct {
	Factor   Vec // [H, d, d], overwritten
	Raw      Vec // [H, d, d]
	Heads, D int
}

// Check panics on a shape that does not fit.
func (a FactorForward) Check() {
	need("FactorForward", "Factor", a.Factor, a.Heads*a.D*a.D)
	need("FactorForward", "Raw", a.Raw, a.Heads*a.D*a.D)
}

// FactorBackward adds the gradient of FactorForward's input to DRaw.
type FactorBackward struct {
	DRaw     Vec // [H, d, d], added to
	DFactor  Vec // [H, d, d]
	Raw      Vec // [H, d, d]
	Heads, D int
}

// Check panics on a shape that does not fit.
func (a FactorBackward) Check() {
	n := a.Heads * a.D * a.D
	need("FactorBackward", "DRaw", a.DRaw, n)
	need("FactorBackward", "DFactor", a.DFactor, n)
	need("FactorBackward", "Raw", a.Raw, n)
}

// ProjectForward maps states into each head's metric space (SPEC §3): Q^(k) = Λ_kᵀ h^(k), both planes.
type ProjectForward struct {
	Q             Vec // [Rows, 2N], overwritten
	State         Vec // [Rows, 2N]
	Factor        Vec // [H, d, d]
	Rows, N, Head int // Head: number of heads; d = N/Head
}

// Check panics on a shape that does not fit.
func (a ProjectForward) Check() {
	const k = "ProjectForward"
	checkHeads(k, a.N, a.Head)
	need(k, "Q", a.Q, 2*a.Rows*a.N)
	need(k, "State", a.State, 2*a.Rows*a.N)
	need(k, "Factor", a.Factor, a.N*a.N/a.Head)
}

// ProjectBackward adds Λ_k·DQ^(k) to DState and overwrites DFactor (lower triangle; zeros above).
type ProjectBackward struct {
	DState        Vec // [Rows, 2N], added to
	DFactor       Vec // [H, d, d], overwritten
	DQ            Vec // [Rows, 2N]
	State         Vec // [Rows, 2N]
	Factor        Vec // [H, d, d]
	Rows, N, Head int
}

// Check panics on a shape that does not fit.
func (a ProjectBackward) Check() {
	const k = "ProjectBackward"
	checkHeads(k, a.N, a.Head)
	need(k, "DState", a.DState, 2*a.Rows*a.N)
	need(k, "DFactor", a.DFactor, a.N*a.N/a.Head)
	need(k, "DQ", a.DQ, 2*a.Rows*a.N)
	need(k, "State", a.State, 2*a.Rows*a.N)
	need(k, "Factor", a.Factor, a.N*a.N/a.Head)
}

func checkHeads(k string, n, heads int) {
	positive(k, "heads", heads)
	if n%heads != 0 {
		panic("backend: " + k + ": width is no multiple of the number of heads")
	}
}

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

// AttentionMatrices writes the full matrices for `forward` and for pictures (SPEC §12), right-padded with zeros to
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

// Check panics on a shape that does not fit.
func (a OutputForward) Check() {
	const k = "OutputForward"
	need(k, "Y", a.Y, 2*a.P*a.N)
	need(k, "Inv", a.Inv, a.P*a.N)
	needInts(k, "ZRow", a.ZRow, a.P)
	need(k, "Z", a.Z, 0)
	if a.Gate.Given() {
		need(k, "Gate", a.Gate, a.N)
		need(k, "H", a.H, 0)
		needInts(k, "HRow", a.HRow, a.P)
	}
}

// OutputBackward is the backward pass of OutputForward. Rows of Z (and of H) are named at most once, so the
// gradient is added to the rows that are named and the others stay as they are.
type OutputBackward struct {
	DZ    Vec // as Z, added to
	DH    Vec // as H, added to; given with Gate
	DGate Vec // [N], added to; given with Gate
	DY    Vec // [P, 2N]
	Y     Vec // [P, 2N]
	Inv   Vec // [P, N]
	ZRow  Index
	H     Vec
	HRow  Index
	Gate  Vec
	P, N  int
}

// Check panics on a shape that does not fit.
func (a OutputBackward) Check() {
	const k = "OutputBackward"
	need(k, "DZ", a.DZ, 0)
	need(k, "DY", a.DY, 2*a.P*a.N)
	need(k, "Y", a.Y, 2*a.P*a.N)
	need(k, "Inv", a.Inv, a.P*a.N)
	needInts(k, "ZRow", a.ZRow, a.P)
	if a.Gate.Given() {
		need(k, "Gate", a.Gate, a.N)
		need(k, "DGate", a.DGate, a.N)
		need(k, "H", a.H, 0)
		need(k, "DH", a.DH, 0)
		needInts(k, "HRow", a.HRow, a.P)
	}
}
