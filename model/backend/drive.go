package backend

// Drive is what both directions of the drive read (SPEC §2): all that a step takes from its input alone, for M rows
// of u.
//
//	θ̄ = W_θ u + b_θ, V = u ⊙ e^{iπ·tanh θ̄}, R = W_B V, In = γ ⊙ R with γ = (1 + sin(W_γ u + b_γ))/2, W_δu u + b_δ
type Drive struct {
	U       Vec // [M, N]
	Weights DriveWeights
	M, N    int // at least 1

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

// DriveForward writes PreTheta, PreGamma, V and R too, for DriveBackward. Rot, where given, is e^{iπ·tanh θ̄} for the
// first Turn units and 1 for the units that hold.
type DriveForward struct {
	Drive
	Rot    Vec // [M, 2N], optional, overwritten: cos|sin
	Turn   int
	In     Vec // [M, 2N], overwritten
	DeltaU Vec // [M, N], overwritten: W_δu u + b_δ
}

func (a DriveForward) also(k string) {
	if a.Turn < 0 || a.Turn > a.N {
		panic("backend: " + k + ".Turn is outside 0..N")
	}
}

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

func (a DriveBackward) flops(func(Sequences) int) float64 { return 10 * product(a.M, a.N, a.N) }
