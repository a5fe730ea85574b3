package layer

import "mhacsp/model/backend"

// Softmax is the causal softmax attention of several heads, without its linear layers (SPEC §13).
type Softmax struct {
	N, Heads int
	Turn     backend.Vec // of backend.Softmax, for as many positions as the longest sequence has; not given: no turn

	O          backend.Vec // [rows, N]
	DQ, DK, DV backend.Vec // [rows, N]
	input      backend.Softmax
	log        backend.Vec // [rows, Heads]

	bufO, bufLog, bufDQ, bufDK, bufDV, bufWeights Floats
}

// Forward attends within each sequence, given the queries, keys and values of all rows.
func (l *Softmax) Forward(c Baseline, seq backend.Sequences, q, k, v backend.Vec) {
	l.input = backend.Softmax{Seq: seq, N: l.N, Heads: l.Heads, Q: q, K: k, V: v, Turn: l.Turn}
	l.O, l.log = l.bufO.Get(c.B, seq.Rows*l.N), l.bufLog.Get(c.B, seq.Rows*l.Heads)
	c.K.SoftmaxForward(backend.SoftmaxForward{Softmax: l.input, O: l.O, Log: l.log})
}

// Backward writes DQ, DK and DV, given the gradient of O.
func (l *Softmax) Backward(c Baseline, do backend.Vec) {
	n := l.O.Len
	l.DQ, l.DK, l.DV = l.bufDQ.Get(c.B, n), l.bufDK.Get(c.B, n), l.bufDV.Get(c.B, n)
	c.K.SoftmaxBackward(backend.SoftmaxBackward{Softmax: l.input, DQ: l.DQ, DK: l.DK, DV: l.DV, DO: do, O: l.O,
		Log: l.log})
}

// Matrices returns the weights of the last Forward in full, [S, H, T, T].
func (l *Softmax) Matrices(c Baseline, t int) backend.Vec {
	s := l.input.Seq
	w := l.bufWeights.Get(c.B, (s.Hi-s.Lo)*l.Heads*t*t)
	c.K.SoftmaxMatrices(backend.SoftmaxMatrices{Softmax: l.input, T: t, Weights: w})
	return w
}
