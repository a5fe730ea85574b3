package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Recurrence is the time loop of one block (SPEC §2) over a Drive.
type Recurrence struct {
	DeltaH, ThetaH param.ID // ThetaH None: theta token
	N, Turn        int
	Normalise      bool

	// State is [rows, 2N], DState its gradient: zeroed by BackwardStart, added to by every reader of the states.
	State, DState backend.Vec

	rows                                            int
	alpha, inv, theta                               backend.Vec
	dDelta, dTheta, dIn                             backend.Vec
	bufState, bufAlpha, bufInv, bufTheta, bufDState Floats
	bufDDelta, bufDTheta, bufDIn                    Floats
}

// Reserve makes room for the states of rows arena rows.
func (r *Recurrence) Reserve(c Context, rows int) {
	n := r.N
	r.rows = rows
	r.State = r.bufState.Get(c.B, 2*rows*n)
	r.alpha, r.inv = r.bufAlpha.Get(c.B, rows*n), r.bufInv.Get(c.B, rows*n)
	if r.ThetaH != None {
		r.theta = r.bufTheta.Get(c.B, rows*n)
	}
}

func (r *Recurrence) cell(c Context, d *Drive, seq backend.Sequences, at backend.Index) backend.Cell {
	cell := backend.Cell{
		Seq: seq, At: at, N: r.N, Turn: r.Turn, M: d.m, In: d.in, DeltaU: d.du, Rot: d.rot, Pre: d.preTheta,
		WDelta: c.P.Value(r.DeltaH), Normalise: r.Normalise, Eps: Eps,
		State: r.State, Alpha: r.alpha, Inv: r.inv, Theta: r.theta,
	}
	if r.ThetaH != None {
		cell.WTheta = c.P.Value(r.ThetaH)
	}
	return cell
}

// Forward runs the covered sequences from init ([Hi−Lo, 2N], or zeros where not given); with goOn from the state
// that the first row of each window holds.
func (r *Recurrence) Forward(c Context, d *Drive, seq backend.Sequences, at backend.Index, init backend.Vec, goOn bool) {
	c.B.RecurrenceForward(backend.RecurrenceForward{Cell: r.cell(c, d, seq, at), Init: init, Continue: goOn})
}

// BackwardStart clears the states' gradient.
func (r *Recurrence) BackwardStart(c Context) {
	n := r.N
	r.DState = r.bufDState.Get(c.B, 2*r.rows*n)
	r.dDelta, r.dTheta = r.bufDDelta.Get(c.B, r.rows*n), r.bufDTheta.Get(c.B, r.rows*n)
	r.dIn = r.bufDIn.Get(c.B, 2*r.rows*n)
	c.B.Zero(r.DState)
}

// Backward runs the covered sequences backwards; dInit, where given, receives the gradient of their first states.
func (r *Recurrence) Backward(c Context, d *Drive, seq backend.Sequences, at backend.Index, dInit backend.Vec) {
	c.B.RecurrenceBackward(backend.RecurrenceBackward{
		Cell: r.cell(c, d, seq, at), DState: r.DState, DDelta: r.dDelta, DTheta: r.dTheta, DIn: r.dIn, DInit: dInit,
	})
}

// BackwardWeights adds the gradients of the recurrent weights, one product over all rows, and hands the rest to
// the drive: by table where at is given, row by row otherwise. du receives the gradient of the drive's input.
func (r *Recurrence) BackwardWeights(c Context, d *Drive, du backend.Vec, at backend.Index) {
	c.linearWeight(r.dDelta, r.State, r.DeltaH, None, r.rows)
	if r.ThetaH != None {
		c.linearWeight(r.dTheta, r.State, r.ThetaH, None, r.rows)
	}
	if at != nil {
		d.BackwardTable(c, du, r.dDelta, r.dTheta, r.dIn, at, r.rows)
		return
	}
	d.Backward(c, du, r.dDelta, r.dTheta, r.dIn)
}
