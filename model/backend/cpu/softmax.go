package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

// softmaxRows is how many queries are taken at a time: their products with all keys are then one of matrices. More
// would share more, but compute more of the part beyond the diagonal too.
const softmaxRows = 16

// softmaxSpan runs one head of one sequence, a block of queries at a time; its memory is O(steps).
type softmaxSpan struct {
	args               backend.Softmax
	d, n, steps, first int
	head               int // where the head begins in a row
	cap                int
	turn               []float32
	q, k               []float32 // [steps, d]: scaled, and turned where that is asked for
	weight, dweight    []float32 // [softmaxRows, cap]: of a block
	sums               [softmaxRows]float32
	across, acrossV    vec.Panel // [d, steps]: keys, values
	along              vec.Panel // [steps, d]: values, or backwards keys
	scratch            vec.TNScratch
}

// load points the span at a head of a sequence, that of piece i; queries are multiplied by scale.
func (w *softmaxSpan) load(a backend.Softmax, i int, scale float32) {
	s, head := a.Seq.Lo+i/a.Heads, i%a.Heads
	w.args, w.n, w.d = a, a.N, a.N/a.Heads
	w.first = int(ints(a.Seq.Start)[s])
	w.steps, w.head = int(ints(a.Seq.End)[s])-w.first, head*w.d
	fromQ, fromK := data(a.Q), data(a.K)
	w.turn = data(a.Turn)
	w.cap = max(w.cap, w.steps)
	d := w.d
	w.q, w.k = grow(&w.q, w.steps*d), grow(&w.k, w.steps*d)
	w.weight, w.dweight = grow(&w.weight, softmaxRows*w.cap), grow(&w.dweight, softmaxRows*w.cap)
	for t := range w.steps {
		q, k := w.q[t*d:][:d], w.k[t*d:][:d]
		copy(q, w.row(fromQ, t))
		copy(k, w.row(fromK, t))
		vec.Scale(q, q, scale)
		if w.turn != nil {
			reference.TurnPairs(q, w.turn[t*d:][:d], 1)
			reference.TurnPairs(k, w.turn[t*d:][:d], 1)
		}
	}
	w.across.PackT(w.k, d, d, w.steps)
}

// row is the head's part of a position's row in x [rows, N], with what follows it.
func (w *softmaxSpan) row(x []float32, t int) []float32 { return x[(w.first+t)*w.n+w.head:] }

// logOf is where the head's logarithm of a position stands.
func (w *softmaxSpan) logOf(log []float32, t int) *float32 {
	return &log[(w.first+t)*w.args.Heads+w.head/w.d]
}

func (w *softmaxSpan) forward(a backend.SoftmaxForward, piece int) {
	w.load(a.Softmax, piece, float32(1/math.Sqrt(float64(a.N/a.Heads))))
	o, log, d := data(a.O), data(a.Log), w.d
	w.along.Pack(w.row(data(a.V), 0), w.n, w.steps, d)
	for i := 0; i < w.steps; i += softmaxRows {
		m := min(softmaxRows, w.steps-i)
		w.across.MulCorner(w.weight, w.cap, w.q[i*d:], d, m, d, i+m, false)
		for r := range m {
			row := w.weight[r*w.cap:][:i+m]
			live := row[:i+r+1]
			top := vec.Max(live)
			vec.Exp(live, live, top)
			clear(row[i+r+1:])
			w.sums[r] = vec.Sum(live)
			*w.logOf(log, i+r) = top + float32(math.Log(float64(w.sums[r])))
		}
		w.along.MulCorner(w.row(o, i), w.n, w.weight, w.cap, m, i+m, d, false)
		for r := range m {
			vec.Scale(w.row(o, i+r)[:d], w.row(o, i+r), 1/w.sums[r])
		}
	}
	clear(w.row(o, w.steps)[:d])
	*w.logOf(log, w.steps) = 0
}

// backward has the queries times −1/sqrt(d), hence scores and their gradients with the opposite sign.
func (w *softmaxSpan) backward(a backend.SoftmaxBackward, piece int) {
	scale := float32(-1 / math.Sqrt(float64(a.N/a.Heads)))
	w.load(a.Softmax, piece, scale)
	dq, dk, dv := data(a.DQ), data(a.DK), data(a.DV)
	do, o, log, d := data(a.DO), data(a.O), data(a.Log), w.d
	w.acrossV.PackT(w.row(data(a.V), 0), w.n, d, w.steps)
	w.along.Pack(w.k, d, w.steps, d)
	for t := range w.steps + 1 {
		clear(w.row(dq, t)[:d])
		clear(w.row(dk, t)[:d])
		clear(w.row(dv, t)[:d])
	}
	for i := 0; i < w.steps; i += softmaxRows {
		m := min(softmaxRows, w.steps-i)
		w.across.MulCorner(w.weight, w.cap, w.q[i*d:], d, m, d, i+m, false)
		w.acrossV.MulCorner(w.dweight, w.cap, w.row(do, i), w.n, m, d, i+m, false)
		for r := range m {
			p, dp, live := w.weight[r*w.cap:][:i+m], w.dweight[r*w.cap:][:i+m], i+r+1
			vec.ExpFrom(p[:live], p, -*w.logOf(log, i+r))
			vec.Pull(dp[:live], p, vec.Dot(w.row(do, i+r)[:d], w.row(o, i+r)))
			clear(p[live:])
			clear(dp[live:])
		}
		w.scratch.MulTN(w.row(dv, 0), w.n, w.weight, w.cap, w.row(do, i), w.n, m, i+m, d, true, nil)
		w.scratch.MulTN(w.row(dk, 0), w.n, w.dweight, w.cap, w.q[i*d:], d, m, i+m, d, true, nil)
		w.along.MulCorner(w.row(dq, i), w.n, w.dweight, w.cap, m, i+m, d, false)
		for r := range m {
			vec.Scale(w.row(dq, i+r)[:d], w.row(dq, i+r), scale)
		}
	}
	for t := 0; w.turn != nil && t < w.steps; t++ {
		reference.TurnPairs(w.row(dq, t)[:d], w.turn[t*d:][:d], -1)
		reference.TurnPairs(w.row(dk, t)[:d], w.turn[t*d:][:d], -1)
	}
}

// softmaxJob runs a head of a sequence a piece.
type softmaxJob struct {
	args  backend.SoftmaxForward
	spans []softmaxSpan
}

func (j *softmaxJob) piece(worker, i int) { j.spans[worker].forward(j.args, i) }

// SoftmaxForward runs the heads of all sequences side by side.
func (f *Fast) SoftmaxForward(a backend.SoftmaxForward) {
	a.Check()
	j := jobOf[softmaxJob](f)
	j.args = a
	j.spans = forWorkers(j.spans, f.pool.workers)
	f.pool.run(j, (a.Seq.Hi-a.Seq.Lo)*a.Heads)
}

type unsoftmaxJob struct {
	args  backend.SoftmaxBackward
	spans []softmaxSpan
}

func (j *unsoftmaxJob) piece(worker, i int) { j.spans[worker].backward(j.args, i) }

// SoftmaxBackward is the backward pass of SoftmaxForward.
func (f *Fast) SoftmaxBackward(a backend.SoftmaxBackward) {
	a.Check()
	j := jobOf[unsoftmaxJob](f)
	j.args = a
	j.spans = forWorkers(j.spans, f.pool.workers)
	f.pool.run(j, (a.Seq.Hi-a.Seq.Lo)*a.Heads)
}

// SoftmaxMatrices is the reference's: it makes pictures, at any pace.
func (*Fast) SoftmaxMatrices(a backend.SoftmaxMatrices) { reference.SoftmaxMatrices[float32](a) }
