package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// projectJob is the product of every head's vectors with its panel, both planes, in pieces of rows; going back it
// sums each head's dΛ = hᵀ dq over the piece's rows as well.
//
// Λ is lower triangular. Where a head's width is a few columns more than a vector holds (33 = 2·16 + 1), those last
// columns, which have next to nothing below them, are summed by themselves: the wide products would spend as much on
// them as on all others.
type projectJob struct {
	panels     []vec.Panel // a head's Λ, or Λᵀ going back
	factor     []float32   // [H, d, d]
	c, a       []float32   // rows of N: q and h forward, dh and dq back
	rows, n, d int         // rows: two planes for each state
	wide       int         // columns that the products compute; the rest one by one
	state      []float32   // going back: h
	parts      int
	sums       []float32 // [parts, H, d, d]
	scratch    []vec.TNScratch
	back       bool
}

func (j *projectJob) piece(worker, i int) {
	from, to := spread(j.rows, j.parts, i)
	d := j.d
	for k := range j.panels {
		at := from*j.n + k*d
		j.panels[k].MulRows(j.c[at:], j.n, j.a[at:], j.n, to-from, j.back)
		if !j.back {
			j.lastColumns(j.factor[k*d*d:][:d*d], j.c[at:], j.a[at:], to-from)
			continue
		}
		sum := j.sums[(i*len(j.panels)+k)*d*d:][:d*d]
		j.scratch[worker].MulTN(sum, d, j.state[at:], j.n, j.a[at:], j.n, to-from, d, j.wide, false, nil)
		j.lastColumnsBack(sum, j.state[at:], j.a[at:], to-from)
	}
}

// lastColumns is q_c = Σ_{r≥c} Λ_rc h_r for the columns that the product left out.
func (j *projectJob) lastColumns(factor, q, h []float32, rows int) {
	for c := j.wide; c < j.d; c++ {
		for at := 0; at < rows*j.n; at += j.n {
			var sum float32
			for r := c; r < j.d; r++ {
				sum += factor[r*j.d+c] * h[at+r]
			}
			q[at+c] = sum
		}
	}
}

// lastColumnsBack is dΛ_rc = Σ h_r dq_c, r ≥ c, for the same columns.
func (j *projectJob) lastColumnsBack(sum, h, dq []float32, rows int) {
	for c := j.wide; c < j.d; c++ {
		for r := range j.d {
			var x float32
			for at := 0; r >= c && at < rows*j.n; at += j.n {
				x += h[at+r] * dq[at+c]
			}
			sum[r*j.d+c] = x
		}
	}
}

// shape prepares for heads panels and cuts the rows.
func (j *projectJob) shape(rows, n, heads, workers int) {
	if len(j.panels) != heads {
		j.panels = make([]vec.Panel, heads)
	}
	j.scratch = forWorkers(j.scratch, workers)
	j.rows, j.n, j.d = 2*rows, n, n/heads
	j.wide = j.d
	if rest := j.d % 16; rest <= 4 && j.d > 16 {
		j.wide -= rest
	}
	j.parts = weightParts(j.rows)
	grow(&j.sums, j.parts*n*j.d)
}

// ProjectForward is q = Λᵀ h.
func (f *Fast) ProjectForward(a backend.ProjectForward) {
	a.Check()
	j, factor := jobOf[projectJob](f), data(a.Factor)
	j.shape(a.Rows, a.N, a.Head, f.pool.workers)
	for k := range j.panels {
		j.panels[k].Pack(factor[k*j.d*j.d:], j.d, j.d, j.wide)
	}
	j.factor, j.c, j.a, j.back = factor, data(a.Q), data(a.State), false
	f.pool.run(j, j.parts)
}

// ProjectBackward is dh += Λ dq, dΛ = hᵀ dq.
func (f *Fast) ProjectBackward(a backend.ProjectBackward) {
	a.Check()
	j, factor := jobOf[projectJob](f), data(a.Factor)
	j.shape(a.Rows, a.N, a.Head, f.pool.workers)
	for k := range j.panels {
		j.panels[k].PackT(factor[k*j.d*j.d:], j.d, j.d, j.d)
	}
	j.c, j.a, j.state, j.back = data(a.DState), data(a.DQ), data(a.State), true
	f.pool.run(j, j.parts)
	d, size := j.d, a.N*j.d
	sum := data(a.DFactor)[:size]
	clear(sum)
	for i := range j.parts {
		vec.Add(sum, j.sums[i*size:][:size])
	}
	for k := range a.Head { // Λ has no upper triangle
		for i := range d {
			clear(sum[(k*d+i)*d+i+1 : (k*d+i+1)*d])
		}
	}
}
