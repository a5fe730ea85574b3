package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Recurrence is the time loop of one block (SPEC §2) over a Drive.
type Recurrence struct {
	DeltaH, ThetaH param.ID // ThetaH None: theta token
	ThetaHBias     param.ID // None but for theta product
	N, Turn        int
	Normalise      bool
	Bound          float32 // of the gradient of a unit's state, 0: none (SPEC §8, state_clip)

	// State is [rows, 2N], DState its gradient: zeroed by BackwardStart, added to by every reader of the states.
	State, DState backend.Vec

	rows                                            int
	alpha, inv, theta                               backend.Vec
	wTheta                                          backend.Vec // [N, 2N]; not given: theta token
	dDelta, dTheta, dIn                             backend.Vec // by row; of theta product dTheta has two halves
	tDelta, tTheta, tIn                             backend.Vec // by drive row
	bufState, bufAlpha, bufInv, bufTheta, bufDState Floats
	bufDDelta, bufDTheta, bufDIn, bufTable          Floats
	bufWTheta                                       Floats
}

// Reserve makes room for the states of rows arena rows.
func (r *Recurrence) Reserve(c CSP, rows int) {
	n := r.N
	r.rows = rows
	r.State = r.bufState.Get(c.B, 2*rows*n)
	r.alpha, r.inv = r.bufAlpha.Get(c.B, rows*n), r.bufInv.Get(c.B, rows*n)
	if r.ThetaH == param.None {
		return
	}
	r.theta = r.bufTheta.Get(c.B, rows*n)
	r.wTheta = c.P.Value(r.ThetaH)
	if c.P.Tensors[r.ThetaH].Shape[0] < r.N { // the kernel wants as many rows as units, and reads those that turn
		r.wTheta = r.bufWTheta.Get(c.B, 2*n*n)
		c.B.Copy(r.wTheta.Slice(0, c.P.Value(r.ThetaH).Len), c.P.Value(r.ThetaH))
	}
}

func (r *Recurrence) cell(c CSP, d *Drive, seq backend.Sequences, at backend.Index) backend.Cell {
	return backend.Cell{
		Seq: seq, At: at, N: r.N, Turn: r.Turn, M: d.m,
		In: d.core.in, DeltaU: d.core.du, Rot: d.core.rot, Pre: d.core.theta,
		WDelta: c.P.Value(r.DeltaH), WTheta: r.wTheta, Steer: c.P.Value(r.ThetaHBias), Normalise: r.Normalise,
		Eps: Eps, State: r.State, Alpha: r.alpha, Inv: r.inv, Theta: r.theta,
	}
}

// Forward runs the covered sequences from init ([Hi−Lo, 2N], or zeros where not given); with goOn from the state
// that the first row of each window holds.
func (r *Recurrence) Forward(c CSP, d *Drive, seq backend.Sequences, at backend.Index, init backend.Vec, goOn bool) {
	c.K.RecurrenceForward(backend.RecurrenceForward{Cell: r.cell(c, d, seq, at), Init: init, Continue: goOn})
}

// BackwardStart clears the states' gradient. tabled, the same at every call: the steps share d's rows (tokens), so the
// gradients of the drive are summed by drive row; otherwise every step has its own.
func (r *Recurrence) BackwardStart(c CSP, d *Drive, tabled bool) {
	n := r.N
	r.DState = r.bufDState.Get(c.B, 2*r.rows*n)
	c.B.Zero(r.DState)
	r.dDelta = r.bufDDelta.Get(c.B, r.rows*n)
	switch {
	case r.ThetaHBias != param.None:
		r.dTheta = r.bufDTheta.Get(c.B, 2*aligned(r.rows*n))
	case !tabled || r.ThetaH != param.None:
		r.dTheta = r.bufDTheta.Get(c.B, r.rows*n)
	}
	if !tabled {
		r.dIn = r.bufDIn.Get(c.B, 2*r.rows*n)
		return
	}
	size, room := d.m*n, aligned(d.m*n)
	table := r.bufTable.Get(c.B, 2*room+2*size)
	c.B.Zero(table)
	r.tDelta, r.tTheta, r.tIn = table.Slice(0, size), table.Slice(room, size), table.Slice(2*room, 2*size)
}

// Backward runs the covered sequences backwards; dInit, where given, receives the gradient of their first states.
func (r *Recurrence) Backward(c CSP, d *Drive, seq backend.Sequences, at backend.Index, dInit backend.Vec) {
	c.K.RecurrenceBackward(backend.RecurrenceBackward{
		Cell: r.cell(c, d, seq, at), DState: r.DState, DDelta: r.dDelta, DTheta: r.dTheta, DIn: r.dIn,
		TDelta: r.tDelta, TTheta: r.tTheta, TIn: r.tIn, DInit: dInit, Bound: r.Bound,
	})
}

// BackwardWeights adds the gradients of the recurrent weights, one product over all rows, and hands
// the rest to the drive, with those of the rows that its memory read (slots, where it has one). du
// receives the gradient of the drive's input.
func (r *Recurrence) BackwardWeights(c CSP, d *Drive, du, slots backend.Vec) {
	c.linearWeight(r.dDelta, r.State, r.DeltaH, param.None, r.rows)
	if r.ThetaH != param.None && r.Turn > 0 { // units that hold have no gradient
		c.B.MatMulWeight(backend.MatMulWeight{
			DW: c.P.Grad(r.ThetaH), DBias: c.P.Grad(r.ThetaHBias), DY: r.dTheta, X: r.State, M: r.rows, N: r.Turn,
			K: 2 * r.N, Width: r.N,
		})
	}
	g := driveRows{in: r.tIn, du: r.tDelta, theta: r.tTheta}
	if r.dIn.Given() { // not summed
		g = driveRows{in: r.dIn, du: r.dDelta, theta: r.dTheta}
		if r.ThetaHBias != param.None {
			g.theta = r.dTheta.Slice(r.dTheta.Len/2, r.rows*r.N)
		}
	}
	d.Backward(c, du, g, slots)
}
