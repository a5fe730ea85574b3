package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// lstmJob runs the time loop for one piece of the sequences at a time.
type lstmJob struct {
	gated
	state, memory, gates, pre []float32
	panel                     vec.Panel // W, transposed
}

// LSTMForward runs the time loop of every sequence.
func (f *Fast) LSTMForward(a backend.LSTMForward) {
	a.Check()
	j := jobOf[lstmJob](f)
	j.bind(a.Seq, a.At, a.N, 4*a.N, f.pool.workers)
	j.state, j.memory, j.gates, j.pre = data(a.State), data(a.Memory), data(a.Gates), data(a.Pre)
	j.panel.PackT(data(a.W), a.N, a.N, 4*a.N)
	f.pool.run(j, j.chunks.count)
}

func (j *lstmJob) piece(worker, i int) {
	w, n := &j.workers[worker], j.n
	steps := j.take(w, i)
	for _, s := range w.seqs {
		clear(j.state[n*int(j.start[s]):][:n])
		clear(j.memory[n*int(j.start[s]):][:n])
	}
	for t := range steps {
		rows := j.alive(w, t)
		j.products(w, rows, &j.panel, j.state)
		for k, r := range rows {
			if k+prefetchAhead < len(rows) {
				j.prefetch(rows[k+prefetchAhead])
			}
			// One loop for all gates would keep more numbers than there are registers.
			gates, sum, pre := j.gates[4*n*r:][:4*n], w.sum[4*n*k:], j.pre[4*n*int(j.at[r]):]
			vec.SigmoidSum(gates[:2*n], sum, pre)
			vec.TanhSum(gates[2*n:3*n], sum[2*n:], pre[2*n:])
			vec.SigmoidSum(gates[3*n:], sum[3*n:], pre[3*n:])
			vec.LSTMState(n, j.memory[n*(r+1):], j.state[n*(r+1):], gates, j.memory[n*r:])
		}
	}
}

// prefetch asks for what the step of row r reads and writes.
func (j *lstmJob) prefetch(r int) {
	n := j.n
	vec.Prefetch(j.gates[4*n*r:][:4*n], j.pre[4*n*int(j.at[r]):][:4*n], j.memory[n*r:][:2*n], j.state[n*(r+1):][:n])
}

// unlstmJob runs it backwards.
type unlstmJob struct {
	gated
	memory, gates, dstate []float32
	panel                 vec.Panel // W
}

// LSTMBackward is the backward pass of LSTMForward.
func (f *Fast) LSTMBackward(a backend.LSTMBackward) {
	a.Check()
	j := jobOf[unlstmJob](f)
	j.bind(a.Seq, a.At, a.N, 4*a.N, f.pool.workers)
	j.memory, j.gates, j.dstate = data(a.Memory), data(a.Gates), data(a.DState)
	j.panel.Pack(data(a.W), a.N, 4*a.N, a.N)
	f.pool.run(j, j.chunks.count)
}

func (j *unlstmJob) piece(worker, i int) {
	w, n := &j.workers[worker], j.n
	steps := j.take(w, i)
	for _, s := range w.seqs {
		clear(j.gates[4*n*int(j.end[s]):][:4*n])
	}
	clear(w.carry[:n*len(w.seqs)])
	for t := steps - 1; t >= 0; t-- {
		rows := j.alive(w, t)
		for k, r := range rows {
			if k+prefetchAhead < len(rows) {
				j.prefetch(rows[k+prefetchAhead])
			}
			vec.LSTMBackward(n, j.gates[4*n*r:][:4*n], w.carry[n*k:][:n], j.memory[n*r:], j.memory[n*(r+1):],
				j.dstate[n*(r+1):])
		}
		j.back(w, rows, &j.panel, j.dstate, j.gates, 4*n)
	}
}

// prefetch asks for what the step of row r reads and writes.
func (j *unlstmJob) prefetch(r int) {
	n := j.n
	vec.Prefetch(j.gates[4*n*r:][:4*n], j.memory[n*r:][:2*n], j.dstate[n*r:][:2*n])
}
