package backend

// LSTMCell holds what both directions of an LSTM's time loop read (SPEC §13), the gates i, f, g and o one after
// another. A step in row r with m = At[r], h' and c' the state and the memory in row r and h and c those in row r+1:
//
//	a = Pre[m] + W h',  i, f, o = σ(a_i), σ(a_f), σ(a_o),  g = tanh(a_g),
//	c = f ⊙ c' + i ⊙ g,  h = o ⊙ tanh(c)
type LSTMCell struct {
	Seq    Sequences
	At     Index // [rows] row of Pre of each step, −1 in a sequence's last row
	N      int   // at least 1
	M      int
	Pre    Vec // [M, 4N]: W_x x + b
	W      Vec // [4N, N]
	State  Vec // [rows, N]: h
	Memory Vec // [rows, N]: c
	Gates  Vec // [rows, 4N]: i, f, g and o of each step
}

// flops is the work of one direction: the product with W.
func (c LSTMCell) flops(steps func(Sequences) int) float64 { return product(steps(c.Seq), c.N, 4*c.N) }

// LSTMForward runs the time loop of every sequence from a state and a memory of zeros. It writes State and Memory of
// the covered sequences, the first rows included, and Gates of their steps.
type LSTMForward struct{ LSTMCell }

// LSTMBackward runs the time loop backwards. On entry DState holds the gradient of every state from its other readers;
// it is used up. Gates becomes the gradient of a in the covered rows, and zeros in a sequence's last row. The
// gradients of W and Pre are products and sums over the rows that the caller makes afterwards: of W Gatesᵀ·State,
// of Pre's row m the sum of the rows of Gates with At m.
type LSTMBackward struct {
	LSTMCell
	DState Vec `after:"anything"` // [rows, N], in; destroyed
}
