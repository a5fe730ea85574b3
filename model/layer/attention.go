package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// Attention compares positions by learned Mahalanobis distances, accumulates them like a tree and fuses the heads
// (SPEC §§3–6).
type Attention struct {
	Factor, Rho, Fusion param.ID
	N, Heads            int
	Mode                backend.Fusion
	Tree                backend.Tree

	// O is the weighted sum of states: [Hi−Lo, 2N] with last, [rows, 2N] otherwise. DO is its gradient: zeroed by
	// BackwardStart, added to by the readers of O.
	O, DO backend.Vec

	last                                   bool
	factor, q                              backend.Vec
	bufFactor, bufDFactor, bufQ, bufDQ     Floats
	bufO, bufDO                            Floats
	bufDist, bufTree, bufFused, bufWeights Floats // of Matrices
}

func (a *Attention) args(c CSP, seq backend.Sequences, state backend.Vec) backend.Attention {
	return backend.Attention{
		Seq: seq, N: a.N, Heads: a.Heads, Last: a.last, Fusion: a.Mode, Tree: a.Tree,
		State: state, Q: a.q, Rho: c.P.Value(a.Rho), B: c.P.Value(a.Fusion),
	}
}

// Forward computes O from the states; with last only for each sequence's last position.
func (a *Attention) Forward(c CSP, seq backend.Sequences, state backend.Vec, last bool) {
	d, rows := a.N/a.Heads, seq.Rows
	a.factor, a.q, a.last = a.bufFactor.Get(c.B, a.Heads*d*d), a.bufQ.Get(c.B, 2*rows*a.N), last
	c.K.FactorForward(backend.FactorForward{Factor: a.factor, Raw: c.P.Value(a.Factor), Heads: a.Heads, D: d})
	c.K.ProjectForward(backend.ProjectForward{
		Q: a.q, State: state, Factor: a.factor, Rows: rows, N: a.N, Head: a.Heads,
	})
	if last {
		rows = seq.Hi - seq.Lo
	}
	a.O = a.bufO.Get(c.B, 2*rows*a.N)
	c.K.AttentionForward(backend.AttentionForward{Attention: a.args(c, seq, state), O: a.O})
}

// BackwardStart clears the gradient of O.
func (a *Attention) BackwardStart(c CSP) {
	a.DO = a.bufDO.Get(c.B, a.O.Len)
	c.B.Zero(a.DO)
}

// Backward adds the gradients of the states (to dState) and of the layer's parameters, given that of O in DO.
func (a *Attention) Backward(c CSP, seq backend.Sequences, state, dState backend.Vec) {
	d := a.N / a.Heads
	dq, dFactor := a.bufDQ.Get(c.B, 2*seq.Rows*a.N), a.bufDFactor.Get(c.B, a.Heads*d*d)
	c.K.AttentionBackward(backend.AttentionBackward{
		Attention: a.args(c, seq, state), DO: a.DO, DState: dState,
		DQ: dq, DRho: c.P.Grad(a.Rho), DB: c.P.Grad(a.Fusion),
	})
	c.K.ProjectBackward(backend.ProjectBackward{
		DState: dState, DFactor: dFactor, DQ: dq, State: state,
		Factor: a.factor, Rows: seq.Rows, N: a.N, Head: a.Heads,
	})
	c.K.FactorBackward(backend.FactorBackward{
		DRaw: c.P.Grad(a.Factor), DFactor: dFactor, Raw: c.P.Value(a.Factor), Heads: a.Heads, D: d,
	})
}

// Matrices are the dense matrices of one block, right-padded to T positions (FORMATS.md).
type Matrices struct{ Distance, Tree, Fusion, Weights backend.Vec }

// Matrices computes the dense matrices; the states must be those of the last Forward. The next call writes over them.
func (a *Attention) Matrices(c CSP, seq backend.Sequences, state backend.Vec, t int) Matrices {
	s := seq.Hi - seq.Lo
	square := func(f *Floats) backend.Vec { return f.Get(c.B, s*a.Heads*t*t) }
	m := Matrices{
		Distance: square(&a.bufDist), Tree: square(&a.bufTree), Weights: square(&a.bufWeights),
		Fusion: a.bufFused.Get(c.B, s*t*a.Heads*a.Heads),
	}
	c.K.AttentionMatrices(backend.AttentionMatrices{
		Attention: a.args(c, seq, state), T: t, Distance: m.Distance,
		TreeOut: m.Tree, FusedOut: m.Fusion, Weights: m.Weights,
	})
	return m
}
