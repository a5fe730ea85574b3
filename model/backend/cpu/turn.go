package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

// turnData is what both directions of the turn read.
type turnData struct {
	psi, omega []float32
	row, steps []int32
	p, n       int
	workers    []turnScratch
}

// turnScratch is a worker's memory for one row.
type turnScratch struct {
	angle []float32 // [3N]: angles, sines, cosines
	spin  spin
	queue vec.Queue
}

func (d *turnData) shape(p, n, workers int) {
	d.p, d.n = p, n
	d.workers = forWorkers(d.workers, workers)
	for i := range d.workers {
		w := &d.workers[i]
		grow(&w.angle, 3*n)
		w.spin.shape(n)
	}
}

// turn is the turn of row p, with sign −1 the opposite one. Full circles are taken off in float64: what is left of the
// angle fits a float32.
func (d *turnData) turn(worker, p int, sign float64) *spin {
	w, n := &d.workers[worker], d.n
	angle, sin, cos := w.angle[:n], w.angle[n:2*n], w.angle[2*n:3*n]
	for j := range angle {
		x := reference.Turned(d.psi[j], d.omega[j], d.steps[p])
		angle[j] = float32(sign * (x - 2*math.Pi*math.RoundToEven(x*(1/(2*math.Pi)))))
	}
	vec.SinCos(sin, cos, angle)
	for j, s := range sin {
		w.spin.put(j, cos[j], s)
	}
	return &w.spin
}

type turnJob struct {
	turnData
	out, state []float32
}

// TurnForward is Out[p] = e^{i(ψ + ω·Steps[p])} ⊙ State[Row[p]].
func (f *Fast) TurnForward(a backend.TurnForward) {
	a.Check()
	j := jobOf[turnJob](f)
	j.psi, j.omega, j.row, j.steps = data(a.Psi), data(a.Omega), ints(a.Row), ints(a.Steps)
	j.out, j.state = data(a.Out), data(a.State)
	j.shape(a.P, a.N, f.pool.workers)
	f.pool.run(j, elementPieces(a.P))
}

func (j *turnJob) piece(worker, i int) {
	q := &j.workers[worker].queue
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		out := j.out[2*j.n*p:][:2*j.n]
		clear(out)
		j.turn(worker, p, 1).add(q, out, j.state[2*j.n*int(j.row[p]):])
		q.Run() // the next turn takes this one's place
	}
}

// unturnJob takes some rows back a piece, with sums of its own for dψ and dω; the sums are added in order.
type unturnJob struct {
	turnData
	dstate, dout, out []float32
	sums, rates       []float32 // [pieces, N]
}

// TurnBackward is the backward pass of TurnForward.
func (f *Fast) TurnBackward(a backend.TurnBackward) {
	a.Check()
	j, pieces := jobOf[unturnJob](f), elementPieces(a.P)
	j.psi, j.omega, j.row, j.steps = data(a.Psi), data(a.Omega), ints(a.Row), ints(a.Steps)
	j.dstate, j.dout, j.out = data(a.DState), data(a.DOut), data(a.Out)
	j.shape(a.P, a.N, f.pool.workers)
	grow(&j.sums, pieces*a.N)
	grow(&j.rates, pieces*a.N)
	f.pool.run(j, pieces)
	if a.DPsi.Given() {
		f.sum(data(a.DPsi)[:a.N], j.sums, pieces, a.N)
	}
	if a.DOmega.Given() {
		f.sum(data(a.DOmega)[:a.N], j.rates, pieces, a.N)
	}
}

func (j *unturnJob) piece(worker, i int) {
	n, q := j.n, &j.workers[worker].queue
	sum, rates := j.sums[i*n:][:n], j.rates[i*n:][:n]
	clear(sum)
	clear(rates)
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		dy, y := j.dout[2*n*p:][:2*n], j.out[2*n*p:][:2*n]
		j.turn(worker, p, -1).add(q, j.dstate[2*n*int(j.row[p]):], dy)
		q.Run()
		for k := range sum {
			d := dy[n+k]*y[k] - dy[k]*y[n+k]
			sum[k] += d
			rates[k] += float32(j.steps[p]) * d
		}
	}
}
