package layer

import (
	"mhacsp/model/backend"
	"mhacsp/model/param"
)

// unitEps keeps the length of a query or a key above 0 (SPEC §13).
const unitEps = 1e-6

// SwiGLU is Down(SiLU(Gate x) ⊙ Up x) (SPEC §13, gdn).
type SwiGLU struct {
	Up, Gate, Down param.ID // [M, W], [M, W], [W, M]
	Back           *SwiGLUBack

	Y                    backend.Vec // [m, W]
	x, gate, up, between backend.Vec
	m                    int

	bufY, bufGate, bufUp, bufBetween Floats
}

// SwiGLUBack is memory of the way back, which the layers of all blocks share.
type SwiGLUBack struct{ gate, up, between Floats }

// Forward computes Y for m rows of x.
func (l *SwiGLU) Forward(c Baseline, x backend.Vec, m int) {
	shape := c.P.Tensors[l.Up].Shape
	n := shape[0]
	l.x, l.m, l.Y = x, m, l.bufY.Get(c.B, m*shape[1])
	l.gate, l.up, l.between = l.bufGate.Get(c.B, m*n), l.bufUp.Get(c.B, m*n), l.bufBetween.Get(c.B, m*n)
	c.linear(l.gate, x, l.Gate, None, m)
	c.linear(l.up, x, l.Up, None, m)
	c.K.ActivateForward(backend.ActivateForward{Y: l.between, X: l.gate, Times: l.up, P: m, N: n, F: backend.SiLU})
	c.linear(l.Y, l.between, l.Down, None, m)
}

// Backward writes the gradient of x to dx, given that of Y.
func (l *SwiGLU) Backward(c Baseline, dx, dy backend.Vec) {
	n := c.P.Tensors[l.Up].Shape[0]
	dgate, dup, dbetween := l.Back.gate.Get(c.B, l.m*n), l.Back.up.Get(c.B, l.m*n), l.Back.between.Get(c.B, l.m*n)
	c.linearInput(dbetween, dy, l.Down, l.m, false)
	c.K.ActivateBackward(backend.ActivateBackward{
		DX: dgate, DTimes: dup, DY: dbetween, X: l.gate, Times: l.up, P: l.m, N: n, F: backend.SiLU,
	})
	c.linearInput(dx, dgate, l.Gate, l.m, false)
	c.linearInput(dx, dup, l.Up, l.m, true)
	c.linearWeight(dy, l.between, l.Down, None, l.m)
	c.linearWeight(dgate, l.x, l.Gate, None, l.m)
	c.linearWeight(dup, l.x, l.Up, None, l.m)
}

// Delta is the mixer of gdn: queries, keys and values by a product and a short convolution each, the gated delta rule,
// and a gate on what it gives (SPEC §13).
type Delta struct {
	Heads, Keys, Values int         // heads; numbers in a key and in a value of one
	Range               float32     // s, which β stays below
	Weight, Convolution [3]param.ID // of queries, keys and values: [channels, W], [channels, ConvTaps]
	Beta                param.ID    // [Heads, W]
	Decay, Bias, Rate   param.ID    // [Heads, W], [Heads], [Heads]: W_α, b and A
	Gate, Output        param.ID    // [Heads·Values, W], [W, Heads·Values]
	Norm                Norm        // of each head's output
	Back                *DeltaBack

	Y                backend.Vec // [rows, W]
	x, gate, between backend.Vec
	projected        [3]backend.Vec
	rule             backend.Delta

	bufProjected                                                          [3]Floats
	bufY, bufGate, bufBetween, bufX, bufA, bufB, bufGates, bufSaved, bufO Floats
}

// DeltaBack is memory of the way back, which the mixers of all blocks share.
type DeltaBack struct{ between, gate, o, wide, a, b, projected Floats }

// channels are those of queries, keys or values.
func (l *Delta) channels(i int) int { return [...]int{l.Keys, l.Keys, l.Values}[i] * l.Heads }

// convolution is that of queries, keys or values: its result is a block of the rule's columns.
func (l *Delta) convolution(c Baseline, i int) backend.Conv {
	return backend.Conv{
		Seq: l.rule.Seq, N: l.channels(i), X: l.projected[i], Weight: c.P.Value(l.Convolution[i]),
		Width: l.rule.Width(), From: i * l.channels(0),
	}
}

// Forward computes Y for all rows of x, along the sequences.
func (l *Delta) Forward(c Baseline, x backend.Vec, seq backend.Sequences) {
	rows, all, width := seq.Rows, l.Heads*l.Values, c.P.Tensors[l.Output].Shape[0]
	r := backend.Delta{
		Seq: seq, H: l.Heads, K: l.Keys, D: l.Values, Rate: c.P.Value(l.Rate), Scale: l.Range, Eps: unitEps,
		A: l.bufA.Get(c.B, rows*l.Heads), B: l.bufB.Get(c.B, rows*l.Heads), Gates: l.bufGates.Get(c.B, 4*rows*l.Heads),
	}
	r.X = l.bufX.Get(c.B, rows*r.Width())
	r.Saved = l.bufSaved.Get(c.B, rows/backend.DeltaEvery*r.Entry())
	l.x, l.rule = x, r
	for i, w := range l.Weight {
		l.projected[i] = l.bufProjected[i].Get(c.B, rows*l.channels(i))
		c.linear(l.projected[i], x, w, None, rows)
		c.K.ConvForward(backend.ConvForward{Conv: l.convolution(c, i), Y: r.X})
	}
	c.linear(r.A, x, l.Decay, l.Bias, rows)
	c.linear(r.B, x, l.Beta, None, rows)
	o := l.bufO.Get(c.B, rows*all)
	c.K.DeltaForward(backend.DeltaForward{Delta: r, O: o})
	l.Norm.Forward(c, o, backend.Vec{}, rows*l.Heads)
	l.gate, l.between, l.Y = l.bufGate.Get(c.B, rows*all), l.bufBetween.Get(c.B, rows*all), l.bufY.Get(c.B, rows*width)
	c.linear(l.gate, x, l.Gate, None, rows)
	c.K.ActivateForward(backend.ActivateForward{
		Y: l.between, X: l.gate, Times: l.Norm.Y, P: rows, N: all, F: backend.SiLU,
	})
	c.linear(l.Y, l.between, l.Output, None, rows)
}

// Backward writes the gradient of x to dx, given that of Y, which is 0 in a sequence's last row.
func (l *Delta) Backward(c Baseline, dx, dy backend.Vec) {
	r := l.rule
	rows, all := r.Seq.Rows, l.Heads*l.Values
	dbetween, dgate := l.Back.between.Get(c.B, rows*all), l.Back.gate.Get(c.B, rows*all)
	do := l.Back.o.Get(c.B, rows*all)
	c.linearInput(dbetween, dy, l.Output, rows, false)
	// That of the norm's result gives its place to that of the rule's X.
	dnormed := l.Back.wide.Get(c.B, rows*max(all, r.Width()))
	c.K.ActivateBackward(backend.ActivateBackward{
		DX: dgate, DTimes: dnormed, DY: dbetween, X: l.gate, Times: l.Norm.Y, P: rows, N: all, F: backend.SiLU,
	})
	l.Norm.Backward(c, do, dnormed, false)
	back := backend.DeltaBackward{
		Delta: r, DX: dnormed, DA: l.Back.a.Get(c.B, rows*l.Heads), DB: l.Back.b.Get(c.B, rows*l.Heads),
		DRate: c.P.Grad(l.Rate), DO: do,
	}
	c.K.DeltaBackward(back)
	c.linearInput(dx, dgate, l.Gate, rows, false)
	c.linearInput(dx, back.DA, l.Decay, rows, true)
	c.linearInput(dx, back.DB, l.Beta, rows, true)
	for i, w := range l.Weight {
		d := l.Back.projected.Get(c.B, rows*l.channels(i))
		c.K.ConvBackward(backend.ConvBackward{
			Conv: l.convolution(c, i), DX: d, DWeight: c.P.Grad(l.Convolution[i]), DY: back.DX,
		})
		c.linearInput(dx, d, w, rows, true)
		c.linearWeight(d, l.x, w, None, rows)
	}
	c.linearWeight(dy, l.between, l.Output, None, rows)
	c.linearWeight(dgate, l.x, l.Gate, None, rows)
	c.linearWeight(back.DA, l.x, l.Decay, l.Bias, rows)
	c.linearWeight(back.DB, l.x, l.Beta, None, rows)
}
