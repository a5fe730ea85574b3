package backend

// SoftmaxWidest is the greatest width of a head, N/Heads: a GPU's kernels keep a head's vectors in registers.
const SoftmaxWidest = 256

// Softmax holds what both directions of the softmax attention read (SPEC §13). Position t of a sequence (0 ≤ t < T) is
// its step t+1, in row Start+t; a head's N/Heads numbers lie side by side there. For a head of width d,
//
//	P_ij = softmax over j ≤ i of q_i·k_j/sqrt(d),  o_i = Σ_j P_ij v_j.
//
// With Turn every pair (c, c + d/2) of q's and k's numbers in a head is turned first, by the position's angle of the
// pair. Memory is O(T): no T×T matrix exists.
type Softmax struct {
	Seq      Sequences
	N, Heads int
	Q, K, V  Vec // [rows, N]
	Turn     Vec // [·, d], optional: of each position, the d/2 pairs' cosines, then their sines
}

func (a Softmax) also(k string) {
	checkHeads(k, a.N, a.Heads)
	d := a.N / a.Heads
	if d > SoftmaxWidest {
		panic("backend: " + k + ": a head is wider than SoftmaxWidest")
	}
	if a.Turn.Given() && d%2 != 0 {
		panic("backend: " + k + ": heads of odd width cannot be turned")
	}
}

// SoftmaxForward writes o_i and log Σ_j exp(q_i·k_j/sqrt(d)) in the rows of steps; the last row of a covered sequence
// becomes 0.
type SoftmaxForward struct {
	Softmax
	O   Vec // [rows, N], overwritten in the covered rows
	Log Vec // [rows, Heads], overwritten in the covered rows
}

// SoftmaxBackward is the backward pass of SoftmaxForward; the weights are computed again, not kept. The last row of a
// covered sequence becomes 0.
type SoftmaxBackward struct {
	Softmax
	DQ, DK, DV Vec // [rows, N], overwritten in the covered rows
	DO         Vec // [rows, N]
	O          Vec // [rows, N], as SoftmaxForward wrote it
	Log        Vec // [rows, Heads], as SoftmaxForward wrote it
}

// SoftmaxMatrices writes the weights in full for `forward` and for pictures, right-padded with zeros to T positions.
// It is the one place where T×T matrices exist.
type SoftmaxMatrices struct {
	Softmax
	T       int
	Weights Vec // [S, H, T, T], overwritten: P
}
