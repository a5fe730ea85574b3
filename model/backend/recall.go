package backend

// RecallForward reads chosen rows, each unit weighed by what the token in hand asks for:
// Out[p] = Gate[Token[p]] ⊙ State[Row[p]] (SPEC §2, memory: ζ).
type RecallForward struct {
	Out        Vec   // [P, 2N], overwritten
	State      Vec   // [·, 2N]
	Gate       Vec   // [V, N]
	Row, Token Index // [P]; Token[p] < V
	P, N, V    int
}

// Check panics on a shape that does not fit.
func (a RecallForward) Check() {
	const k = "RecallForward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	positive(k, "V", a.V)
	need(k, "Out", a.Out, 2*a.P*a.N)
	need(k, "State", a.State, 0)
	need(k, "Gate", a.Gate, a.V*a.N)
	needInts(k, "Row", a.Row, a.P)
	needInts(k, "Token", a.Token, a.P)
}

// On enqueues the call on b.
func (a RecallForward) On(b Backend) { b.RecallForward(a) }

// RecallBackward is the backward pass of RecallForward. No row of State is named twice.
type RecallBackward struct {
	DState     Vec // as State, added to in the named rows
	DGate      Vec // [V, N], optional, added to
	DOut       Vec // [P, 2N]
	State      Vec
	Gate       Vec // [V, N]
	Row, Token Index
	P, N, V    int
}

// Check panics on a shape that does not fit.
func (a RecallBackward) Check() {
	const k = "RecallBackward"
	positive(k, "P", a.P)
	positive(k, "N", a.N)
	positive(k, "V", a.V)
	need(k, "DState", a.DState, 0)
	maybe(k, "DGate", a.DGate, a.V*a.N)
	need(k, "DOut", a.DOut, 2*a.P*a.N)
	need(k, "State", a.State, 0)
	need(k, "Gate", a.Gate, a.V*a.N)
	needInts(k, "Row", a.Row, a.P)
	needInts(k, "Token", a.Token, a.P)
}

// On enqueues the call on b.
func (a RecallBackward) On(b Backend) { b.RecallBackward(a) }
