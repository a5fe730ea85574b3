package backend

// Slots holds what both directions of the memory of positions read (SPEC §2, memory): N units that add up what is
// written, each turning at its own rate. A step in row r with row m = At[r] of In:
//
//	state in row r+1 = e^{−i·Omega} ⊙ state in row r + In[m]
//
// With Normalise each unit z of the sum then becomes z/sqrt(|z|² + Eps) (SPEC §10, norm-memory).
type Slots struct {
	Seq   Sequences
	At    Index // [rows] row of In of each step, −1 in a sequence's last row
	N, M  int   // units; rows of In: at least 1
	Omega Vec   // [N]
	In    Vec   // [M, 2N]
	State Vec   // [rows, 2N]

	Normalise bool
	Eps       float32 // used only where Normalise
}

// SlotsForward writes State of the covered sequences, the first row included (Init's row s−Lo, or zeros). Continue
// keeps the first row as it is: the window goes on where an earlier one ended. Init and Continue exclude each other.
type SlotsForward struct {
	Slots
	Init     Vec // [S, 2N], optional
	Continue bool
}

func (a SlotsForward) also(k string) { checkInit(k, a.Init, a.Continue) }

// SlotsBackward is the backward pass of SlotsForward over whole sequences. On entry DState holds the gradient of every
// state from its other readers; on return that of the whole, or, with Normalise and but for a sequence's first row,
// that of the sum before it was normalised.
type SlotsBackward struct {
	Slots
	DState Vec // [rows, 2N], added to in the covered rows; with Normalise changed there
	TIn    Vec // [M, 2N], added to: the steps' gradients of In, summed by row of In
	DInit  Vec // [S, 2N], optional, overwritten: gradient of the first state
	DOmega Vec // [N], optional, added to
}
