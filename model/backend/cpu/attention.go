package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

// attentionRows is how many rows of a sequence are taken at a time: what they have in common with all positions is
// then a product of matrices. More rows would share more, but compute more of the part beyond the diagonal too.
const attentionRows = 8

// attentionSpan runs the attention of one sequence, a block of rows at a time (SPEC §§3–6); its steps stand in
// distance.go, tree.go and fusion.go too. All its memory is O(heads · steps).
//
// Arrays of a block hold for every head its rows, cap elements each; head k starts at k·stride. Arrays of one row
// have the head's only row there, at k·cap.
type attentionSpan struct {
	heads, d, n     int
	span            vec.Span // a head's vectors in rows of 2n
	queue           vec.Queue
	rows            int // of a block
	cap, stride     int
	steps           int
	kind            backend.Tree
	fusion          backend.Fusion
	q, state        []float32 // the sequence's rows, position 0 first
	queries, states vec.Frame
	dq, dstate      []float32
	rho, b          []float32
	softRho, slope  []float32 // [H]: softplus(ρ) and its derivative
	dist            []float32 // block: D, then D̃
	weight          []float32 // block: P
	dmixed          []float32 // block: gradient of P, then of D̂
	pairs           []float32 // block: what a pair weighs in the gradient of q, w_ij = −2 dD_ij
	tree, dtree     []float32 // [H, cap]
	share           []float32 // [cap]: see treeBackward
	edge, dedge     []float32 // [H, cap]
	pull            []float32 // [H, cap]: see pullBack
	c, dc           []float32 // [H]
	walk, links     []float32 // [H]: C̃ and e of one position
	fused, mix      []float32 // [H, H]
	dmix            []float32 // [H, H]
	drho, db        []float32 // [H], [H, H]: this sequence's share
}

// shape prepares for sequences of up to steps positions.
func (w *attentionSpan) shape(a backend.Attention, steps int) {
	h, rows := a.Heads, attentionRows
	if a.Last {
		rows = 1
	}
	w.kind, w.fusion = a.Tree, a.Fusion
	w.rho, w.b = data(a.Rho), data(a.B)
	w.heads, w.n, w.d, w.rows = h, a.N, a.N/h, rows
	w.span = vec.Span{D: w.d, Plane: w.n}
	w.cap = max(steps, w.cap)
	w.stride = rows * w.cap
	for _, p := range []*[]float32{&w.dist, &w.weight, &w.dmixed, &w.pairs} {
		grow(p, h*w.stride)
	}
	for _, p := range []*[]float32{&w.tree, &w.dtree, &w.edge, &w.dedge, &w.pull} {
		grow(p, h*w.cap)
	}
	grow(&w.share, w.cap)
	for _, p := range []*[]float32{&w.c, &w.dc, &w.softRho, &w.slope, &w.walk, &w.links} {
		*p = grow(p, h)
	}
	for _, p := range []*[]float32{&w.fused, &w.mix, &w.dmix} {
		*p = grow(p, h*h)
	}
	for k := range h {
		w.softRho[k], w.slope[k] = reference.Softplus(w.rho[k]), reference.Sigmoid(w.rho[k])
	}
}

// grow is n elements of *p, which it makes room for; what they held is not kept.
func grow[T any](p *[]T, n int) []T {
	if cap(*p) < n {
		*p = make([]T, n)
	}
	return (*p)[:n]
}

// sequence points the span at sequence s.
func (w *attentionSpan) sequence(a backend.Attention, s int) {
	first, last := int(ints(a.Seq.Start)[s])+1, int(ints(a.Seq.End)[s])+1
	w.steps = last - first
	w.q = data(a.Q)[2*w.n*first : 2*w.n*last]
	w.state = data(a.State)[2*w.n*first : 2*w.n*last]
	if !a.Last {
		w.queries.Set(w.span, w.heads, w.q, w.steps)
		w.states.Set(w.span, w.heads, w.state, w.steps)
		return // the edges stand in the blocks of distances
	}
	w.edges()
}

// vector is the real plane of head k at position t in x; its imaginary plane lies n further.
func (w *attentionSpan) vector(x []float32, k, t int) []float32 { return x[2*w.n*t+k*w.d:] }

// of is row r of head k in an array of a block.
func (w *attentionSpan) of(x []float32, k, r int) []float32 { return x[k*w.stride+r*w.cap:] }

// four are the rows of n elements of four heads, the number of every preset: loops that mix heads take four at once,
// since a row is often shorter than two vectors.
func (w *attentionSpan) four(x []float32, r, n int) (x0, x1, x2, x3 []float32) {
	return w.of(x, 0, r)[:n], w.of(x, 1, r)[:n], w.of(x, 2, r)[:n], w.of(x, 3, r)[:n]
}

// row computes the attention weights of row i, row r of its block, P_k = softmax(−Σ_l mix_kl D̃_l), dist holding D̃_i
// already and tree C̃_i; zeros follow up to column m. The sum is not negative, and 0 somewhere: a position's distance
// to itself is.
func (w *attentionSpan) row(i, r, m int) {
	w.fuse(r)
	n, h := i+1, w.heads
	for k := range h {
		all, v := w.of(w.weight, k, r)[:m], w.mix[k*h:][:h]
		row := all[:n]
		clear(all[n:])
		if h == 4 {
			x0, x1, x2, x3 := w.four(w.dist, r, n)
			vec.Scale(row, row, 1/vec.MixExp(row, x0, x1, x2, x3, v[0], v[1], v[2], v[3]))
			continue
		}
		clear(row)
		for l := range h {
			vec.Axpy(row, w.of(w.dist, l, r), v[l])
		}
		vec.ExpFrom(row, row, 0)
		vec.Scale(row, row, 1/vec.Sum(row))
	}
}

// rowBackward takes the gradient of P_i in dmixed and makes what its pairs weigh in the gradient of q, in pairs and
// in pull; it adds those of edges, ρ and B.
//
// With w_ij = −2 dD_ij, dq_i = Σ_j w_ij q_j − (Σ_j w_ij) q_i, and dq_j likewise: products of matrices but for the
// second term, whose sums are taken together in pull. A position's distance to itself has no gradient.
func (w *attentionSpan) rowBackward(i, r, m int) {
	n, h := i+1, w.heads
	for k := range h { // dmixed becomes the gradient of D̂, and dmix that of mix
		g, p, gram := w.of(w.dmixed, k, r)[:n], w.of(w.weight, k, r), w.dmix[k*h:][:h]
		along := vec.Dot(g, p)
		if h == 4 {
			x0, x1, x2, x3 := w.four(w.dist, r, n)
			gram[0], gram[1], gram[2], gram[3] = vec.PullGram(g, p, x0, x1, x2, x3, along)
			continue
		}
		vec.Pull(g, p, along)
		for l := range gram {
			gram[l] = vec.Dot(g, w.of(w.dist, l, r))
		}
	}
	w.fuseBackward()
	for l := range h {
		along := w.unmix(i, r, m, l)
		switch {
		case w.kind != backend.TreeNone:
			w.drho[l] += along * w.slope[l]
			w.dtree[l*w.cap] += w.dc[l]
		case i > 0: // c_l = log(1 + D_i0)
			d := w.dc[l] / (1 + w.of(w.dist, l, r)[0])
			w.of(w.pairs, l, r)[0] -= 2 * d
			w.pull[l*w.cap] += 2 * d
			w.pull[l*w.cap+i] += 2 * d
		}
	}
	w.treeBackward(i)
}

// unmix makes of dmixed the gradient of D̃_l, d = Σ_k mix_kl dmixed_k, and returns d · C̃_l. dtree_l becomes
// softplus(ρ) d; −2 d goes to pairs, with zeros from position i on up to m, and what it takes of q to pull.
func (w *attentionSpan) unmix(i, r, m, l int) (along float32) {
	n, h, f := i+1, w.heads, w.softRho[l]
	g, tree, dtree := w.of(w.pairs, l, r)[:m], w.tree[l*w.cap:][:n], w.dtree[l*w.cap:][:n]
	pull := w.pull[l*w.cap:][:n]
	if h == 4 { // the last element is a position's distance to itself
		y0, y1, y2, y3 := w.four(w.dmixed, r, n)
		w0, w1, w2, w3 := w.mix[l], w.mix[4+l], w.mix[8+l], w.mix[12+l]
		along, taken := vec.Unmix(g[:i], dtree, pull, tree, y0, y1, y2, y3, w0, w1, w2, w3, f)
		d := float32(w0*y0[i]) + float32(w1*y1[i]) + float32(w2*y2[i]) + float32(w3*y3[i])
		dtree[i] = d * f
		pull[i] += taken
		clear(g[i:])
		return along + float32(d*tree[i])
	}
	clear(g)
	for k := range h {
		vec.Axpy(g[:n], w.of(w.dmixed, k, r), w.mix[k*h+l])
	}
	along = vec.Dot(tree, g)
	clear(dtree)
	vec.Axpy(dtree, g, f)
	g[i] = 0
	vec.Scale(g[:n], g, -2)
	pull[i] -= vec.Sum(g[:n])
	vec.Axpy(pull, g, -1)
	return along
}

// forward runs sequence s of the call.
func (w *attentionSpan) forward(a backend.AttentionForward, s int) {
	w.sequence(a.Attention, s)
	o, n := data(a.O), w.n
	if a.Last {
		w.lastForward(o[2*n*(s-a.Seq.Lo):][:2*n])
		return
	}
	o = o[2*n*int(ints(a.Seq.Start)[s]):][:2*n*(w.steps+1)]
	clear(o)
	for i := 0; i < w.steps; i += w.rows {
		m := min(w.rows, w.steps-i)
		w.blockRows(i, m, func(int) {})
		for k := range w.heads {
			w.states.Sum(k, o[2*n*i:], w.of(w.weight, k, 0), w.cap, m, i+m)
		}
	}
}

// blockRows computes the weights of rows i to i+m one after another, zeros beyond the diagonal, and calls each with a
// row as soon as it is there: the tree of the next takes its place.
func (w *attentionSpan) blockRows(i, m int, each func(r int)) {
	for k := range w.heads {
		w.queries.SqDist(k, w.of(w.dist, k, 0), w.cap, i, m)
	}
	for r := range m {
		w.edgeOf(i+r, r)
		w.treeAdvance(i+r, r)
		w.row(i+r, r, i+m)
		each(r)
	}
}

// lastForward writes o_i = Σ_j P_ij h_j for the last position alone.
func (w *attentionSpan) lastForward(o []float32) {
	i := w.steps - 1
	w.lastRow()
	clear(o)
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			w.queue.Sum(w.span, w.vector(o, k, 0), w.weight[k*w.cap:][from:to], w.vector(w.state, k, from))
		}
	})
	w.queue.Run()
}

// lastRow computes the weights of the last position.
func (w *attentionSpan) lastRow() {
	w.distances(w.steps - 1)
	w.queue.Run()
	w.treeRow(w.steps - 1)
	w.row(w.steps-1, 0, w.steps)
}

// backward runs sequence s of the call; drho and db gain this sequence's share.
func (w *attentionSpan) backward(a backend.AttentionBackward, s int, drho, db []float32) {
	w.sequence(a.Attention, s)
	w.drho, w.db = drho, db
	n := w.n
	first := int(ints(a.Seq.Start)[s])
	dq := data(a.DQ)[2*n*first : 2*n*(first+w.steps+1)]
	clear(dq)
	w.dq = dq[2*n:]
	w.dstate = data(a.DState)[2*n*(first+1):][:2*n*w.steps]
	clear(w.dedge[:w.heads*w.cap])
	do := data(a.DO)
	clear(w.pull[:w.heads*w.cap]) // rowBackward adds to it; of the last row alone nobody reads it
	if a.Last {
		w.lastBackward(do[2*n*(s-a.Seq.Lo):][:2*n])
	} else {
		do = do[2*n*first:][:2*n*w.steps]
		for i := 0; i < w.steps; i += w.rows {
			m := min(w.rows, w.steps-i)
			w.blockBackward(do[2*n*i:][:2*n*m], i, m)
		}
		w.pullBack()
	}
	w.edgesBackward()
	w.queue.Run()
}

// blockBackward takes the gradients of o_i to o_{i+m} and adds those of states, q, edges, ρ and B.
func (w *attentionSpan) blockBackward(do []float32, i, m int) {
	for k := range w.heads {
		w.states.Dot(k, w.of(w.dmixed, k, 0), w.cap, do, m, i+m)
	}
	w.blockRows(i, m, func(r int) { w.rowBackward(i+r, r, i+m) })
	for k := range w.heads {
		w.states.Outer(k, w.dstate, w.of(w.weight, k, 0), w.cap, do, m, i+m)
		w.queries.Sum(k, w.dq[2*w.n*i:], w.of(w.pairs, k, 0), w.cap, m, i+m)
		w.queries.Outer(k, w.dq, w.of(w.pairs, k, 0), w.cap, w.q[2*w.n*i:], m, i+m)
	}
}

// lastBackward takes the gradient of o for the last position alone and adds those of states, q, edges, ρ and B.
func (w *attentionSpan) lastBackward(do []float32) {
	i := w.steps - 1
	w.lastRow()
	blocks(i+1, func(from, to int) {
		for k := range w.heads {
			w.queue.Dot(w.span, w.dmixed[k*w.cap:][from:to], w.vector(do, k, 0), w.vector(w.state, k, from))
			w.queue.Outer(w.span, w.vector(w.dstate, k, from), w.weight[k*w.cap:][from:to], w.vector(do, k, 0))
		}
	})
	w.queue.Run()
	w.rowBackward(i, 0, i+1)
	w.distanceBackward(i)
}

// longest is the greatest number of steps among the covered sequences.
func longest(seq backend.Sequences) int {
	start, end, most := ints(seq.Start), ints(seq.End), 0
	for s := seq.Lo; s < seq.Hi; s++ {
		most = max(most, int(end[s]-start[s]))
	}
	return most
}

// attentionSpans gives every worker a span.
type attentionSpans struct{ spans []attentionSpan }

func (s *attentionSpans) shape(a backend.Attention, workers int) {
	s.spans = forWorkers(s.spans, workers)
	steps := longest(a.Seq)
	for i := range s.spans {
		s.spans[i].shape(a, steps)
	}
}

// attendJob runs one sequence a piece.
type attendJob struct {
	attentionSpans
	args backend.AttentionForward
}

func (j *attendJob) piece(worker, i int) { j.spans[worker].forward(j.args, j.args.Seq.Lo+i) }

// AttentionForward runs the sequences side by side.
func (f *Fast) AttentionForward(a backend.AttentionForward) {
	a.Check()
	j := jobOf[attendJob](f)
	j.args = a
	j.shape(a.Attention, f.pool.workers)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

// unattendJob runs one sequence a piece; the shares of ρ and B are kept apart and added in order afterwards.
type unattendJob struct {
	attentionSpans
	args    backend.AttentionBackward
	shares  []float32 // [sequences, H + H²]
	perPart int
}

func (j *unattendJob) piece(worker, i int) {
	h := j.args.Heads
	share := j.shares[i*j.perPart:][:j.perPart]
	j.spans[worker].backward(j.args, j.args.Seq.Lo+i, share[:h], share[h:])
}

// AttentionBackward is the backward pass of AttentionForward.
func (f *Fast) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	j, h, count := jobOf[unattendJob](f), a.Heads, a.Seq.Hi-a.Seq.Lo
	j.args, j.perPart = a, h+h*h
	j.shape(a.Attention, f.pool.workers)
	clear(grow(&j.shares, count*j.perPart))
	f.pool.run(j, count)
	for i := range count {
		share := j.shares[i*j.perPart:][:j.perPart]
		vec.Add(data(a.DRho)[:h], share[:h])
		vec.Add(data(a.DB)[:h*h], share[h:])
	}
}

// AttentionMatrices is the reference's: it makes pictures, at any pace.
func (*Fast) AttentionMatrices(a backend.AttentionMatrices) { reference.AttentionMatrices[float32](a) }
