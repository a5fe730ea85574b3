package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// attentionSpan runs the attention of one sequence row by row (SPEC §§3–6). All its memory is O(heads · steps);
// per-head rows have stride cap.
type attentionSpan[T Float] struct {
	ops          primitives[T]
	heads, d, n  int
	span         vec.Span // a head's vectors in rows of 2n
	cap, steps   int
	kind         backend.Tree
	fusion       backend.Fusion
	q, state     []T // the sequence's rows, position 0 first
	dq, dstate   []T
	rho, b       []T
	softRho      []T // [H]
	dist, tree   []T // [H, cap]
	rect, weight []T // [H, cap]: D̃, then P
	mixed        []T // [H, cap]: D̂
	edge, dedge  []T // [H, cap]
	dtree, drect []T // [H, cap]
	dmixed       []T // [H, cap]
	share        []T // [cap]
	c, dc        []T // [H]
	walk, links  []T // [H]: C̃ and e of one position
	fused, mix   []T // [H, H]
	dmix, turned []T // [H, H]; turned is mix transposed
	drho, db     []T // [H], [H, H]: this sequence's share
}

// newAttentionSpan returns an empty span; shape grows it.
func newAttentionSpan[T Float](ops primitives[T]) *attentionSpan[T] {
	return &attentionSpan[T]{ops: ops}
}

// shape prepares for sequences of up to steps positions.
func (w *attentionSpan[T]) shape(a backend.Attention, steps int) {
	h := a.Heads
	w.kind, w.fusion = a.Tree, a.Fusion
	w.rho, w.b = Data[T](a.Rho), Data[T](a.B)
	if w.heads != h || w.n != a.N || w.cap < steps {
		w.heads, w.n, w.d = h, a.N, a.N/h
		w.span = vec.Span{D: w.d, Plane: w.n, Stride: 2 * w.n}
		w.cap = max(steps, w.cap)
		for _, p := range []*[]T{&w.dist, &w.tree, &w.rect, &w.weight, &w.mixed, &w.edge, &w.dedge, &w.dtree, &w.drect, &w.dmixed} {
			*p = make([]T, h*w.cap)
		}
		w.share = make([]T, w.cap)
		w.c, w.dc, w.softRho = make([]T, h), make([]T, h), make([]T, h)
		w.walk, w.links = make([]T, h), make([]T, h)
		w.fused, w.mix, w.dmix, w.turned = make([]T, h*h), make([]T, h*h), make([]T, h*h), make([]T, h*h)
	}
	for k := range h {
		w.softRho[k] = softplus(w.rho[k])
	}
}

// sequence points the span at sequence s.
func (w *attentionSpan[T]) sequence(a backend.Attention, s int) {
	first, last := int(intData(a.Seq.Start)[s])+1, int(intData(a.Seq.End)[s])+1
	w.steps = last - first
	w.q = Data[T](a.Q)[2*w.n*first : 2*w.n*last]
	w.state = Data[T](a.State)[2*w.n*first : 2*w.n*last]
	w.edges()
}

// vector is the real plane of head k at position t in x; its imaginary plane lies n further.
func (w *attentionSpan[T]) vector(x []T, k, t int) []T { return x[2*w.n*t+k*w.d:] }

// row computes everything of row i up to the attention weights, tree[k] holding C̃_i already.
func (w *attentionSpan[T]) row(i int) {
	w.distances(i)
	w.fuse(i)
	h := w.heads
	for l := range h {
		dist, tree, rect := w.dist[l*w.cap:][:i+1], w.tree[l*w.cap:][:i+1], w.rect[l*w.cap:][:i+1]
		copy(rect, dist)
		if w.kind != backend.TreeNone {
			w.ops.axpy(rect, w.softRho[l], tree)
		}
	}
	w.ops.mix(w.rows(), w.mixed, w.mix, w.rect, i+1)
	for k := range h {
		w.ops.softmaxNeg(w.weight[k*w.cap:][:i+1], w.mixed[k*w.cap:][:i+1])
	}
}

// rows is where the heads' rows lie in the arrays over positions.
func (w *attentionSpan[T]) rows() vec.Heads { return vec.Heads{Count: w.heads, Stride: w.cap} }

// attend writes o_i = Σ_j P_ij h_j.
func (w *attentionSpan[T]) attend(o []T, i int) {
	clear(o)
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			w.ops.spanSum(w.span, w.vector(o, k, 0), w.weight[k*w.cap:][from:to], w.vector(w.state, k, from))
		}
	})
}

// rowBackward takes the gradient of o_i and adds those of states, q, edges, ρ and B.
func (w *attentionSpan[T]) rowBackward(do []T, i int) {
	h := w.heads
	blocks(i+1, func(from, to int) {
		for k := range h {
			w.ops.spanDot(w.span, w.dmixed[k*w.cap:][from:to], w.vector(do, k, 0), w.vector(w.state, k, from))
			w.ops.spanOuter(w.span, w.vector(w.dstate, k, from), w.weight[k*w.cap:][from:to], w.vector(do, k, 0))
		}
	})
	for k := range h {
		p, g := w.weight[k*w.cap:][:i+1], w.dmixed[k*w.cap:][:i+1]
		mean := w.ops.dot(p, g)
		for j := range g {
			g[j] = -p[j] * (g[j] - mean)
		}
	}
	w.ops.gram(w.rows(), w.dmix, w.dmixed, w.rect, i+1)
	for k := range h {
		for l := range h {
			w.turned[l*h+k] = w.mix[k*h+l]
		}
	}
	w.ops.mix(w.rows(), w.drect, w.turned, w.dmixed, i+1)
	w.fuseBackward()
	for l := range h {
		drect, dtree := w.drect[l*w.cap:][:i+1], w.dtree[l*w.cap:][:i+1]
		if w.kind == backend.TreeNone {
			drect[0] += w.dc[l] / (1 + w.dist[l*w.cap])
		} else {
			w.drho[l] += w.ops.dot(drect, w.tree[l*w.cap:][:i+1]) * sigmoid(w.rho[l])
			clear(dtree)
			w.ops.axpy(dtree, w.softRho[l], drect)
			dtree[0] += w.dc[l]
		}
	}
	w.distanceBackward(i)
	w.treeBackward(i)
}

// forward runs sequence s of the call.
func (w *attentionSpan[T]) forward(a backend.AttentionForward, s int) {
	w.sequence(a.Attention, s)
	o, n := Data[T](a.O), w.n
	if a.Last {
		i := w.steps - 1
		w.treeRow(i)
		w.row(i)
		w.attend(o[2*n*(s-a.Seq.Lo):][:2*n], i)
		return
	}
	first := int(intData(a.Seq.Start)[s])
	for i := range w.steps {
		w.treeAdvance(i)
		w.row(i)
		w.attend(o[2*n*(first+i):][:2*n], i)
	}
	clear(o[2*n*(first+w.steps):][:2*n])
}

// backward runs sequence s of the call; drho and db gain this sequence's share.
func (w *attentionSpan[T]) backward(a backend.AttentionBackward, s int, drho, db []T) {
	w.sequence(a.Attention, s)
	w.drho, w.db = drho, db
	n := w.n
	first := int(intData(a.Seq.Start)[s])
	dq := Data[T](a.DQ)[2*n*first : 2*n*(first+w.steps+1)]
	clear(dq)
	w.dq = dq[2*n:]
	w.dstate = Data[T](a.DState)[2*n*(first+1):]
	clear(w.dedge[:w.heads*w.cap])
	do := Data[T](a.DO)
	if a.Last {
		i := w.steps - 1
		w.treeRow(i)
		w.row(i)
		w.rowBackward(do[2*n*(s-a.Seq.Lo):][:2*n], i)
	} else {
		for i := range w.steps {
			w.treeAdvance(i)
			w.row(i)
			w.rowBackward(do[2*n*(first+i):][:2*n], i)
		}
	}
	w.edgesBackward()
}

// longest is the greatest number of steps among the covered sequences.
func longest(seq backend.Sequences) int {
	start, end, most := intData(seq.Start), intData(seq.End), 0
	for s := seq.Lo; s < seq.Hi; s++ {
		most = max(most, int(end[s]-start[s]))
	}
	return most
}

// AttentionForward runs each sequence's rows in order.
func (*Reference[T]) AttentionForward(a backend.AttentionForward) {
	a.Check()
	w := newAttentionSpan[T](plain[T]{})
	w.shape(a.Attention, longest(a.Seq))
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		w.forward(a, s)
	}
}

// AttentionBackward is the backward pass of AttentionForward; rows are computed again, not stored.
func (*Reference[T]) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	w := newAttentionSpan[T](plain[T]{})
	w.shape(a.Attention, longest(a.Seq))
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		w.backward(a, s, Data[T](a.DRho), Data[T](a.DB))
	}
}

// AttentionMatrices writes every row in full.
func (*shared[T]) AttentionMatrices(a backend.AttentionMatrices) {
	a.Check()
	w := newAttentionSpan[T](plain[T]{})
	w.shape(a.Attention, longest(a.Seq))
	dist, tree, fused, weights := Data[T](a.Distance), Data[T](a.TreeOut), Data[T](a.FusedOut), Data[T](a.Weights)
	for _, x := range [][]T{dist, tree, fused, weights} {
		clear(x)
	}
	h, size := a.Heads, a.T
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		w.sequence(a.Attention, s)
		at := (s - a.Seq.Lo) * h * size * size
		for i := range w.steps {
			w.treeAdvance(i)
			w.row(i)
			copy(fused[((s-a.Seq.Lo)*size+i)*h*h:], w.fused)
			for k := range h {
				row := at + (k*size+i)*size
				copy(dist[row:], w.dist[k*w.cap:][:i+1])
				copy(tree[row:], w.tree[k*w.cap:][:i+1])
				copy(weights[row:], w.weight[k*w.cap:][:i+1])
				for j := range i {
					dist[at+(k*size+j)*size+i] = w.dist[k*w.cap+j]
				}
			}
		}
	}
}
