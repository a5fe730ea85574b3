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
	d.Conv, d.x, d.start, d.end = a, Data[float32](a.X), intData(a.Seq.Start), intData(a.Seq.End)
	grow(&d.weights, taps*a.N)
	for i, w := range Data[float32](a.Weight)[:taps*a.N] {
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
	j.y = Data[float32](a.Y)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

func (j *convJob) piece(_, i int) {
	s := j.Seq.Lo + i
	first, last := int(j.start[s]), int(j.end[s])
	vec.ConvForward(j.y[first*j.Width+j.From:], j.Width, j.weights, j.x[first*j.N:last*j.N], j.N)
	clear(j.y[last*j.Width+j.From:][:j.N])
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
	j.dx, j.dy = Data[float32](a.DX), Data[float32](a.DY)
	j.rowScratch.shape(f.pool.workers, (taps+1)*a.N)
	grow(&j.sums, (pieces+1)*taps*a.N)
	f.pool.run(j, pieces)
	sum := j.sums[pieces*taps*a.N:][:taps*a.N]
	clear(sum)
	f.sum(sum, j.sums, pieces)
	dw := Data[float32](a.DWeight)
	for t := range taps {
		for c, x := range sum[t*a.N:][:a.N] {
			dw[taps*c+t] += x
		}
	}
}

func (j *unconvJob) piece(worker, i int) {
	n, s := j.N, j.Seq.Lo+i
	first, last := int(j.start[s]), int(j.end[s])
	vec.ConvBackward(j.dx[first*n:last*n], j.sums[i*taps*n:][:taps*n], j.dy[first*j.Width+j.From:], j.Width,
		j.weights, j.x[first*n:last*n], n, j.rows[worker])
	clear(j.dx[last*n:][:n])
}
