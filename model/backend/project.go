package backend

// ProjectForward maps states into each head's metric space (SPEC §3): Q^(k) = Λ_kᵀ h^(k), both planes.
type ProjectForward struct {
	Q             Vec // [Rows, 2N], overwritten
	State         Vec // [Rows, 2N]
	Factor        Vec // [H, d, d]
	Rows, N, Head int // Head: number of heads; d = N/Head
}

func (a ProjectForward) also(k string) { checkHeads(k, a.N, a.Head) }

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

func (a ProjectBackward) also(k string) { checkHeads(k, a.N, a.Head) }

func (a ProjectBackward) flops(func(Sequences) int) float64 {
	return 2 * product(2*a.Rows, a.N, a.N/a.Head)
}
