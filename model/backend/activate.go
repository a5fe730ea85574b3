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

// Check panics on a shape that does not fit.
func (a ActivateForward) Check() {
	const k = "ActivateForward"
	a.F.check(k)
	need(k, "Y", a.Y, a.P*a.N)
	need(k, "X", a.X, a.P*a.N)
	maybe(k, "Times", a.Times, a.P*a.N)
}

// On enqueues the call on b.
func (a ActivateForward) On(b Backend) { b.(Baseline).ActivateForward(a) }

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

// Check panics on a shape that does not fit.
func (a ActivateBackward) Check() {
	const k = "ActivateBackward"
	a.F.check(k)
	need(k, "DX", a.DX, a.P*a.N)
	need(k, "DY", a.DY, a.P*a.N)
	need(k, "X", a.X, a.P*a.N)
	if a.Times.Given() {
		need(k, "Times", a.Times, a.P*a.N)
		need(k, "DTimes", a.DTimes, a.P*a.N)
	}
}

// On enqueues the call on b.
func (a ActivateBackward) On(b Backend) { b.(Baseline).ActivateBackward(a) }

func (f Activation) check(kernel string) {
	if f < ReLU || f > SiLU {
		panic("backend: " + kernel + ".F is no activation")
	}
}
