package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// deltaData is backend.Delta with its arrays at hand.
type deltaData struct {
	backend.Delta
	x, gates, saved, a, b, rate []float32
	start, end                  []int32
	workers                     []deltaScratch
}

// deltaScratch is a worker's memory for one head of one sequence, some steps of it at a time. States lie transposed,
// [K, D]: the way from one to the next then needs no sum along a vector.
type deltaScratch struct {
	longest int       // steps that numbers has room for
	numbers []float32 // [4, steps]: of each step of the sequence softplus(a) and σ(b), dα and dβ
	q, k    []float32 // [DeltaEvery, K]: q̂ and k̂
	u, e    []float32 // [DeltaEvery, D]: u = S k̂ of the state before, e = v − α u
	w, du   []float32 // [D]
	dq, dk  []float32 // [K]
	grad    []float32 // [K, D]: gradient of the state
	states  []float32 // [DeltaEvery+1, K, D]: before each step, and after the last
}

func (d *deltaData) bind(a backend.Delta, workers int) {
	d.Delta, d.x, d.gates, d.saved = a, Data[float32](a.X), Data[float32](a.Gates), Data[float32](a.Saved)
	d.a, d.b, d.rate = Data[float32](a.A), Data[float32](a.B), Data[float32](a.Rate)
	d.start, d.end = intData(a.Seq.Start), intData(a.Seq.End)
	longest := 0
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		longest = max(longest, int(d.end[s]-d.start[s]))
	}
	if len(d.workers) < workers {
		d.workers = make([]deltaScratch, workers)
	}
	for i := range d.workers {
		d.workers[i].shape(longest, a.K, a.D)
	}
}

func (w *deltaScratch) shape(steps, k, d int) {
	if w.longest < steps {
		w.longest, w.numbers = steps, make([]float32, 4*steps)
	}
	const every = backend.DeltaEvery
	if len(w.dq) == k && len(w.w) == d {
		return
	}
	w.q, w.k, w.u, w.e = make([]float32, every*k), make([]float32, every*k), make([]float32, every*d),
		make([]float32, every*d)
	w.w, w.du, w.dq, w.dk = make([]float32, d), make([]float32, d), make([]float32, k), make([]float32, k)
	w.grad, w.states = make([]float32, k*d), make([]float32, (every+1)*k*d)
}

// state is the one before step i of those at hand.
func (w *deltaScratch) state(i int) []float32 {
	size := len(w.grad)
	return w.states[i*size:][:size]
}

// deltaWay is one head's way along one sequence, in a worker's memory.
type deltaWay struct {
	*deltaScratch
	*deltaData
	head, first, last int
}

// way is that of piece i: head by head, sequence by sequence.
func (d *deltaData) way(worker, i int) deltaWay {
	s := d.Seq.Lo + i/d.H
	return deltaWay{&d.workers[worker], d, i % d.H, int(d.start[s]), int(d.end[s])}
}

// of are the head's query, key and value in row r of a matrix like X.
func (d *deltaWay) of(x []float32, r int) (q, k, v []float32) {
	row := x[r*d.Width():]
	return row[d.head*d.K:][:d.K], row[(d.H+d.head)*d.K:][:d.K], row[2*d.H*d.K+d.head*d.D:][:d.D]
}

// gate is where the head's α is in row r; β and the factors of query and key follow, H apart.
func (d *deltaWay) gate(r int) []float32 { return d.gates[4*r*d.H+d.head:] }

// kept is where the state before the step in row r is kept, nil where that is the first.
func (d *deltaWay) kept(r int) []float32 {
	if r == d.first {
		return nil
	}
	return d.saved[(r/backend.DeltaEvery-1)*d.Entry()+d.head*d.K*d.D:][:d.K*d.D]
}

// unit puts the query and the key of row r, at their lengths, among those at hand.
func (d *deltaWay) unit(i, r int) (q, k []float32) {
	x, y, _ := d.of(d.x, r)
	g := d.gate(r)
	q, k = d.q[i*d.K:][:d.K], d.k[i*d.K:][:d.K]
	vec.Scaled(q, g[2*d.H], x)
	vec.Scaled(k, g[3*d.H], y)
	return q, k
}

// sums are softplus(a) and σ(b) of every step.
func (d *deltaWay) sums() (soft, beta []float32) {
	n := d.last - d.first
	soft, beta = d.numbers[:n], d.numbers[n:2*n]
	for t := range n {
		soft[t], beta[t] = d.a[(d.first+t)*d.H+d.head], d.b[(d.first+t)*d.H+d.head]
	}
	vec.LogAddExp(soft, soft, 0)
	vec.Sigmoid(beta, beta)
	return soft, beta
}

// open writes the gates of every step.
func (d *deltaWay) open() {
	soft, beta := d.sums()
	alpha := soft
	vec.Scale(alpha, -float32(math.Exp(float64(d.rate[d.head]))))
	vec.Exp(alpha, alpha)
	for t := range alpha {
		q, k, _ := d.of(d.x, d.first+t)
		g := d.gate(d.first + t)
		g[0], g[d.H] = alpha[t], d.Scale*beta[t]
		g[2*d.H] = 1 / sqrt((vec.Dot(q, q)+d.Eps)*float32(d.K))
		g[3*d.H] = 1 / sqrt(vec.Dot(k, k)+d.Eps)
	}
}

// written is w = β e of step i, in row r: what the step writes along the key. It keeps u and e.
func (d *deltaWay) written(i, r int, state, k []float32) []float32 {
	g := d.gate(r)
	_, _, v := d.of(d.x, r)
	u, e := d.u[i*d.D:][:d.D], d.e[i*d.D:][:d.D]
	vec.Combine(u, k, state)
	vec.Less(e, 1, v, g[0], u)
	vec.Scaled(d.w, g[d.H], e)
	return d.w
}

type deltaJob struct {
	deltaData
	o []float32
}

// DeltaForward is the gated delta rule along each sequence; a piece is a head of one.
func (f *Fast) DeltaForward(a backend.DeltaForward) {
	a.Check()
	j := &f.baseline().delta
	j.bind(a.Delta, f.pool.workers)
	j.o = Data[float32](a.O)
	f.pool.run(j, a.H*(a.Seq.Hi-a.Seq.Lo))
}

func (j *deltaJob) piece(worker, i int) {
	d := j.way(worker, i)
	d.open()
	state := d.state(0)
	clear(state)
	for r := d.first; r < d.last; r++ {
		if (r-d.first)%backend.DeltaEvery == 0 {
			copy(d.kept(r), state)
		}
		q, k := d.unit(0, r)
		w := d.written(0, r, state, k)
		vec.RankCombine(j.o[(r*d.H+d.head)*d.D:][:d.D], q, state, d.gate(r)[0], k, w)
	}
	clear(j.o[(d.last*d.H+d.head)*d.D:][:d.D])
}

type undeltaJob struct {
	deltaData
	dx, da, db, do []float32
	rates          []float32 // [sequences, H]: each piece's gradient of its head's rate
}

// DeltaBackward goes back along each sequence, some steps at a time, whose states it makes again; a piece is a head of
// one.
func (f *Fast) DeltaBackward(a backend.DeltaBackward) {
	a.Check()
	j, pieces := &f.baseline().undelta, a.H*(a.Seq.Hi-a.Seq.Lo)
	j.bind(a.Delta, f.pool.workers)
	j.dx, j.da, j.db, j.do = Data[float32](a.DX), Data[float32](a.DA), Data[float32](a.DB), Data[float32](a.DO)
	if len(j.rates) < pieces {
		j.rates = make([]float32, pieces)
	}
	f.pool.run(j, pieces)
	f.sum(Data[float32](a.DRate)[:a.H], j.rates, a.Seq.Hi-a.Seq.Lo)
}

func (j *undeltaJob) piece(worker, i int) {
	d := j.way(worker, i)
	clear(d.grad)
	n := d.last - d.first
	dalpha, dbeta := d.numbers[2*n:3*n], d.numbers[3*n:4*n]
	for from := d.first + (n-1)/backend.DeltaEvery*backend.DeltaEvery; from >= d.first; from -= backend.DeltaEvery {
		steps := min(backend.DeltaEvery, d.last-from)
		d.again(from, steps)
		for t := steps - 1; t >= 0; t-- {
			r := from + t
			dalpha[r-d.first], dbeta[r-d.first] = j.back(&d, t, r)
		}
	}
	soft, open := d.sums()
	decay, rate := -float32(math.Exp(float64(d.rate[d.head]))), float32(0)
	for t := range n {
		r := d.first + t
		dsoft := d.gate(r)[0] * dalpha[t] * decay
		rate += dsoft * soft[t]
		j.da[r*d.H+d.head] = dsoft * sigmoid(d.a[r*d.H+d.head])
		j.db[r*d.H+d.head] = dbeta[t] * d.Scale * open[t] * (1 - open[t])
	}
	j.rates[i] = rate
	dq, dk, dv := d.of(j.dx, d.last)
	clear(dq)
	clear(dk)
	clear(dv)
	j.da[d.last*d.H+d.head], j.db[d.last*d.H+d.head] = 0, 0
}

// again makes the states of some steps, the first in row from, from the one that was kept.
func (d *deltaWay) again(from, steps int) {
	if kept := d.kept(from); kept != nil {
		copy(d.state(0), kept)
	} else {
		clear(d.state(0))
	}
	for t := range steps {
		_, k := d.unit(t, from+t)
		w := d.written(t, from+t, d.state(t), k)
		vec.Rank(d.state(t+1), d.state(t), d.gate(from + t)[0], k, w)
	}
}

// back takes the gradient of the state back over step t of those at hand, in row r, and returns those of α and β. See
// the reference for the equations.
func (j *undeltaJob) back(d *deltaWay, t, r int) (dalpha, dbeta float32) {
	g, do := d.gate(r), j.do[(r*d.H+d.head)*d.D:][:d.D]
	alpha, beta := g[0], g[d.H]
	before, after := d.state(t), d.state(t+1)
	q, k, u, e := d.q[t*d.K:][:d.K], d.k[t*d.K:][:d.K], d.u[t*d.D:][:d.D], d.e[t*d.D:][:d.D]
	dq, dk, dv := d.of(j.dx, r)

	vec.Inners(d.dq, after, do)
	vec.RankCombine(dv, k, d.grad, 1, q, do) // dw
	dalpha, dbeta = vec.Dot(d.grad, before), vec.Dot(dv, e)
	vec.Scale(dv, beta) // de
	dalpha -= vec.Dot(dv, u)
	vec.Scaled(d.du, -alpha, dv)
	vec.Scaled(d.w, beta, e)
	vec.InnersOfTwo(d.dk, d.grad, d.w, before, d.du)
	vec.Rank(d.grad, d.grad, alpha, k, d.du)

	vec.Less(dk, g[3*d.H], d.dk, vec.Dot(d.dk, k), k)
	vec.Less(dq, g[2*d.H], d.dq, float32(d.K)*vec.Dot(d.dq, q), q)
	return dalpha, dbeta
}
