package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// unitEps keeps the length of a query or a key above 0 (SPEC §13).
const unitEps = 1e-6

// SwiGLU is Down(SiLU(Gate x) ⊙ Up x) (SPEC §13, gdn).
type SwiGLU struct {
	Up, Gate, Down Linear // [M, W], [M, W], [W, M]
	Back           *SwiGLUBack

	between    backend.Vec
	bufBetween Floats
}

// SwiGLUBack is memory of the way back, which the layers of all blocks share.
type SwiGLUBack struct{ gate, up, between Floats }

// Forward computes Down.Y, [m, W], for m rows of x.
func (l *SwiGLU) Forward(c Baseline, x backend.Vec, m int) {
	n := c.P.Tensors[l.Up.Weight].Shape[0]
	l.between = l.bufBetween.Get(c.B, m*n)
	l.Gate.Forward(c.Context, x, m)
	l.Up.Forward(c.Context, x, m)
	c.K.ActivateForward(backend.ActivateForward{Y: l.between, X: l.Gate.Y, Times: l.Up.Y, P: m, N: n, F: backend.SiLU})
	l.Down.Forward(c.Context, l.between, m)
}

// Backward writes the gradient of x to dx, given that of Down.Y.
func (l *SwiGLU) Backward(c Baseline, dx, dy backend.Vec) {
	m, n := l.Up.m, c.P.Tensors[l.Up.Weight].Shape[0]
	dgate, dup, dbetween := l.Back.gate.Get(c.B, m*n), l.Back.up.Get(c.B, m*n), l.Back.between.Get(c.B, m*n)
	l.Down.Backward(c.Context, dbetween, dy)
	c.K.ActivateBackward(backend.ActivateBackward{
		DX: dgate, DTimes: dup, DY: dbetween, X: l.Gate.Y, Times: l.Up.Y, P: m, N: n, F: backend.SiLU,
	})
	l.Gate.Backward(c.Context, dx, dgate)
	l.Up.BackwardAdd(c.Context, dx, dup)
}

// Delta is the mixer of gdn: queries, keys and values by a product and a short convolution each, the gated delta rule,
// and a gate on what it gives (SPEC §13).
type Delta struct {
	Heads, Keys, Values int         // heads; numbers in a key and in a value of one
	Range               float32     // s, which β stays below
	Project             [3]Linear   // to queries, keys and values: [channels, W]
	Convolution         [3]param.ID // of each: [channels, ConvTaps]
	Beta, Decay         Linear      // [Heads, W]; Decay is W_α and b
	Rate                param.ID    // [Heads]: A
	Gate, Output        Linear      // [Heads·Values, W], [W, Heads·Values]
	Norm                Norm        // of each head's output
	Back                *DeltaBack

	between                                    backend.Vec
	rule                                       backend.Delta
	bufBetween, bufX, bufGates, bufSaved, bufO Floats
}

// DeltaBack is memory of the way back, which the mixers of all blocks share.
type DeltaBack struct{ between, gate, o, wide, a, b, projected Floats }

// channels are those of queries, keys or values.
func (l *Delta) channels(i int) int { return [...]int{l.Keys, l.Keys, l.Values}[i] * l.Heads }

// convolution is that of queries, keys or values: its result is a block of the rule's columns.
func (l *Delta) convolution(c Baseline, i int) backend.Conv {
	return backend.Conv{
		Seq: l.rule.Seq, N: l.channels(i), X: l.Project[i].Y, Weight: c.P.Value(l.Convolution[i]),
		Width: l.rule.Width(), From: i * l.channels(0),
	}
}

// Forward computes Output.Y, [rows, W], for all rows of x, along the sequences.
func (l *Delta) Forward(c Baseline, x backend.Vec, seq backend.Sequences) {
	rows, all := seq.Rows, l.Heads*l.Values
	l.Decay.Forward(c.Context, x, rows)
	l.Beta.Forward(c.Context, x, rows)
	r := backend.Delta{
		Seq: seq, H: l.Heads, K: l.Keys, D: l.Values, Rate: c.P.Value(l.Rate), Scale: l.Range, Eps: unitEps,
		A: l.Decay.Y, B: l.Beta.Y, Gates: l.bufGates.Get(c.B, 4*rows*l.Heads),
	}
	r.X = l.bufX.Get(c.B, rows*r.Width())
	r.Saved = l.bufSaved.Get(c.B, rows/backend.DeltaEvery*r.Entry())
	l.rule = r
	for i := range l.Project {
		l.Project[i].Forward(c.Context, x, rows)
		c.K.ConvForward(backend.ConvForward{Conv: l.convolution(c, i), Y: r.X})
	}
	o := l.bufO.Get(c.B, rows*all)
	c.K.DeltaForward(backend.DeltaForward{Delta: r, O: o})
	l.Norm.Forward(c, o, backend.Vec{}, rows*l.Heads)
	l.between = l.bufBetween.Get(c.B, rows*all)
	l.Gate.Forward(c.Context, x, rows)
	c.K.ActivateForward(backend.ActivateForward{
		Y: l.between, X: l.Gate.Y, Times: l.Norm.Y, P: rows, N: all, F: backend.SiLU,
	})
	l.Output.Forward(c.Context, l.between, rows)
}

// Backward writes the gradient of x to dx, given that of Output.Y, which is 0 in a sequence's last row.
func (l *Delta) Backward(c Baseline, dx, dy backend.Vec) {
	r := l.rule
	rows, all := r.Seq.Rows, l.Heads*l.Values
	dbetween, dgate := l.Back.between.Get(c.B, rows*all), l.Back.gate.Get(c.B, rows*all)
	do := l.Back.o.Get(c.B, rows*all)
	l.Output.Backward(c.Context, dbetween, dy)
	// That of the norm's result gives its place to that of the rule's X.
	dnormed := l.Back.wide.Get(c.B, rows*max(all, r.Width()))
	c.K.ActivateBackward(backend.ActivateBackward{
		DX: dgate, DTimes: dnormed, DY: dbetween, X: l.Gate.Y, Times: l.Norm.Y, P: rows, N: all, F: backend.SiLU,
	})
	l.Norm.Backward(c, do, dnormed, false)
	back := backend.DeltaBackward{
		Delta: r, DX: dnormed, DA: l.Back.a.Get(c.B, rows*l.Heads), DB: l.Back.b.Get(c.B, rows*l.Heads),
		DRate: c.P.Grad(l.Rate), DO: do,
	}
	c.K.DeltaBackward(back)
	l.Gate.Backward(c.Context, dx, dgate)
	l.Decay.BackwardAdd(c.Context, dx, back.DA)
	l.Beta.BackwardAdd(c.Context, dx, back.DB)
	for i := range l.Project {
		d := l.Back.projected.Get(c.B, rows*l.channels(i))
		c.K.ConvBackward(backend.ConvBackward{
			Conv: l.convolution(c, i), DX: d, DWeight: c.P.Grad(l.Convolution[i]), DY: back.DX,
		})
		l.Project[i].BackwardAdd(c.Context, dx, d)
	}
}
