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

// The numbers of a step: α, β, their gradients, and the gates' inputs a and b.
const (
	ofAlpha = iota
	ofBeta
	ofDAlpha
	ofDBeta
	ofA
	ofB
	deltaNumbers
)

func (d *deltaData) bind(a backend.Delta, workers int) {
	d.Delta, d.x, d.gates, d.saved = a, data(a.X), data(a.Gates), data(a.Saved)
	d.a, d.b, d.rate = data(a.A), data(a.B), data(a.Rate)
	d.start, d.end = ints(a.Seq.Start), ints(a.Seq.End)
	steps := longest(a.Seq)
	d.workers = forWorkers(d.workers, workers)
	for i := range d.workers {
		d.workers[i].shape(steps, a.K, a.D)
	}
}

// deltaWay is one head's way along one sequence, in a worker's memory.
type deltaWay struct {
	*deltaScratch
	*deltaData
	head, first, last int
	width             int // of a row of X
}

// way is that of piece i: head by head, sequence by sequence.
func (d *deltaData) way(worker, i int) deltaWay {
	s := d.Seq.Lo + i/d.H
	return deltaWay{&d.workers[worker], d, i % d.H, int(d.start[s]), int(d.end[s]), d.Width()}
}

// query, key and value are the head's in row r of a matrix like X.
func (d *deltaWay) query(x []float32, r int) []float32 { return x[r*d.width+d.head*d.K:][:d.K] }
func (d *deltaWay) key(x []float32, r int) []float32   { return x[r*d.width+(d.H+d.head)*d.K:][:d.K] }
func (d *deltaWay) value(x []float32, r int) []float32 {
	return x[r*d.width+2*d.H*d.K+d.head*d.D:][:d.D]
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

// all is one of the numbers, of every step.
func (d *deltaWay) all(number int) []float32 {
	return d.numbers[number*(d.last-d.first):][:d.last-d.first]
}

// inputs reads those of the gates.
func (d *deltaWay) inputs() (a, b []float32) {
	a, b = d.all(ofA), d.all(ofB)
	for t := range a {
		at := (d.first+t)*d.H + d.head
		a[t], b[t] = d.a[at], d.b[at]
	}
	return a, b
}

// decay is log α over softplus(a).
func (d *deltaWay) decay() float32 { return -float32(math.Exp(float64(d.rate[d.head]))) }

type deltaJob struct {
	deltaData
	o []float32
}

// DeltaForward is the gated delta rule along each sequence; a piece is a head of one.
func (f *Fast) DeltaForward(a backend.DeltaForward) {
	a.Check()
	j := jobOf[deltaJob](f)
	j.bind(a.Delta, f.pool.workers)
	j.o = data(a.O)
	f.pool.run(j, a.H*(a.Seq.Hi-a.Seq.Lo))
}

func (j *deltaJob) piece(worker, i int) {
	d := j.way(worker, i)
	a, b := d.inputs()
	alpha, beta := d.all(ofAlpha), d.all(ofBeta)
	vec.SoftPlus(alpha, a)
	vec.Scale(alpha, alpha, d.decay())
	vec.Exp(alpha, alpha, 0)
	vec.Sigmoid(beta, b)
	vec.Scale(beta, beta, d.Scale)
	for t := range alpha {
		g := d.gate(d.first + t)
		g[0], g[d.H] = alpha[t], beta[t]
	}
	clear(d.state)
	for r := d.first; r < d.last; r += backend.DeltaEvery {
		copy(d.kept(r), d.state)
		d.forward(r, min(backend.DeltaEvery, d.last-r), j.o)
	}
	clear(d.out(j.o, d.last))
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
	j, pieces := jobOf[undeltaJob](f), a.H*(a.Seq.Hi-a.Seq.Lo)
	j.bind(a.Delta, f.pool.workers)
	j.dx, j.da, j.db, j.do = data(a.DX), data(a.DA), data(a.DB), data(a.DO)
	grow(&j.rates, pieces)
	f.pool.run(j, pieces)
	f.sum(data(a.DRate)[:a.H], j.rates, a.Seq.Hi-a.Seq.Lo, a.H)
}

func (j *undeltaJob) piece(worker, i int) {
	d := j.way(worker, i)
	clear(d.grad)
	n := d.last - d.first
	alpha, beta := d.all(ofAlpha), d.all(ofBeta)
	for t := range n {
		g := d.gate(d.first + t)
		alpha[t], beta[t] = g[0], g[d.H]
	}
	for r := d.first + (n-1)/backend.DeltaEvery*backend.DeltaEvery; r >= d.first; r -= backend.DeltaEvery {
		d.backward(r, min(backend.DeltaEvery, d.last-r), j.dx, j.do)
	}
	j.rates[i] = j.gates(&d)
	clear(d.query(j.dx, d.last))
	clear(d.key(j.dx, d.last))
	clear(d.value(j.dx, d.last))
	j.da[d.last*d.H+d.head], j.db[d.last*d.H+d.head] = 0, 0
}

// gates takes the gradients of α and β on to a and b, and returns that of the head's rate.
func (j *undeltaJob) gates(d *deltaWay) (rate float32) {
	a, b := d.inputs()
	alpha, beta, dalpha, dbeta := d.all(ofAlpha), d.all(ofBeta), d.all(ofDAlpha), d.all(ofDBeta)
	vec.Gain(dalpha, dalpha, alpha, 1)
	vec.Scale(dalpha, dalpha, d.decay()) // of softplus(a)
	soft, slope, open := alpha, beta, b
	vec.SoftPlus(soft, a)
	vec.Sigmoid(slope, a)
	vec.Sigmoid(open, b)
	rate = vec.Dot(dalpha, soft)
	vec.Gain(dalpha, dalpha, slope, 1)
	for t := range dalpha {
		at := (d.first+t)*d.H + d.head
		j.da[at], j.db[at] = dalpha[t], dbeta[t]*d.Scale*open[t]*(1-open[t])
	}
	return rate
}
