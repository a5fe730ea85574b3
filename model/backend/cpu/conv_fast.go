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
	w          [taps][]float32
	zeros      []float32 // [N]: the steps before a sequence's first
}

func (d *convData) bind(a backend.Conv) {
	d.Conv, d.x, d.start, d.end = a, Data[float32](a.X), intData(a.Seq.Start), intData(a.Seq.End)
	if len(d.zeros) < a.N {
		d.weights, d.zeros = make([]float32, taps*a.N), make([]float32, a.N)
	}
	weight := Data[float32](a.Weight)
	for j := range d.w {
		d.w[j] = d.weights[j*a.N:][:a.N]
		for c := range d.w[j] {
			d.w[j][c] = weight[taps*c+j]
		}
	}
}

// read are the steps that the one in row r reads, oldest first.
func (d *convData) read(r, first int) (x [taps][]float32) {
	for j := range x {
		x[j] = d.zeros[:d.N]
		if from := r - taps + 1 + j; from >= first {
			x[j] = d.x[from*d.N:][:d.N]
		}
	}
	return x
}

type convJob struct {
	convData
	y []float32
}

// ConvForward is Y = z·σ(z), z_t = Σ_j w_j x_{t−3+j}, along each sequence.
func (f *Fast) ConvForward(a backend.ConvForward) {
	a.Check()
	j := &f.baseline().conv
	j.bind(a.Conv)
	j.y = Data[float32](a.Y)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

func (j *convJob) piece(_, i int) {
	s := j.Seq.Lo + i
	first, last := int(j.start[s]), int(j.end[s])
	for r := first; r < last; r++ {
		x := j.read(r, first)
		vec.TapsSilu(j.y[r*j.Width+j.From:][:j.N], &j.w, &x)
	}
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
	j, pieces := &f.baseline().unconv, a.Seq.Hi-a.Seq.Lo
	j.bind(a.Conv)
	j.dx, j.dy = Data[float32](a.DX), Data[float32](a.DY)
	j.rowScratch.shape(f.pool.workers, taps*a.N)
	if size := (pieces + 1) * taps * a.N; len(j.sums) < size {
		j.sums = make([]float32, size)
	}
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
	sums, ring := j.sums[i*taps*n:][:taps*n], j.rows[worker][:taps*n]
	clear(sums)
	clear(ring)
	var dw, dz [taps][]float32 // dz: of the step at hand and those behind it, latest first
	for t := range taps {
		dw[t], dz[t] = sums[t*n:][:n], ring[t*n:][:n]
	}
	for r := last - 1; r >= first; r-- {
		dz[0], dz[1], dz[2], dz[3] = dz[1], dz[2], dz[3], dz[0]
		x := j.read(r, first)
		vec.TapsSiluBackward(dz[taps-1], j.dy[r*j.Width+j.From:][:n], &dw, &j.w, &x)
		vec.Taps(j.dx[r*n:][:n], &j.w, &dz)
	}
	clear(j.dx[last*n:][:n])
}
