package backend

import "fmt"

// DeltaEvery is how many steps lie between two states that DeltaForward keeps; DeltaWidest the longest key, and value,
// of a head.
const DeltaEvery, DeltaWidest = 16, 128

// Delta holds what both directions of the gated delta rule read (SPEC §13, gdn). Each of H heads has a state S [D, K],
// 0 before a sequence's first step. A step with query q [K], key k [K], value v [D] and the head's numbers a and b is
//
//	q̂ = q/(‖q‖√K),  k̂ = k/‖k‖,  log α = −exp(Rate)·softplus(a),  β = Scale·σ(b)
//	S ← α S (I − β k̂ k̂ᵀ) + β v k̂ᵀ,  o = S q̂
//
// where ‖x‖ = sqrt(|x|²+Eps).
type Delta struct {
	Seq        Sequences
	H, K, D    int // at least 1
	X          Vec // [rows, Width]: of each step the queries [H, K], the keys [H, K] and the values [H, D]
	A, B       Vec // [rows, H]
	Rate       Vec // [H]
	Scale, Eps float32

	Gates Vec // [rows, 4H]: of each step α, β, 1/(‖q‖√K) and 1/‖k‖, of all heads each
	// Saved [rows/DeltaEvery, H, K, D] keeps some states, transposed, so that the way back need not divide by α: in
	// entry r/DeltaEvery−1 that before the step in row r, where r is a multiple of DeltaEvery steps after the first.
	Saved Vec
}

// Width is the length of a row of X.
func (a Delta) Width() int { return a.H * (2*a.K + a.D) }

// Entry is the length of an entry of Saved.
func (a Delta) Entry() int { return a.H * a.K * a.D }

func (a Delta) also(k string) {
	if n := max(a.K, a.D); n > DeltaWidest {
		panic(fmt.Sprintf("backend: %s: a head has %d numbers, at most %d allowed", k, n, DeltaWidest))
	}
}

// flops is the work of that many products of a step's state by a vector, or of two vectors.
func (a Delta) flops(steps func(Sequences) int, products int) float64 {
	return product(steps(a.Seq), a.Entry(), products)
}

// DeltaForward runs the time loop of every covered sequence. It writes Gates in the rows of its steps, and Saved.
type DeltaForward struct {
	Delta
	O Vec // [rows, H, D], overwritten; 0 in a sequence's last row
}

func (a DeltaForward) flops(steps func(Sequences) int) float64 { return a.Delta.flops(steps, 3) }

// DeltaBackward is the backward pass of DeltaForward. What DO holds in a sequence's last row plays no part.
type DeltaBackward struct {
	Delta
	DX     Vec // [rows, Width], overwritten; 0 in a sequence's last row
	DA, DB Vec // [rows, H], overwritten; 0 in a sequence's last row
	DRate  Vec // [H], added to
	DO     Vec // [rows, H, D]
}

func (a DeltaBackward) flops(steps func(Sequences) int) float64 { return a.Delta.flops(steps, 9) }
