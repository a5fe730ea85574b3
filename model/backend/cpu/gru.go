package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// gruJob runs the time loop for one piece of the sequences at a time.
type gruJob struct {
	gated
	state, gates, hidden, pre []float32
	panel                     vec.Panel // U, transposed
}

// GRUForward runs the time loop of every sequence.
func (f *Fast) GRUForward(a backend.GRUForward) {
	a.Check()
	j := jobOf[gruJob](f)
	j.bind(a.Seq, a.At, a.N, 3*a.N, f.pool.workers)
	j.state, j.gates, j.hidden, j.pre = data(a.State), data(a.Gates), data(a.Hidden), data(a.Pre)
	j.panel.PackT(data(a.U), a.N, a.N, 3*a.N)
	f.pool.run(j, j.chunks.count)
}

func (j *gruJob) piece(worker, i int) {
	w, n := &j.workers[worker], j.n
	steps := j.take(w, i)
	for _, s := range w.seqs {
		clear(j.state[n*int(j.start[s]):][:n])
	}
	for t := range steps {
		rows := j.alive(w, t)
		j.products(w, rows, &j.panel, j.state)
		for k, r := range rows {
			if k+prefetchAhead < len(rows) {
				j.prefetch(rows[k+prefetchAhead])
			}
			gates, sum, pre := j.gates[3*n*r:][:3*n], w.sum[3*n*k:], j.pre[3*n*int(j.at[r]):]
			vec.SigmoidSum(gates[:2*n], sum, pre)
			vec.GRUState(n, gates, j.hidden[n*r:], j.state[n*(r+1):], sum[2*n:], pre[2*n:], j.state[n*r:])
		}
	}
}

// prefetch asks for what the step of row r reads and writes.
func (j *gruJob) prefetch(r int) {
	n := j.n
	vec.Prefetch(j.gates[3*n*r:][:3*n], j.hidden[n*r:][:n], j.pre[3*n*int(j.at[r]):][:3*n], j.state[n*r:][:2*n])
}

// ungruJob runs it backwards.
type ungruJob struct {
	gated
	state, gates, hidden, dstate []float32
	opened, candidate            vec.Panel // U_r and U_z, U_n
}

// GRUBackward is the backward pass of GRUForward.
func (f *Fast) GRUBackward(a backend.GRUBackward) {
	a.Check()
	j := jobOf[ungruJob](f)
	j.bind(a.Seq, a.At, a.N, 3*a.N, f.pool.workers)
	j.state, j.gates, j.hidden, j.dstate = data(a.State), data(a.Gates), data(a.Hidden), data(a.DState)
	u := data(a.U)
	j.opened.Pack(u, a.N, 2*a.N, a.N)
	j.candidate.Pack(u[2*a.N*a.N:], a.N, a.N, a.N)
	f.pool.run(j, j.chunks.count)
}

func (j *ungruJob) piece(worker, i int) {
	w, n := &j.workers[worker], j.n
	steps := j.take(w, i)
	for _, s := range w.seqs {
		clear(j.gates[3*n*int(j.end[s]):][:3*n])
		clear(j.hidden[n*int(j.end[s]):][:n])
	}
	for t := steps - 1; t >= 0; t-- {
		rows := j.alive(w, t)
		for k, r := range rows {
			if k+prefetchAhead < len(rows) {
				j.prefetch(rows[k+prefetchAhead])
			}
			vec.GRUBackward(n, j.gates[3*n*r:][:3*n], j.hidden[n*r:][:n], j.dstate[n*r:][:n], j.state[n*r:],
				j.dstate[n*(r+1):])
		}
		j.back(w, rows, &j.opened, j.dstate, j.gates, 3*n)
		j.back(w, rows, &j.candidate, j.dstate, j.hidden, n)
	}
}

// prefetch asks for what the step of row r reads and writes.
func (j *ungruJob) prefetch(r int) {
	n := j.n
	vec.Prefetch(j.gates[3*n*r:][:3*n], j.hidden[n*r:][:n], j.state[n*r:][:n], j.dstate[n*r:][:2*n])
}
