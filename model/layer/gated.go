package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Gated is a layer of an LSTM, or of a GRU (SPEC §13): what its gates take from the inputs is one product outside of
// the time loop. Steps may share an input, as those of one token do, or have one each.
type Gated struct {
	Input, Hidden, Bias param.ID // [GN, W], [GN, N], [GN], G gates
	N                   int
	Reset               bool // a GRU: G = 3; else an LSTM: G = 4

	// State is [rows, N], DState its gradient: zeroed by BackwardStart, added to by every reader of the states, or
	// overwritten by the only one.
	State, DState backend.Vec

	seq                   backend.Sequences
	at                    backend.Index
	inputs                Linear
	memory, gates, dTable backend.Vec // memory: a GRU's Hidden

	bufState, bufMemory, bufGates      Floats
	bufDState, bufDTable, bufCandidate Floats
}

// width is the numbers of all gates.
func (g *Gated) width(c Baseline) int { return c.P.Tensors[g.Bias].Len }

// Forward runs the sequences; at [rows] names for each step the row of x [m, W] that it reads.
func (g *Gated) Forward(c Baseline, x backend.Vec, m int, seq backend.Sequences, at backend.Index) {
	g.seq, g.at = seq, at
	g.inputs.Weight, g.inputs.Bias = g.Input, g.Bias
	g.inputs.Forward(c.Context, x, m)
	g.State = g.bufState.Get(c.B, seq.Rows*g.N)
	g.gates = g.bufGates.Get(c.B, seq.Rows*g.width(c))
	g.memory = g.bufMemory.Get(c.B, seq.Rows*g.N)
	if g.Reset {
		c.K.GRUForward(backend.GRUForward{GRUCell: g.gru(c)})
		return
	}
	c.K.LSTMForward(backend.LSTMForward{LSTMCell: g.lstm(c)})
}

func (g *Gated) lstm(c Baseline) backend.LSTMCell {
	return backend.LSTMCell{Seq: g.seq, At: g.at, N: g.N, M: g.inputs.m, Pre: g.inputs.Y, W: c.P.Value(g.Hidden),
		State: g.State, Memory: g.memory, Gates: g.gates}
}

func (g *Gated) gru(c Baseline) backend.GRUCell {
	return backend.GRUCell{Seq: g.seq, At: g.at, N: g.N, M: g.inputs.m, Pre: g.inputs.Y, U: c.P.Value(g.Hidden),
		State: g.State, Gates: g.gates, Hidden: g.memory}
}

// BackwardStart clears what the gradients are added to. shared: several steps may read one row of x; written: the
// states' reader overwrites their gradient, but for the first row's.
func (g *Gated) BackwardStart(c Baseline, shared, written bool) {
	g.DState = g.bufDState.Get(c.B, g.seq.Rows*g.N)
	if written {
		c.B.Zero(g.DState.Slice(0, g.N))
	} else {
		c.B.Zero(g.DState)
	}
	if g.dTable = (backend.Vec{}); shared {
		g.dTable = g.bufDTable.Get(c.B, g.inputs.m*g.width(c))
		c.B.Zero(g.dTable)
	}
}

// Backward adds the parameters' gradients and writes that of x to dx [m, W].
func (g *Gated) Backward(c Baseline, dx backend.Vec) {
	rows, width := g.seq.Rows, g.width(c)
	if g.Reset {
		c.K.GRUBackward(backend.GRUBackward{GRUCell: g.gru(c), DState: g.DState})
		g.backwardHidden(c)
	} else {
		c.K.LSTMBackward(backend.LSTMBackward{LSTMCell: g.lstm(c), DState: g.DState})
		c.linearWeight(g.gates, g.State, g.Hidden, param.None, rows)
	}
	d := g.gates // the backward pass left the gradients there
	if g.dTable.Given() {
		c.K.RowSum(backend.RowSum{Dst: g.dTable, Src: d, At: g.at, P: rows, N: width, M: g.inputs.m})
		d = g.dTable
	}
	g.inputs.Backward(c.Context, dx, d)
}

// backwardHidden adds the gradient of a GRU's U. That of its last part has an aligned place of its own first.
func (g *Gated) backwardHidden(c Baseline) {
	rows, n, part := g.seq.Rows, g.N, g.N*g.N
	c.B.MatMulWeight(backend.MatMulWeight{
		DW: c.P.Grad(g.Hidden).Slice(0, 2*part), DY: g.gates, X: g.State, M: rows, K: n, N: 2 * n, Width: 3 * n,
	})
	candidate := g.bufCandidate.Get(c.B, part)
	c.B.Zero(candidate)
	c.B.MatMulWeight(backend.MatMulWeight{DW: candidate, DY: g.memory, X: g.State, M: rows, K: n, N: n})
	c.B.Columns(backend.Columns{
		Dst: c.P.Grad(g.Hidden), Src: candidate, M: 1, N: part, DstWidth: 3 * part, DstFrom: 2 * part, SrcWidth: part,
		Add: true,
	})
}
