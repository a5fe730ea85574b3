package backend

// Drive is what both directions of the drive read (SPEC §2): all that a step takes from its input alone, for M rows
// of u.
//
//	θ̄ = W_θ u + b_θ, V = u ⊙ e^{iπ·tanh θ̄}, R = W_B V, In = γ ⊙ R with γ = (1 + sin(W_γ u + b_γ))/2, W_δu u + b_δ
type Drive struct {
	U       Vec // [M, N]
	Weights DriveWeights
	M, N    int

	PreTheta Vec // [M, N]: θ̄
	PreGamma Vec // [M, N]: W_γ u + b_γ
	V        Vec // [M, 2N]
	R        Vec // [M, 2N]
}

// DriveWeights are the drive's parameters, or their gradients.
type DriveWeights struct {
	Theta, Gamma, Input, Delta      Vec // [N, N]: W_θ, W_γ, W_B, W_δu
	ThetaBias, GammaBias, DeltaBias Vec // [N]
}

func (d Drive) check(k, weights string) {
	positive(k, "M", d.M)
	positive(k, "N", d.N)
	need(k, "U", d.U, d.M*d.N)
	need(k, "PreTheta", d.PreTheta, d.M*d.N)
	need(k, "PreGamma", d.PreGamma, d.M*d.N)
	need(k, "V", d.V, 2*d.M*d.N)
	need(k, "R", d.R, 2*d.M*d.N)
	d.Weights.check(weights, d.N)
}

func (w DriveWeights) check(k string, n int) {
	need(k, "Theta", w.Theta, n*n)
	need(k, "Gamma", w.Gamma, n*n)
	need(k, "Input", w.Input, n*n)
	need(k, "Delta", w.Delta, n*n)
	need(k, "ThetaBias", w.ThetaBias, n)
	need(k, "GammaBias", w.GammaBias, n)
	need(k, "DeltaBias", w.DeltaBias, n)
}

// DriveForward writes PreTheta, PreGamma, V and R too, for DriveBackward. Rot, where given, is e^{iπ·tanh θ̄} for the
// first Turn units and 1 for the units that hold.
type DriveForward struct {
	Drive
	Rot    Vec // [M, 2N], optional, overwritten: cos|sin
	Turn   int
	In     Vec // [M, 2N], overwritten
	DeltaU Vec // [M, N], overwritten: W_δu u + b_δ
}

// Check panics on a shape that does not fit.
func (a DriveForward) Check() {
	const k = "DriveForward"
	a.check(k, k+".Weights")
	if a.Turn < 0 || a.Turn > a.N {
		panic("backend: DriveForward.Turn is outside 0..N")
	}
	maybe(k, "Rot", a.Rot, 2*a.M*a.N)
	need(k, "In", a.In, 2*a.M*a.N)
	need(k, "DeltaU", a.DeltaU, a.M*a.N)
}

// On enqueues the call on b.
func (a DriveForward) On(b Backend) { b.DriveForward(a) }

func (a DriveForward) flops(func(Sequences) int) float64 { return 5 * product(a.M, a.N, a.N) }

// DriveBackward adds the gradients of the weights and writes that of U. DTheta is the gradient of the token's angle
// π·tanh θ̄ where the state turned by it or by a multiple of it, or, with StateTheta, that of the pre-activation of an
// angle, to which θ̄ was added.
type DriveBackward struct {
	Drive
	Grads      DriveWeights // added to
	DU         Vec          // [M, N], overwritten
	DDelta     Vec          // [M, N]: gradient of DeltaU
	DTheta     Vec          // [M, N]
	DIn        Vec          // [M, 2N]
	StateTheta bool
}

// Check panics on a shape that does not fit.
func (a DriveBackward) Check() {
	const k = "DriveBackward"
	a.check(k, k+".Weights")
	a.Grads.check(k+".Grads", a.N)
	need(k, "DU", a.DU, a.M*a.N)
	need(k, "DDelta", a.DDelta, a.M*a.N)
	need(k, "DTheta", a.DTheta, a.M*a.N)
	need(k, "DIn", a.DIn, 2*a.M*a.N)
}

// On enqueues the call on b.
func (a DriveBackward) On(b Backend) { b.DriveBackward(a) }

func (a DriveBackward) flops(func(Sequences) int) float64 { return 10 * product(a.M, a.N, a.N) }
