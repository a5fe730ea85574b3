package backend

// RecallForward reads chosen rows, each unit weighed by what the token in hand asks for:
// Out[p] = Gate[Token[p]] ⊙ State[Row[p]] (SPEC §2, memory: ζ).
type RecallForward struct {
	Out        Vec   // [P, 2N], overwritten
	State      Vec   // [·, 2N]
	Gate       Vec   // [V, N]
	Row, Token Index // [P]; Token[p] < V
	P, N, V    int   // at least 1
}

// RecallBackward is the backward pass of RecallForward. No row of State is named twice.
type RecallBackward struct {
	DState     Vec   // as State, added to in the named rows
	DGate      Vec   // [V, N], optional, added to
	DOut       Vec   // [P, 2N]
	State      Vec   // as RecallForward read it
	Gate       Vec   // [V, N]
	Row, Token Index // [P]
	P, N, V    int   // at least 1
}
