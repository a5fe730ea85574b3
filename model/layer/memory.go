package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Operand is what a layer computes with: a parameter, or, where Learned is None, numbers that stay as they are.
type Operand struct {
	Learned param.ID
	Fixed   backend.Vec
}

func (o Operand) value(c CSP) backend.Vec {
	if o.Learned == param.None {
		return o.Fixed
	}
	return c.P.Value(o.Learned)
}

// Memory is the memory of positions of block 1 (SPEC §2, memory): units that add up what the drive writes, each
// turning at its own rate, so that what stands at each position of the text can be read again.
type Memory struct {
	Psi, Omega, Zeta Operand // ψ [N], ω [N], ζ [V, N]
	N                int     // units
	Normalise        bool    // divide each unit by its length after every step (SPEC §10, norm-memory)

	// State is [rows, 2N], DState its gradient: cleared by BackwardStart, added to by every reader of the states.
	State, DState backend.Vec
	// Init is [B, 2N]: what the answers begin with, of HandOver. Read is [P, 2N], of Recall.
	Init, Read backend.Vec
	// DIn is [V, 2N]: the gradients of the drive's rows.
	DIn backend.Vec

	handed, steps                         backend.Index // rows of HandOver and their numbers of steps
	read, fed                             backend.Index // rows of Recall and the tokens in hand
	count                                 int           // of them
	bufState, bufDState, bufInit, bufRead Floats
	bufDIn                                Floats
}

func (m *Memory) slots(c CSP, d *Drive, seq backend.Sequences, at backend.Index) backend.Slots {
	return backend.Slots{
		Seq: seq, At: at, N: m.N, M: d.m, Omega: m.Omega.value(c), In: d.slots, State: m.State,
		Normalise: m.Normalise, Eps: Eps,
	}
}

// Reserve makes room for the states of rows arena rows.
func (m *Memory) Reserve(c CSP, rows int) { m.State = m.bufState.Get(c.B, 2*rows*m.N) }

// Forward runs the covered sequences from init, or zeros; with goOn from the state that each window's first row holds.
func (m *Memory) Forward(c CSP, d *Drive, seq backend.Sequences, at backend.Index, init backend.Vec, goOn bool) {
	c.K.SlotsForward(backend.SlotsForward{Slots: m.slots(c, d, seq, at), Init: init, Continue: goOn})
}

// HandOver winds the memory in the given rows, the prompts' last, back by their numbers of steps: Init.
func (m *Memory) HandOver(c CSP, row, steps backend.Index, count int) {
	m.handed, m.steps = row, steps
	m.Init = m.bufInit.Get(c.B, 2*count*m.N)
	c.K.TurnForward(backend.TurnForward{
		Out: m.Init, State: m.State, Row: row, Steps: steps, Psi: m.Psi.value(c), Omega: m.Omega.value(c), P: count,
		N: m.N,
	})
}

// Recall reads the given rows of the states, weighed by the token in hand: Read.
func (m *Memory) Recall(c CSP, row, fed backend.Index, count int) {
	m.read, m.fed, m.count = row, fed, count
	m.Read = m.bufRead.Get(c.B, 2*count*m.N)
	c.K.RecallForward(backend.RecallForward{
		Out: m.Read, State: m.State, Gate: m.Zeta.value(c), Row: row, Token: fed, P: count, N: m.N, V: m.tokens(c),
	})
}

// tokens is V.
func (m *Memory) tokens(c CSP) int { return m.Zeta.value(c).Len / m.N }

// BackwardStart clears the gradients of the states and of the drive's rows.
func (m *Memory) BackwardStart(c CSP, d *Drive) {
	m.DState, m.DIn = m.bufDState.Get(c.B, m.State.Len), m.bufDIn.Get(c.B, 2*d.m*m.N)
	c.B.Zero(m.DState)
	c.B.Zero(m.DIn)
}

// RecallBackward adds the gradients of ζ, where it is learned, and of the states, given that of Read.
func (m *Memory) RecallBackward(c CSP, dRead backend.Vec) {
	c.K.RecallBackward(backend.RecallBackward{
		DState: m.DState, DGate: c.P.Grad(m.Zeta.Learned), DOut: dRead, State: m.State, Gate: m.Zeta.value(c),
		Row: m.read, Token: m.fed, P: m.count, N: m.N, V: m.tokens(c),
	})
}

// HandOverBackward adds the gradients of ψ and ω, where they are learned, and of the prompts' last states, given that
// of Init for count samples.
func (m *Memory) HandOverBackward(c CSP, dInit backend.Vec, count int) {
	c.K.TurnBackward(backend.TurnBackward{
		DState: m.DState, DPsi: c.P.Grad(m.Psi.Learned), DOmega: c.P.Grad(m.Omega.Learned), DOut: dInit, Out: m.Init,
		Row: m.handed, Steps: m.steps, Psi: m.Psi.value(c), Omega: m.Omega.value(c), P: count, N: m.N,
	})
}

// Backward runs the covered sequences backwards; dInit, where given, receives the gradient of their first states.
func (m *Memory) Backward(c CSP, d *Drive, seq backend.Sequences, at backend.Index, dInit backend.Vec) {
	c.K.SlotsBackward(backend.SlotsBackward{
		Slots: m.slots(c, d, seq, at), DState: m.DState, TIn: m.DIn, DInit: dInit, DOmega: c.P.Grad(m.Omega.Learned),
	})
}

// Join lays rows of complex vectors side by side: a [rows, 2·an] and b [rows, 2·bn] become dst [rows, 2(an+bn)].
func Join(c CSP, dst, a backend.Vec, an int, b backend.Vec, bn, rows int) {
	planes(c, dst, an+bn, 0, a, an, 0, rows, an)
	planes(c, dst, an+bn, an, b, bn, 0, rows, bn)
}

// Part is the way back of Join.
func Part(c CSP, a backend.Vec, an int, b backend.Vec, bn int, src backend.Vec, rows int) {
	planes(c, a, an, 0, src, an+bn, 0, rows, an)
	planes(c, b, bn, 0, src, an+bn, an, rows, bn)
}
