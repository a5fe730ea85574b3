package backend

// Activation is an elementwise function between two layers.
type Activation int

// The functions, Φ(x) = (1 + erf(x/√2))/2 (the exact form, not the one with tanh), σ(x) = 1/(1 + e^−x).
const (
	ReLU Activation = iota // max(x, 0)
	GELU                   // x Φ(x)
	SiLU                   // x σ(x)
)

// ActivateForward is Y = f(X), or Y = f(X) ⊙ Times, which is SwiGLU where f is SiLU (SPEC §13). With Add, Y gains it.
type ActivateForward struct {
	Y     Vec // [P, N], overwritten; added to with Add
	X     Vec // [P, N]
	Times Vec // [P, N], optional
	P, N  int
	F     Activation
	Add   bool
}

// ActivateBackward is the backward pass of ActivateForward: DX = DY ⊙ Times ⊙ f′(X), DTimes = DY ⊙ f(X). The slope of
// ReLU at 0 is 0.
type ActivateBackward struct {
	DX     Vec // [P, N], overwritten
	DTimes Vec // [P, N], overwritten; given with Times
	DY     Vec // [P, N]
	X      Vec // [P, N]
	Times  Vec // [P, N], optional
	P, N   int
	F      Activation
}

func (f Activation) check(kernel string) {
	if f < ReLU || f > SiLU {
		panic("backend: " + kernel + ".F is no activation")
	}
}
