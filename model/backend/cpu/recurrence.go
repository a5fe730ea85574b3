package cpu

import (
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// The recurrence carries several sequences through time together, so that a step is one product for all of them. The
// sequences are dealt to groups of at most groupSequences, and pieces of work are made of whole groups, at most
// chunkSequences in all: the fewer pieces the better the products, but every thread should have one. Only sums over a
// group's steps depend on the order of its sequences, and that order is the same in every piece.
const (
	groupSequences = 16
	chunkSequences = 64

	prefetchAhead = 4 // sequences; a row is some hundred nanoseconds of work
)

// chunks deals the sequences of a call, longest first and in turn, so that pieces take equally long and the sequences
// still running at a step are always a prefix of the piece.
type chunks struct {
	order  []int32 // sequences, longest first; number i belongs to group i mod groups
	groups int
	count  int // pieces; group g belongs to piece g mod count
}

func (c *chunks) deal(seq backend.Sequences, workers int) {
	start, end := ints(seq.Start), ints(seq.End)
	c.order = c.order[:0]
	for s := seq.Lo; s < seq.Hi; s++ {
		c.order = append(c.order, int32(s))
	}
	slices.SortStableFunc(c.order, func(a, b int32) int { return int((end[b] - start[b]) - (end[a] - start[a])) })
	c.groups = (len(c.order) + groupSequences - 1) / groupSequences
	perChunk := chunkSequences / groupSequences
	c.count = min(c.groups, max((c.groups+perChunk-1)/perChunk, workers))
}

// take fills seqs with piece i's sequences and group with their groups.
func (c *chunks) take(seqs, group []int32, i int) ([]int32, []int32) {
	seqs, group = seqs[:0], group[:0]
	for at, s := range c.order {
		if g := at % c.groups; g%c.count == i {
			seqs, group = append(seqs, s), append(group, int32(g))
		}
	}
	return seqs, group
}

// recurrenceScratch is one worker's memory.
type recurrenceScratch struct {
	seqs, group []int32
	sum         []float32             // products of the step, [W_δh h ; W_θh h] for each sequence
	rot, row    []float32             // a rotation, 1 where units hold; a step's dθ and din
	from, to    [chunkSequences]int32 // offsets of the active sequences' rows in some array
	local       [chunkSequences]int32 // rows of sum
	queue       vec.Queue
}

func (w *recurrenceScratch) shape(n int) {
	w.seqs, w.group = grow(&w.seqs, chunkSequences), grow(&w.group, chunkSequences)
	grow(&w.sum, 2*chunkSequences*n)
	grow(&w.row, 3*n)
	for u := range grow(&w.rot, 2*n)[:n] {
		w.rot[u], w.rot[n+u] = 1, 0
	}
}

// cellData is backend.Cell with its arrays at hand.
type cellData struct {
	backend.Cell
	start, end, drive                                []int32
	state, alpha, inv, theta, in, du, rotation, preT []float32
	steer, token                                     []float32 // Steer, and with it tanh of Pre [M, N]
	chunks                                           chunks
	workers                                          []recurrenceScratch
}

func (d *cellData) bind(c backend.Cell, workers int) {
	d.Cell = c
	d.start, d.end, d.drive = ints(c.Seq.Start), ints(c.Seq.End), ints(c.At)
	d.state, d.alpha, d.inv, d.theta, d.steer = data(c.State), data(c.Alpha), data(c.Inv), data(c.Theta), data(c.Steer)
	d.in, d.du, d.rotation, d.preT = data(c.In), data(c.DeltaU), data(c.Rot), data(c.Pre)
	if c.Product() {
		vec.Tanh(grow(&d.token, c.M*c.N), d.preT)
	}
	d.chunks.deal(c.Seq, workers)
	d.workers = forWorkers(d.workers, workers)
	for i := range d.workers {
		d.workers[i].shape(c.N)
	}
}

// recurrenceForwardJob runs the time loop for one chunk of sequences at a time.
type recurrenceForwardJob struct {
	cellData
	init    []float32
	goOn    bool
	weights []float32 // W_δh and below it, where the state has a say in the angles, the first Turn rows of W_θh
	panel   vec.Panel // the same, transposed
}

// RecurrenceForward runs the time loop of every sequence.
func (f *Fast) RecurrenceForward(a backend.RecurrenceForward) {
	a.Check()
	j := jobOf[recurrenceForwardJob](f)
	j.bind(a.Cell, f.pool.workers)
	j.init, j.goOn = data(a.Init), a.Continue
	weights := data(a.WDelta)[:2*a.N*a.N]
	if a.StateTheta() {
		j.weights = append(append(j.weights[:0], weights...), data(a.WTheta)[:2*a.N*a.Turn]...)
		weights = j.weights
	}
	j.panel.PackT(weights, 2*a.N, 2*a.N, len(weights)/(2*a.N))
	f.pool.run(j, j.chunks.count)
}

func (j *recurrenceForwardJob) piece(worker, i int) {
	w, n, sums := &j.workers[worker], j.N, j.panel.N
	w.seqs, w.group = j.chunks.take(w.seqs, w.group, i)
	for k, s := range w.seqs {
		h0 := j.state[2*n*int(j.start[s]):][:2*n]
		switch {
		case j.init != nil:
			copy(h0, j.init[2*n*(int(s)-j.Seq.Lo):])
		case !j.goOn:
			clear(h0)
		}
		w.local[k] = int32(k * sums)
	}
	active := len(w.seqs)
	for t := range j.end[w.seqs[0]] - j.start[w.seqs[0]] {
		for j.start[w.seqs[active-1]]+t >= j.end[w.seqs[active-1]] {
			active--
		}
		for k, s := range w.seqs[:active] {
			w.from[k] = (j.start[s] + t) * int32(2*n)
		}
		w.queue.Mul(&j.panel, w.sum, w.local[:active], j.state, w.from[:active], false)
		for k, s := range w.seqs[:active] {
			r := int(j.start[s] + t)
			if k+prefetchAhead < active {
				j.prefetch(int(j.start[w.seqs[k+prefetchAhead]] + t))
			}
			j.step(w, r, w.sum[k*sums:][:n], w.sum[k*sums:][n:sums])
		}
	}
	w.queue.Run()
}

// prefetch asks for what step reads and writes.
func (j *recurrenceForwardJob) prefetch(r int) {
	n, m := j.N, int(j.drive[r])
	vec.Prefetch(j.state[2*n*(r+1):][:2*n], j.alpha[n*r:][:n], j.inv[n*r:][:n], j.du[n*m:][:n], j.in[2*n*m:][:2*n])
	if j.StateTheta() {
		vec.Prefetch(j.theta[n*r:][:j.Turn])
	} else {
		vec.Prefetch(j.rotation[2*n*m:][:2*n])
	}
}

// step makes the step of row r, given W_δh h and W_θh h.
func (j *recurrenceForwardJob) step(w *recurrenceScratch, r int, sum, turn []float32) {
	n, m, q := j.N, int(j.drive[r]), &w.queue
	rot := w.rot
	if !j.StateTheta() {
		rot = j.rotation[2*n*m:][:2*n]
	} else {
		theta, cos, sin := j.theta[n*r:][:j.Turn], rot[:j.Turn], rot[n:][:j.Turn]
		if j.Product() {
			q.Add(turn, j.steer)
			q.Steer(theta, cos, sin, turn, j.token[n*m:])
		} else {
			q.Add(turn, j.preT[n*m:][:j.Turn])
			q.PiTanhSinCos(theta, cos, sin, turn)
		}
	}
	alpha, inv, state := j.alpha[n*r:], j.inv[n*r:], j.state[2*n*(r+1):]
	du, in, prev := j.du[n*m:], j.in[2*n*m:], j.state[2*n*r:]
	if j.Normalise {
		q.CellForward(n, alpha, inv, state, sum, du, rot, in, prev, j.Eps)
	} else {
		q.CellForwardRaw(n, alpha, inv, state, sum, du, rot, in, prev)
	}
}

// recurrenceBackwardJob runs the time loop backwards for one chunk of sequences at a time.
type recurrenceBackwardJob struct {
	cellData
	dstate, ddelta, dtheta, din, dinit []float32
	dtoken                             []float32 // the second half of DTheta
	delta, turn                        vec.Panel // W_δh; the first Turn rows of W_θh
	bound                              float32
	tabled                             bool
	tables                             []float32 // [groups, M, 4N]: each group's sums by drive row, [dδ ; dθ ; din]
}

// RecurrenceBackward is the backward pass of RecurrenceForward.
func (f *Fast) RecurrenceBackward(a backend.RecurrenceBackward) {
	a.Check()
	j := jobOf[recurrenceBackwardJob](f)
	j.bind(a.Cell, f.pool.workers)
	j.dstate, j.ddelta, j.dtheta = data(a.DState), data(a.DDelta), data(a.DTheta)
	j.din, j.dinit = data(a.DIn), data(a.DInit)
	j.delta.Pack(data(a.WDelta), 2*a.N, a.N, 2*a.N)
	if a.StateTheta() && a.Turn > 0 {
		j.turn.Pack(data(a.WTheta), 2*a.N, a.Turn, 2*a.N)
	}
	j.bound, j.tabled, j.dtoken = a.Bound, a.Tabled(), nil
	if a.Product() {
		j.dtoken = data(a.DToken())
	}
	if j.tabled {
		grow(&j.tables, j.chunks.groups*a.M*4*a.N)
	}
	f.pool.run(j, j.chunks.count)
	n, tdelta, ttheta, tin := a.N, data(a.TDelta), data(a.TTheta), data(a.TIn)
	for i := 0; j.tabled && i < j.chunks.groups; i++ {
		for m := range j.M {
			row := j.table(i)[4*n*m:][:4*n]
			vec.Add(tdelta[n*m:][:n], row[:n])
			vec.Add(ttheta[n*m:][:n], row[n:2*n])
			vec.Add(tin[2*n*m:][:2*n], row[2*n:])
		}
	}
}

// table is group g's part of tables.
func (j *recurrenceBackwardJob) table(g int) []float32 {
	size := 4 * j.N * j.M
	return j.tables[g*size:][:size]
}

func (j *recurrenceBackwardJob) piece(worker, i int) {
	w, n := &j.workers[worker], j.N
	w.seqs, w.group = j.chunks.take(w.seqs, w.group, i)
	for _, s := range w.seqs {
		last := int(j.end[s])
		for _, x := range [...][]float32{j.ddelta, j.dtheta, j.dtoken} {
			if x != nil {
				clear(x[n*last:][:n])
			}
		}
		if j.din != nil {
			clear(j.din[2*n*last:][:2*n])
		}
	}
	for g := i; j.tabled && g < j.chunks.groups; g += j.chunks.count {
		clear(j.table(g))
	}
	steps := j.end[w.seqs[0]] - j.start[w.seqs[0]]
	active := 0
	for t := steps - 1; t >= 0; t-- {
		for active < len(w.seqs) && j.start[w.seqs[active]]+t < j.end[w.seqs[active]] {
			active++
		}
		for k, s := range w.seqs[:active] {
			r := int(j.start[s] + t)
			w.from[k], w.to[k] = int32(n*r), int32(2*n*r)
			if k+prefetchAhead < active {
				j.prefetch(int(j.start[w.seqs[k+prefetchAhead]] + t))
			}
			j.step(w, int(w.group[k]), r)
		}
		w.queue.Mul(&j.delta, j.dstate, w.to[:active], j.ddelta, w.from[:active], true)
		if j.StateTheta() && j.Turn > 0 {
			w.queue.Mul(&j.turn, j.dstate, w.to[:active], j.dtheta, w.from[:active], true)
		}
	}
	w.queue.Run()
	if j.dinit != nil {
		for _, s := range w.seqs {
			copy(j.dinit[2*n*(int(s)-j.Seq.Lo):][:2*n], j.dstate[2*n*int(j.start[s]):])
		}
	}
}

// prefetch asks for what step reads and writes by row.
func (j *recurrenceBackwardJob) prefetch(r int) {
	n := j.N
	vec.Prefetch(j.dstate[2*n*r:][:4*n], j.state[2*n*r:][:4*n], j.alpha[n*r:][:n], j.inv[n*r:][:n], j.ddelta[n*r:][:n])
	if j.dtheta != nil {
		vec.Prefetch(j.dtheta[n*r:][:n])
	}
	if j.din != nil {
		vec.Prefetch(j.din[2*n*r:][:2*n])
	}
	if j.StateTheta() {
		vec.Prefetch(j.theta[n*r:][:j.Turn])
	} else {
		vec.Prefetch(j.rotation[2*n*int(j.drive[r]):][:2*n])
	}
}

// step makes the step of row r but for the two products. What is not kept by row goes through the scratch row.
func (j *recurrenceBackwardJob) step(w *recurrenceScratch, group, r int) {
	n, m, q := j.N, int(j.drive[r]), &w.queue
	rot, theta := w.rot, []float32(nil)
	if !j.StateTheta() {
		rot = j.rotation[2*n*m:][:2*n]
	} else if j.Turn > 0 {
		theta = j.theta[n*r:][:j.Turn]
		if j.Product() {
			q.Steered(rot[:j.Turn], rot[n:][:j.Turn], theta, j.token[n*m:])
		} else {
			q.SinCos(rot[n:][:j.Turn], rot[:j.Turn], theta)
		}
	}
	ddelta, dtheta, din := j.ddelta[n*r:][:n], w.row[:n], w.row[n:][:2*n]
	if j.dtheta != nil {
		dtheta = j.dtheta[n*r:][:n]
	}
	if j.din != nil {
		din = j.din[2*n*r:][:2*n]
	}
	dh := j.dstate[2*n*(r+1):][:2*n]
	if j.bound > 0 {
		q.Bound(n, dh, j.bound)
	}
	alpha, prev, dprev := j.alpha[n*r:], j.state[2*n*r:], j.dstate[2*n*r:]
	if j.Normalise {
		q.CellBackward(n, din, ddelta, dtheta, dprev, alpha, j.inv[n*r:], rot, j.state[2*n*(r+1):], dh, prev)
	} else {
		q.CellBackwardRaw(n, din, ddelta, dtheta, dprev, alpha, rot, dh, prev)
	}
	dtoken := dtheta
	if j.Product() {
		dtoken = j.dtoken[n*r:][:n]
		q.SteerBackward(dtheta[:j.Turn], dtoken, theta, j.token[n*m:])
		q.Clear(dtoken[j.Turn:])
	} else {
		q.PiTanhBackward(dtheta[:len(theta)], theta) // from the angle's to its pre-activation's
	}
	q.Clear(dtheta[j.Turn:])
	if j.tabled {
		row := j.table(group)[4*n*m:][:4*n]
		q.Add(row[:n], ddelta)
		q.Add(row[n:][:j.Turn], dtoken) // beyond it both are 0
		q.Add(row[2*n:], din)
	}
}
