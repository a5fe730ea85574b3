package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

const taps = backend.ConvTaps

// convData is backend.Conv with its arrays at hand.
type convData struct {
	backend.Conv
	x          []float32
	start, end []int32
	weights    []float32 // [taps, N]: the weights by tap
}

func (d *convData) bind(a backend.Conv) {
	d.Conv, d.x, d.start, d.end = a, data(a.X), ints(a.Seq.Start), ints(a.Seq.End)
	grow(&d.weights, taps*a.N)
	for i, w := range data(a.Weight)[:taps*a.N] {
		d.weights[i%taps*a.N+i/taps] = w
	}
}

type convJob struct {
	convData
	y []float32
}

// ConvForward is Y = z·σ(z), z_t = Σ_j w_j x_{t−3+j}, along each sequence.
func (f *Fast) ConvForward(a backend.ConvForward) {
	a.Check()
	j := jobOf[convJob](f)
	j.bind(a.Conv)
	j.y = data(a.Y)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

// piece leaves rows before the sequence's first one, which count as 0, out of its first three steps.
func (j *convJob) piece(_, i int) {
	n, s := j.N, j.Seq.Lo+i
	first, last := int(j.start[s]), int(j.end[s])
	for t := first; t < last; t++ {
		y := j.y[t*j.Width+j.From:][:n]
		if t >= first+taps-1 {
			x := j.x[(t-3)*n:]
			vec.ConvStep(n, y, j.weights, x, x[n:], x[2*n:], x[3*n:])
			continue
		}
		vec.Gain(y, j.x[t*n:], j.weights[3*n:], 1)
		for k := first; k < t; k++ {
			vec.AddProduct(y, j.x[k*n:], j.weights[(3-t+k)*n:], 1)
		}
		vec.SiLU(y, y)
	}
	clear(j.y[last*j.Width+j.From:][:n])
}

// unconvJob takes a sequence back a piece, with a gradient of the weights of its own; these are added in order.
type unconvJob struct {
	convData
	rowScratch
	dx, dy []float32
	sums   []float32 // [pieces, taps, N]
}

// ConvBackward is the backward pass of ConvForward.
func (f *Fast) ConvBackward(a backend.ConvBackward) {
	a.Check()
	j, pieces := jobOf[unconvJob](f), a.Seq.Hi-a.Seq.Lo
	j.bind(a.Conv)
	j.dx, j.dy = data(a.DX), data(a.DY)
	j.rowScratch.shape(f.pool.workers, (taps+1)*a.N)
	grow(&j.sums, (pieces+1)*taps*a.N)
	f.pool.run(j, pieces)
	sum := j.sums[pieces*taps*a.N:][:taps*a.N]
	clear(sum)
	f.sum(sum, j.sums, pieces, len(sum))
	dw := data(a.DWeight)
	for t := range taps {
		for c, x := range sum[t*a.N:][:a.N] {
			dw[taps*c+t] += x
		}
	}
}

// piece keeps the gradients of z of the last four steps in a ring, and a row of zeros behind them.
func (j *unconvJob) piece(worker, i int) {
	n, s, ring, w := j.N, j.Seq.Lo+i, j.rows[worker], j.weights
	first, last := int(j.start[s]), int(j.end[s])
	dw := j.sums[i*taps*n:][:taps*n]
	clear(dw)
	clear(ring[:(taps+1)*n])
	x := func(t int) []float32 {
		if t < first {
			return ring[taps*n:]
		}
		return j.x[t*n:]
	}
	for t := last - 1; t >= first; t-- {
		d := func(later int) []float32 { return ring[(t-first+later)%taps*n:][:n] }
		vec.UnconvStep(n, d(0), dw, j.dy[t*j.Width+j.From:], w, x(t-3), x(t-2), x(t-1), x(t))
		vec.UnconvInput(n, j.dx[t*n:], w, d(0), d(1), d(2), d(3))
	}
	clear(j.dx[last*n:][:n])
}
