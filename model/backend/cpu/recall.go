package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type recallJob struct {
	out, state, gate []float32
	row, token       []int32
	p, n             int
	queue            []vec.Queue // a worker's
}

// RecallForward is Out[p] = Gate[Token[p]] ⊙ State[Row[p]].
func (f *Fast) RecallForward(a backend.RecallForward) {
	a.Check()
	j := jobOf[recallJob](f)
	*j = recallJob{queue: forWorkers(j.queue, f.pool.workers), out: data(a.Out), state: data(a.State),
		gate: data(a.Gate), row: ints(a.Row), token: ints(a.Token), p: a.P, n: a.N}
	f.pool.run(j, elementPieces(a.P))
}

func (j *recallJob) piece(worker, i int) {
	n, q := j.n, &j.queue[worker]
	from, to := elementRange(i, j.p)
	for p := from; p < to; p++ {
		out := j.out[2*n*p:][:2*n]
		q.Clear(out)
		q.AxpyComplex(n, out, j.gate[n*int(j.token[p]):], j.state[2*n*int(j.row[p]):])
	}
	q.Run()
}

// unrecallJob takes some rows back a piece, with sums of its own for the gates; the sums are added in order.
type unrecallJob struct {
	args                      backend.RecallBackward
	gates                     bool // the gradient of the gates is asked for
	dstate, dout, state, gate []float32
	row, token                []int32
	parts                     int
	sums                      []float32   // [parts, V, N]
	queue                     []vec.Queue // a worker's
}

// RecallBackward is the backward pass of RecallForward.
func (f *Fast) RecallBackward(a backend.RecallBackward) {
	a.Check()
	j, size := jobOf[unrecallJob](f), a.V*a.N
	j.args, j.row, j.token = a, ints(a.Row), ints(a.Token)
	j.dstate, j.dout, j.state, j.gate = data(a.DState), data(a.DOut), data(a.State), data(a.Gate)
	j.queue = forWorkers(j.queue, f.pool.workers)
	j.parts, j.gates = weightParts(a.P), a.DGate.Given()
	grow(&j.sums, j.parts*size)
	f.pool.run(j, j.parts)
	if j.gates {
		f.sum(data(a.DGate)[:size], j.sums, j.parts, size)
	}
}

func (j *unrecallJob) piece(worker, i int) {
	n, size, q := j.args.N, j.args.V*j.args.N, &j.queue[worker]
	sums := j.sums[i*size:][:size]
	clear(sums)
	from, to := spread(j.args.P, j.parts, i)
	for p := from; p < to; p++ {
		at, v, dy := 2*n*int(j.row[p]), n*int(j.token[p]), j.dout[2*n*p:]
		q.AxpyComplex(n, j.dstate[at:], j.gate[v:], dy)
		if j.gates {
			q.AddInner(n, sums[v:], j.state[at:], dy)
		}
	}
	q.Run()
}
