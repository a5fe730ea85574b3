package backend

// Cell holds what both directions of the recurrence read (SPEC §2). A step in row r with drive row m = At[r]:
//
//	δ = WDelta h' + DeltaU[m],  α = 1/(1+exp δ),  p = e^{iθ̂} ⊙ h' (units < Turn) or h',
//	g = α ⊙ p + In[m],  h = g/sqrt(|g|²+Eps)  (h = g without Normalise)
//
// with h' the state in row r and h that in row r+1. θ̂ is the token's angle, given as Rot[m], or, where WTheta is
// given, π·tanh(WTheta h' + Pre[m]), or, with Steer too, π·tanh(WTheta h' + Steer)·tanh(Pre[m]).
type Cell struct {
	Seq       Sequences
	At        Index // [rows] drive row of each step, −1 in a sequence's last row
	N         int   // at least 1
	Turn      int   // 0 to N
	M         int   // drive rows
	In        Vec   // [M, 2N]
	DeltaU    Vec   // [M, N]: W_δu u + b_δ
	Rot       Vec   // [M, 2N], given without WTheta (theta token)
	Pre       Vec   // [M, N], given with WTheta: W_θ u + b_θ (theta state and product)
	WDelta    Vec   // [N, 2N]
	WTheta    Vec   // [N, 2N], optional (theta state and product; only the first Turn rows are read)
	Steer     Vec   // [Turn], optional: b_θh (theta product)
	Normalise bool
	Eps       float32

	State Vec // [rows, 2N]
	Alpha Vec // [rows, N]
	Inv   Vec // [rows, N]: 1/sqrt(|g|²+Eps); 1 without Normalise
	Theta Vec // [rows, N], given with WTheta: θ̂, or its factor that the state chose (product)
}

// StateTheta reports whether the state turns by an angle that depends on it.
func (c Cell) StateTheta() bool { return c.WTheta.Given() }

// Product reports whether that angle is the token's times a factor that the state chooses.
func (c Cell) Product() bool { return c.Steer.Given() }

func (c Cell) also(k string) {
	if c.Turn < 0 || c.Turn > c.N {
		panic("backend: " + k + ".Turn is outside 0..N")
	}
	if c.Product() && !c.StateTheta() {
		panic("backend: " + k + ".Steer is given without WTheta")
	}
}

// flops is the work of one direction: the products with W_δh and, for units that turn by the state, W_θh.
func (c Cell) flops(steps func(Sequences) int) float64 {
	width := c.N
	if c.StateTheta() {
		width += c.Turn
	}
	return product(steps(c.Seq), 2*c.N, width)
}

// RecurrenceForward runs the time loop of every sequence. It writes State of the covered sequences, the first row
// included (Init's row s−Lo, or zeros), and of their steps Alpha, Inv and, up to Turn, Theta. Continue keeps the first
// state row as it is: the window goes on where an earlier one ended. Init and Continue exclude each other.
type RecurrenceForward struct {
	Cell
	Init     Vec // [S, 2N], optional
	Continue bool
}

func (a RecurrenceForward) also(k string) { checkInit(k, a.Init, a.Continue) }

// RecurrenceBackward runs the time loop backwards. On entry DState holds the gradient of every state from its
// other readers; it is used up. The weight gradients are products over rows that the caller makes afterwards:
// of WDelta DDeltaᵀ·State, of WTheta DThetaᵀ·State. That of Steer is the sum of DTheta's rows.
//
// It covers whole sequences only: the row after a window's last step counts as the sequence's last.
//
// The drive's gradients come in one of two forms. Where steps share drive rows (tokens), the T fields are given and
// gain the sums over each drive row's steps (SPEC §2, cost facts); DIn is then left out, and DTheta too with theta
// token. Where every step has its own drive row, the T fields are left out and the D fields hold one row a step.
//
// Bound > 0 keeps a gradient that grows from step to step small (SPEC §8, state_clip): where that of a unit's state,
// as a step finds it, is longer than Bound in the complex plane, the step goes on with one of that length.
//
// With Steer the state and the token have an angle each, so there are two gradients: that of WTheta h' + Steer, and
// that of the token's angle π·tanh(Pre[m]), which the drive goes on from as with theta token. DTheta then has two
// halves, each [rows, N] and as long as a multiple of Align, both overwritten, and TTheta gains the second.
type RecurrenceBackward struct {
	Cell
	DState Vec `after:"anything"` // [rows, 2N], in; destroyed
	DDelta Vec // [rows, N], overwritten in the covered rows: gradient of δ
	DTheta Vec // [rows, N], overwritten: of θ̂ (theta token) or of its pre-activation (else); 0 from Turn on; optional
	DIn    Vec // [rows, 2N], given without TIn, overwritten: gradient of γ⊙r
	TDelta Vec // [M, N], given with TIn, added to: DDelta summed by drive row
	TTheta Vec // [M, N], given with TIn, added to
	TIn    Vec // [M, 2N], optional, added to
	DInit  Vec // [S, 2N], optional, overwritten: gradient of the first state
	Bound  float32
}

// Tabled reports whether the drive's gradients are summed by drive row.
func (a RecurrenceBackward) Tabled() bool { return a.TIn.Given() }

// DToken is the half of DTheta that holds the gradient of the token's angle.
func (a RecurrenceBackward) DToken() Vec { return a.DTheta.Slice(a.DTheta.Len/2, a.Seq.Rows*a.N) }

func (a RecurrenceBackward) also(k string) {
	switch rows := a.Seq.Rows; {
	case a.Product():
		need(k, "DTheta", a.DTheta, 2*rows*a.N)
		if a.DTheta.Len%(2*Align) != 0 {
			panic("backend: " + k + ".DTheta: its halves do not begin at multiples of Align")
		}
	case a.StateTheta() || !a.Tabled():
		need(k, "DTheta", a.DTheta, rows*a.N)
	}
	if !(a.Bound >= 0) {
		panic("backend: " + k + ".Bound is negative or no number")
	}
}
