package backend

// TurnForward turns chosen rows, each unit by an angle that grows with a number of steps:
// Out[p] = e^{i(Psi + Steps[p]·Omega)} ⊙ State[Row[p]]. It hands the memory of positions from the prompt to the answer
// (SPEC §2, memory): the turn winds it back to the first token.
type TurnForward struct {
	Out        Vec   // [P, 2N], overwritten
	State      Vec   // [·, 2N]
	Row, Steps Index // [P]
	Psi, Omega Vec   // [N]
	P, N       int   // at least 1
}

// TurnBackward is the backward pass of TurnForward. No row of State is named twice.
type TurnBackward struct {
	DState     Vec   // as State, added to in the named rows
	DPsi       Vec   // [N], optional, added to
	DOmega     Vec   // [N], optional, added to
	DOut       Vec   // [P, 2N]
	Out        Vec   // [P, 2N], as TurnForward wrote it
	Row, Steps Index // [P]
	Psi, Omega Vec   // [N]
	P, N       int   // at least 1
}
