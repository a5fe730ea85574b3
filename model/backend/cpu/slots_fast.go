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
	if cap(s.re) < 2*n {
		s.re, s.im = make([]float32, 2*n), make([]float32, 2*n)
	}
	s.re, s.im = s.re[:2*n], s.im[:2*n]
}

// put makes unit j's turn the one of cosine cos and sine sin.
func (s *spin) put(j int, cos, sin float32) {
	n := len(s.re) / 2
	s.re[j], s.re[n+j] = cos, -sin
	s.im[j], s.im[n+j] = sin, cos
}

// add adds x, turned, to dst [2N].
func (s *spin) add(dst, x []float32) {
	n := len(s.re) / 2
	vec.AddInner(n, dst, s.re, x)
	vec.AddInner(n, dst[n:], s.im, x)
}

// slotsData is backend.Slots with its arrays at hand.
type slotsData struct {
	backend.Slots
	at, start, end []int32
	step           spin // of a step in the call's direction
}

// bind turns a step by sign times the units' rates.
func (d *slotsData) bind(a backend.Slots, sign float32) {
	d.Slots = a
	d.at, d.start, d.end = intData(a.At), intData(a.Seq.Start), intData(a.Seq.End)
	d.step.shape(a.N)
	for j, x := range Data[float32](a.Omega)[:a.N] {
		sin, cos := math.Sincos(float64(sign * x))
		d.step.put(j, float32(cos), float32(sin))
	}
}

// slotsForwardJob carries one sequence a piece.
type slotsForwardJob struct {
	slotsData
	state, in, init []float32
	goOn            bool
}

// SlotsForward is m_t = e^{−iω} ⊙ m_{t−1} + In[At[t]] along each sequence.
func (f *Fast) SlotsForward(a backend.SlotsForward) {
	a.Check()
	j := &f.slots
	j.bind(a.Slots, -1)
	j.state, j.in, j.init, j.goOn = Data[float32](a.State), Data[float32](a.In), Data[float32](a.Init), a.Continue
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
}

func (j *slotsForwardJob) piece(_, i int) {
	n, s := j.N, j.Seq.Lo+i
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
		copy(next, j.in[2*n*int(j.at[r]):])
		j.step.add(next, m)
		m = next
	}
}

// slotsBackwardJob takes one sequence back a piece.
type slotsBackwardJob struct {
	slotsData
	dstate, dinit []float32
}

// SlotsBackward goes back along each sequence: dm_{t−1} += e^{iω} ⊙ dm_t, dIn[At[t]] += dm_t.
func (f *Fast) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	j := &f.unslots
	j.bind(a.Slots, 1)
	j.dstate, j.dinit = Data[float32](a.DState), Data[float32](a.DInit)
	f.pool.run(j, a.Seq.Hi-a.Seq.Lo)
	f.deal = dealJob{slotsData: &j.slotsData, dstate: j.dstate, tin: Data[float32](a.TIn), parts: f.pool.workers}
	f.pool.run(&f.deal, f.deal.parts)
}

func (j *slotsBackwardJob) piece(_, i int) {
	n, s := j.N, j.Seq.Lo+i
	first, last := int(j.start[s]), int(j.end[s])
	for r := last - 1; r >= first; r-- {
		j.step.add(j.dstate[2*n*r:], j.dstate[2*n*(r+1):])
	}
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

func (j *dealJob) piece(_, i int) {
	n := j.N
	for s := j.Seq.Lo; s < j.Seq.Hi; s++ {
		for r := int(j.start[s]); r < int(j.end[s]); r++ {
			if m := int(j.at[r]); m%j.parts == i {
				vec.Add(j.tin[2*n*m:][:2*n], j.dstate[2*n*(r+1):])
			}
		}
	}
}
