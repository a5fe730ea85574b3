package backend

// Drive is what both directions of the drive read (SPEC §2): all that a step takes from its input alone, for M rows of u.
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

// DriveForward writes PreTheta, PreGamma, V and R too, for DriveBackward. Rot is as in AngleForward.
type DriveForward struct {
	Drive
	Rot    Vec // [M, 2N], optional, overwritten
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

// DriveBackward adds the gradients of the weights and writes that of U. DTheta is the gradient of the angle that the
// state turned by, or, with StateTheta, that of the pre-activation of such an angle, to which θ̄ was added.
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

// Separately makes the pass of the other kernels of b: for a backend that has none of its own for it.
func (a DriveForward) Separately(b Backend) {
	m, n, w := a.M, a.N, a.Weights
	layer := func(y, x, weight, bias Vec, rows int) {
		b.MatMul(MatMul{Y: y, X: x, W: weight, Bias: bias, M: rows, K: n, N: n})
	}
	layer(a.PreTheta, a.U, w.Theta, w.ThetaBias, m)
	layer(a.PreGamma, a.U, w.Gamma, w.GammaBias, m)
	layer(a.DeltaU, a.U, w.Delta, w.DeltaBias, m)
	b.AngleForward(AngleForward{V: a.V, Rot: a.Rot, Pre: a.PreTheta, U: a.U, M: m, N: n, Turn: a.Turn})
	layer(a.R, a.V, w.Input, Vec{}, 2*m) // W_B acts on each plane: 2m rows of N
	b.GateForward(GateForward{In: a.In, Pre: a.PreGamma, R: a.R, M: m, N: n})
}

// DriveScratch is what DriveBackward.Separately keeps between its kernels: memory of the backend that it is used with,
// which grows to the largest call.
type DriveScratch struct{ dTheta, dGamma, dR, dV Buffer }

func scratch(b Backend, buf *Buffer, n int) Vec {
	if *buf == nil || (*buf).Len() < n {
		if *buf != nil {
			(*buf).Release()
		}
		*buf = b.Floats(n + n/4)
	}
	return Vec{Buf: *buf, Len: n}
}

// Release frees the memory.
func (s *DriveScratch) Release() {
	for _, buf := range []Buffer{s.dTheta, s.dGamma, s.dR, s.dV} {
		if buf != nil {
			buf.Release()
		}
	}
	*s = DriveScratch{}
}

// Separately makes the pass of the other kernels of b, with memory of b's that is kept in s.
func (a DriveBackward) Separately(b Backend, s *DriveScratch) {
	m, n, w, g := a.M, a.N, a.Weights, a.Grads
	dTheta, dGamma := scratch(b, &s.dTheta, m*n), scratch(b, &s.dGamma, m*n)
	dR, dV := scratch(b, &s.dR, 2*m*n), scratch(b, &s.dV, 2*m*n)
	weight := func(dw, bias, dy, x Vec, rows int) {
		b.MatMulWeight(MatMulWeight{DW: dw, DBias: bias, DY: dy, X: x, M: rows, K: n, N: n})
	}
	input := func(dx, dy, weight Vec, rows int, add bool) {
		b.MatMulInput(MatMulInput{DX: dx, DY: dy, W: weight, M: rows, K: n, N: n, Accumulate: add})
	}
	b.GateBackward(GateBackward{DPre: dGamma, DR: dR, DIn: a.DIn, Pre: a.PreGamma, R: a.R, M: m, N: n})
	weight(g.Input, Vec{}, dR, a.V, 2*m)
	input(dV, dR, w.Input, 2*m, false)
	angle := AngleBackward{DPre: dTheta, DU: a.DU, DV: dV, Pre: a.PreTheta, U: a.U, M: m, N: n}
	if a.StateTheta {
		b.Copy(dTheta, a.DTheta.Slice(0, m*n))
		angle.AddPre = true
	} else {
		angle.DTheta = a.DTheta
	}
	b.AngleBackward(angle)
	weight(g.Theta, g.ThetaBias, dTheta, a.U, m)
	weight(g.Gamma, g.GammaBias, dGamma, a.U, m)
	weight(g.Delta, g.DeltaBias, a.DDelta, a.U, m)
	input(a.DU, dTheta, w.Theta, m, true)
	input(a.DU, dGamma, w.Gamma, m, true)
	input(a.DU, a.DDelta, w.Delta, m, true)
}
