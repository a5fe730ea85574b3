package backend

// ProjectForward maps states into each head's metric space (SPEC §3): Q^(k) = Λ_kᵀ h^(k), both planes.
type ProjectForward struct {
	Q             Vec // [Rows, 2N], overwritten
	State         Vec // [Rows, 2N]
	Factor        Vec // [H, d, d]
	Rows, N, Head int // Head: number of heads; d = N/Head
}

// Check panics on a shape that does not fit.
func (a ProjectForward) Check() {
	const k = "ProjectForward"
	checkHeads(k, a.N, a.Head)
	need(k, "Q", a.Q, 2*a.Rows*a.N)
	need(k, "State", a.State, 2*a.Rows*a.N)
	need(k, "Factor", a.Factor, a.N*a.N/a.Head)
}

// On enqueues the call on b.
func (a ProjectForward) On(b Backend) { b.ProjectForward(a) }

func (a ProjectForward) flops(func(Sequences) int) float64 { return product(2*a.Rows, a.N, a.N/a.Head) }

// ProjectBackward adds Λ_k·DQ^(k) to DState and overwrites DFactor (lower triangle; zeros above).
type ProjectBackward struct {
	DState        Vec // [Rows, 2N], added to
	DFactor       Vec // [H, d, d], overwritten
	DQ            Vec // [Rows, 2N]
	State         Vec // [Rows, 2N]
	Factor        Vec // [H, d, d]
	Rows, N, Head int
}

// Check panics on a shape that does not fit.
func (a ProjectBackward) Check() {
	const k = "ProjectBackward"
	checkHeads(k, a.N, a.Head)
	need(k, "DState", a.DState, 2*a.Rows*a.N)
	need(k, "DFactor", a.DFactor, a.N*a.N/a.Head)
	need(k, "DQ", a.DQ, 2*a.Rows*a.N)
	need(k, "State", a.State, 2*a.Rows*a.N)
	need(k, "Factor", a.Factor, a.N*a.N/a.Head)
}

// On enqueues the call on b.
func (a ProjectBackward) On(b Backend) { b.ProjectBackward(a) }

func (a ProjectBackward) flops(func(Sequences) int) float64 {
	return 2 * product(2*a.Rows, a.N, a.N/a.Head)
}
