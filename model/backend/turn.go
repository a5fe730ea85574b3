package backend

// TurnForward turns chosen rows, each unit by an angle that grows with a number of steps:
// Out[p] = e^{i(Psi + Steps[p]·Omega)} ⊙ State[Row[p]]. It hands the memory of positions from the prompt to the answer
// (SPEC §2, memory): the turn winds it back to the first token.
type TurnForward struct {
	Out        Vec   // [P, 2N], overwritten
	State      Vec   // [·, 2N]
	Row, Steps Index // [P]
	Psi, Omega Vec   // [N]
	P, N       int
}

// Check panics on a shape that does not fit.
func (a TurnForward) Check() {
	const k = "TurnForward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	need(k, "Out", a.Out, 2*a.P*a.N)
	need(k, "State", a.State, 0)
	needInts(k, "Row", a.Row, a.P)
	needInts(k, "Steps", a.Steps, a.P)
	need(k, "Psi", a.Psi, a.N)
	need(k, "Omega", a.Omega, a.N)
}

// On enqueues the call on b.
func (a TurnForward) On(b Backend) { b.TurnForward(a) }

// TurnBackward is the backward pass of TurnForward. No row of State is named twice.
type TurnBackward struct {
	DState     Vec // as State, added to in the named rows
	DPsi       Vec // [N], optional, added to
	DOmega     Vec // [N], optional, added to
	DOut       Vec // [P, 2N]
	Out        Vec // [P, 2N], as TurnForward wrote it
	Row, Steps Index
	Psi, Omega Vec // [N]
	P, N       int
}

// Check panics on a shape that does not fit.
func (a TurnBackward) Check() {
	const k = "TurnBackward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	need(k, "DState", a.DState, 0)
	maybe(k, "DPsi", a.DPsi, a.N)
	maybe(k, "DOmega", a.DOmega, a.N)
	need(k, "DOut", a.DOut, 2*a.P*a.N)
	need(k, "Out", a.Out, 2*a.P*a.N)
	needInts(k, "Row", a.Row, a.P)
	needInts(k, "Steps", a.Steps, a.P)
	need(k, "Psi", a.Psi, a.N)
	need(k, "Omega", a.Omega, a.N)
}

// On enqueues the call on b.
func (a TurnBackward) On(b Backend) { b.TurnBackward(a) }
