package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// spin turns N complex numbers by an angle each. A plane of the product is the inner product, unit by unit, of the
// number with a factor of the plane's own.
type spin struct{ re, im []float32 } // [2N]: conjugate of the factor, and i times that

func (s *spin) shape(n int) {
	s.re, s.im = grow(&s.re, 2*n), grow(&s.im, 2*n)
}

// put makes unit j's turn the one of cosine cos and sine sin.
func (s *spin) put(j int, cos, sin float32) {
	n := len(s.re) / 2
	s.re[j], s.re[n+j] = cos, -sin
	s.im[j], s.im[n+j] = sin, cos
}

// add adds x, turned, to dst [2N].
func (s *spin) add(q *vec.Queue, dst, x []float32) {
	n := len(s.re) / 2
	q.AddInner(n, dst, s.re, x)
	q.AddInner(n, dst[n:], s.im, x)
}

// turn makes every unit's turn sign times its rate.
func (s *spin) turn(sign float32, omega []float32) {
	s.shape(len(omega))
	for j, x := range omega {
		sin, cos := math.Sincos(float64(sign * x))
		s.put(j, float32(cos), float32(sin))
	}
}

// slotsData is backend.Slots with its arrays at hand.
type slotsData struct {
	backend.Slots
	at, start, end []int32
	state, in      []float32
	ahead          spin        // of a step
	queue          []vec.Queue // a worker's
	scratch        []float32   // [workers, 5N]: inverse lengths and two complex vectors, with Normalise
}

func (d *slotsData) bind(a backend.Slots, workers int) {
	d.Slots = a
	d.at, d.start, d.end = ints(a.At), ints(a.Seq.Start), ints(a.Seq.End)
	d.state, d.in = data(a.State), data(a.In)
	d.queue = forWorkers(d.queue, workers)
	d.ahead.turn(-1, data(a.Omega)[:a.N])
	if a.Normalise {
		grow(&d.scratch, 5*a.N*workers)
	}
}

// room is a worker's scratch.
func (d *slotsData) room(worker int) (inv, z, dz []float32) {
	n := d.N
	x := d.scratch[5*n*worker:][:5*n]
	return x[:n], x[n : 3*n], x[3*n:]
}

// sum makes next what row r, m, and In give, without Normalise.
func (d *slotsData) sum(q *vec.Queue, next, m []float32, r int) {
	q.Copy(next, d.in[2*d.N*int(d.at[r]):])
	d.ahead.add(q, next, m)
}

// slotsForwardJob carries one sequence a piece.
type slotsForwardJob struct {
	slotsData
	init []float32
	goOn bool
}

// SlotsForward is m_t = e^{−iω} ⊙ m_{t−1} + In[At[t]] along each sequence, with Normalise each unit over its length.
func (f *Fast) SlotsForward(a backend.SlotsForward) {
	a.Check()
	j := jobOf[slotsForwardJob](f)
	j.bind(a.Slots, f.pool.workers)
	j.init, j.goOn = data(a.Init), a.Continue
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

func (j *slotsForwardJob) piece(worker, i int) {
	n, s, q := j.N, j.Seq.Lo+i, &j.queue[worker]
	first, last := int(j.start[s]), int(j.end[s])
	m := j.state[2*n*first:][:2*n]
	switch {
	case j.init != nil:
		copy(m, j.init[2*n*i:])
	case !j.goOn:
		clear(m)
	}
	for r := first; r < last; r++ {
		next := j.state[2*n*(r+1):][:2*n]
		j.sum(q, next, m, r)
		if j.Normalise {
			inv, _, _ := j.room(worker)
			q.Unit(n, next, inv, next, j.Eps)
		}
		m = next
	}
	q.Run()
}

// slotsBackwardJob takes one sequence back a piece.
type slotsBackwardJob struct {
	slotsData
	dstate, dinit []float32
	back          spin      // of a step back
	rates         []float32 // [pieces, N]: each sequence's gradient of the rates; empty: not asked for
}

// SlotsBackward goes back along each sequence: dm_{t−1} += e^{iω} ⊙ dm_t, dIn[At[t]] += dm_t, and for the rates
// dω += Im(conj(e^{iω} dm_t)·m_{t−1}).
func (f *Fast) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	j, pieces := jobOf[slotsBackwardJob](f), a.Seq.Hi-a.Seq.Lo
	j.bind(a.Slots, f.pool.workers)
	j.back.turn(1, data(a.Omega)[:a.N])
	j.dstate, j.dinit = data(a.DState), data(a.DInit)
	j.rates = j.rates[:0]
	if a.DOmega.Given() {
		j.rates = grow(&j.rates, pieces*a.N)
		clear(j.rates)
	}
	f.pool.run(j, pieces)
	if a.DOmega.Given() {
		f.sum(data(a.DOmega)[:a.N], j.rates, pieces, a.N)
	}
	deal := jobOf[dealJob](f)
	*deal = dealJob{slotsData: &j.slotsData, dstate: j.dstate, tin: data(a.TIn), parts: f.pool.workers}
	f.pool.run(deal, deal.parts)
}

func (j *slotsBackwardJob) piece(worker, i int) {
	n, s, q := j.N, j.Seq.Lo+i, &j.queue[worker]
	first, last := int(j.start[s]), int(j.end[s])
	for r := last - 1; r >= first; r-- {
		m, d := j.state[2*n*r:][:2*n], j.dstate[2*n*(r+1):][:2*n]
		if j.Normalise {
			inv, z, dz := j.room(worker)
			j.sum(q, z, m, r)
			q.Unit(n, z, inv, z, j.Eps)
			q.Clear(dz)
			q.UnitBackward(n, dz, d, z, inv)
			q.Copy(d, dz)
		}
		j.back.add(q, j.dstate[2*n*r:], d)
		if len(j.rates) > 0 {
			q.Along(n, j.rates[n*i:], j.back.re, j.back.im, d, m)
		}
	}
	q.Run()
	if j.dinit != nil {
		copy(j.dinit[2*n*i:][:2*n], j.dstate[2*n*first:])
	}
}

// dealJob sums the steps' gradients by row of In. A piece owns the rows that are i modulo parts and goes through all
// steps, so every row's sum has the order of the arena.
type dealJob struct {
	*slotsData
	dstate, tin []float32
	parts       int
}

func (j *dealJob) piece(worker, i int) {
	n, q := j.N, &j.queue[worker]
	for s := j.Seq.Lo; s < j.Seq.Hi; s++ {
		for r := int(j.start[s]); r < int(j.end[s]); r++ {
			if m := int(j.at[r]); m%j.parts == i {
				q.Add(j.tin[2*n*m:][:2*n], j.dstate[2*n*(r+1):])
			}
		}
	}
	q.Run()
}
