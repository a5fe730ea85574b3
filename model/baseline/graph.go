package baseline

import (
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/layer"
	"mhacsp/tasks/token"
)

// graph links each position of a stream with itself, its predecessor and, where brackets is set, a closing bracket
// with its opening one and the token before that (SPEC §13, gcn).
type graph struct {
	brackets bool

	rows          int
	to, from      backend.Index // [rows, degree]: what a row reads, and who reads it
	weight, share backend.Vec   // [rows, degree]: 1 over the number of edges of the row that reads

	edge, reader []int32 // on the host, −1: none
	part         []float32
	open         []int32 // rows of the brackets that are open

	bufTo, bufFrom       layer.Ints
	bufWeight, bufReader layer.Floats
}

// degree is the most edges of a row, and the most rows that read one: itself, its successor, the bracket that closes
// it and the one that closes its successor.
const degree = 4

// Lay makes the graph of a batch's tokens on the row arena, −1 in each sequence's last row.
func (g *graph) Lay(c layer.Baseline, tokens []int32) {
	g.rows = len(tokens)
	g.edge = fill(g.edge, len(tokens)*degree, -1)
	g.reader = fill(g.reader, len(tokens)*degree, -1)
	g.part = fill(g.part, len(tokens)*degree, 0)
	start := 0
	g.open = g.open[:0]
	for r, id := range tokens {
		if id < 0 {
			start, g.open = r+1, g.open[:0]
			continue
		}
		g.link(r, r)
		if r > start {
			g.link(r, r-1)
		}
		switch {
		case g.brackets && id == token.Open:
			g.open = append(g.open, int32(r))
		case g.brackets && id == token.Close && len(g.open) > 0:
			at := int(g.open[len(g.open)-1])
			g.open = g.open[:len(g.open)-1]
			g.link(r, at)
			if at > start {
				g.link(r, at-1)
			}
		}
	}
	g.to, g.from = g.bufTo.Put(c.B, g.edge), g.bufFrom.Put(c.B, g.reader)
	n := len(g.part)
	// A row's edges weigh alike, so that the sum is their mean.
	for i := range n {
		g.part[i] = g.mean(i / degree)
	}
	g.weight = g.bufWeight.Get(c.B, n)
	c.B.Upload(g.weight, g.part)
	for i, r := range g.reader {
		if r >= 0 {
			g.part[i] = g.mean(int(r))
		}
	}
	g.share = g.bufReader.Get(c.B, n)
	c.B.Upload(g.share, g.part)
}

// link lets row r read row from, unless it does.
func (g *graph) link(r, from int) {
	edges := g.edge[r*degree:][:degree]
	if slices.Contains(edges, int32(from)) {
		return
	}
	edges[slices.Index(edges, -1)] = int32(from)
	readers := g.reader[from*degree:][:degree]
	readers[slices.Index(readers, -1)] = int32(r)
}

// mean is the weight of each edge of row r.
func (g *graph) mean(r int) float32 {
	n := 0
	for _, e := range g.edge[r*degree:][:degree] {
		if e >= 0 {
			n++
		}
	}
	return 1 / float32(max(n, 1))
}

// fill is n times x, in dst's memory where it is large enough.
func fill[T any](dst []T, n int, x T) []T {
	dst = slices.Grow(dst[:0], n)[:n]
	for i := range dst {
		dst[i] = x
	}
	return dst
}

// convolution is a layer of a graph network, which adds to the stream that it reads: h ← h + ReLU(Â h Wᵀ + b).
type convolution struct {
	layer.Linear

	width                    int
	mean                     backend.Vec // [rows, W]: Â h
	bufMean, bufDY, bufDMean layer.Floats
}

// Forward adds to h [rows, W].
func (l *convolution) Forward(c layer.Baseline, g *graph, h backend.Vec) {
	l.width = c.P.Tensors[l.Weight].Shape[1]
	l.mean = l.bufMean.Get(c.B, g.rows*l.width)
	c.K.Average(backend.Average{Y: l.mean, X: h, Edge: g.to, Weight: g.weight, P: g.rows, N: l.width, D: degree})
	l.Linear.Forward(c.Context, l.mean, g.rows)
	c.K.ActivateForward(backend.ActivateForward{Y: h, X: l.Y, P: g.rows, N: l.width, F: backend.ReLU, Add: true})
}

// Backward adds the parameters' gradients, and to dh, the gradient of what Forward made, that of what it read.
func (l *convolution) Backward(c layer.Baseline, g *graph, dh backend.Vec) {
	dy, dMean := l.bufDY.Get(c.B, g.rows*l.width), l.bufDMean.Get(c.B, g.rows*l.width)
	c.K.ActivateBackward(backend.ActivateBackward{DX: dy, DY: dh, X: l.Y, P: g.rows, N: l.width, F: backend.ReLU})
	l.Linear.Backward(c.Context, dMean, dy)
	c.K.Average(backend.Average{
		Y: dh, X: dMean, Edge: g.from, Weight: g.share, P: g.rows, N: l.width, D: degree, Add: true,
	})
}
