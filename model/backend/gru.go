package backend

// GRUCell holds what both directions of a GRU's time loop read (SPEC §13), the gates r, z and n one after another. A
// step in row r with m = At[r], h' the state in row r and h that in row r+1:
//
//	r = σ(Pre[m]_r + U_r h'),  z = σ(Pre[m]_z + U_z h'),  n = tanh(Pre[m]_n + r ⊙ (U_n h')),
//	h = (1 − z) ⊙ n + z ⊙ h'
type GRUCell struct {
	Seq    Sequences
	At     Index // [rows] row of Pre of each step, −1 in a sequence's last row
	N      int   // at least 1
	M      int
	Pre    Vec // [M, 3N]: W_x x + b
	U      Vec // [3N, N]
	State  Vec // [rows, N]: h
	Gates  Vec // [rows, 3N]: r, z and n of each step
	Hidden Vec // [rows, N]: U_n h' of each step
}

// flops is the work of one direction: the product with U.
func (c GRUCell) flops(steps func(Sequences) int) float64 { return product(steps(c.Seq), c.N, 3*c.N) }

// GRUForward runs the time loop of every sequence from a state of zeros. It writes State of the covered sequences, the
// first rows included, and Gates and Hidden of their steps.
type GRUForward struct{ GRUCell }

// GRUBackward runs the time loop backwards. On entry DState holds the gradient of every state from its other readers;
// it is used up. In the covered rows Gates becomes the gradient of Pre's row and Hidden that of U_n h'; both get
// zeros in a sequence's last row. The gradients of U and Pre are products and sums over the rows that the caller
// makes afterwards: of U_r and U_z the first 2N columns of Gates, transposed, by State, of U_n Hiddenᵀ·State, of
// Pre's row m the sum of the rows of Gates with At m.
type GRUBackward struct {
	GRUCell
	DState Vec `after:"anything"` // [rows, N], in; destroyed
}
