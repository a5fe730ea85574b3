package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// deltaScratch is a worker's memory for one head of one sequence: the state S [K, D], which goes forward, or its
// gradient, which goes back, and some steps, a block.
type deltaScratch struct {
	state, grad []float32
	states      []float32 // of a block on its way back: the state before each step, and after the last
	u, e        []float32 // [DeltaEvery, D]: u = S k̂ of the state before each step, e = v − α u
	q, k        []float32 // [DeltaEvery, K]: q̂ and k̂
	w, du       []float32 // [D]
	dq, dk      []float32 // [K]
	numbers     []float32 // [deltaNumbers, steps]: numbers of every step of the sequence
}

func (w *deltaScratch) shape(steps, k, d int) {
	const every = backend.DeltaEvery
	for _, x := range []struct {
		p *[]float32
		n int
	}{
		{&w.state, k * d}, {&w.grad, k * d}, {&w.states, (every + 1) * k * d}, {&w.u, every * d}, {&w.e, every * d},
		{&w.q, every * k}, {&w.k, every * k}, {&w.w, d}, {&w.du, d}, {&w.dq, k}, {&w.dk, k},
		{&w.numbers, deltaNumbers * steps},
	} {
		*x.p = grow(x.p, x.n)
	}
}

// out is where the head's output of row r is in a matrix like O.
func (d *deltaWay) out(o []float32, r int) []float32 { return o[(r*d.H+d.head)*d.D:][:d.D] }

// forward takes the state along n steps from row r on.
func (d *deltaWay) forward(r, n int, o []float32) {
	d.ask(d.x, r, n)
	for t := range n {
		q, k, g := d.query(d.x, r+t), d.key(d.x, r+t), d.gate(r+t)
		g[2*d.H] = 1 / float32(math.Sqrt(float64((vec.Dot(q, q)+d.Eps)*float32(d.K))))
		g[3*d.H] = 1 / float32(math.Sqrt(float64(vec.Dot(k, k)+d.Eps)))
	}
	for t := range n {
		vec.Prefetch(d.out(o, r+t))
	}
	d.units(r, n)
	for t := range n {
		w := d.written(r, t, d.state)
		q, k := d.unitsOf(t)
		rankSum(d.out(o, r+t), q, d.state, d.gate(r + t)[0], k, w)
	}
}

// backward takes the gradient of the state back along n steps from row r on.
func (d *deltaWay) backward(r, n int, dx, do []float32) {
	d.ask(d.x, r, n)
	for t := range n {
		vec.Prefetch(d.out(do, r+t))
	}
	d.ask(dx, r, n)
	d.units(r, n)
	clear(d.before(0))
	copy(d.before(0), d.kept(r))
	for t := range n {
		w := d.written(r, t, d.before(t))
		_, k := d.unitsOf(t)
		rank(d.before(t+1), d.before(t), d.gate(r + t)[0], k, w)
	}
	for t := n - 1; t >= 0; t-- {
		d.back(r, t, dx, do)
	}
}

// ask asks for n rows of queries, keys and values: they lie too far apart for the processor's own prefetching.
func (d *deltaWay) ask(x []float32, r, n int) {
	for t := range n {
		vec.Prefetch(d.query(x, r+t), d.key(x, r+t), d.value(x, r+t))
	}
}

// before is the state before step t of the block.
func (d *deltaWay) before(t int) []float32 { return d.states[t*d.K*d.D:][:d.K*d.D] }

// units puts the block's queries and keys at their lengths.
func (d *deltaWay) units(r, n int) {
	for t := range n {
		g := d.gate(r + t)
		q, k := d.unitsOf(t)
		vec.Scale(q, d.query(d.x, r+t), g[2*d.H])
		vec.Scale(k, d.key(d.x, r+t), g[3*d.H])
	}
}

// unitsOf are the query and the key of step t, at their lengths.
func (d *deltaWay) unitsOf(t int) (q, k []float32) { return d.q[t*d.K:][:d.K], d.k[t*d.K:][:d.K] }

// written is w = β e of step t: what the step writes along the key. It keeps u and e.
func (d *deltaWay) written(r, t int, state []float32) []float32 {
	u, e, g := d.u[t*d.D:][:d.D], d.e[t*d.D:][:d.D], d.gate(r+t)
	_, k := d.unitsOf(t)
	combine(u, k, state)
	vec.Written(e, d.w, d.value(d.x, r+t), u, g[0], g[d.H])
	return d.w
}

// back takes the gradient of the state back over step t. See the reference for the equations.
func (d *deltaWay) back(r, t int, dx, do []float32) {
	g, at := d.gate(r+t), r+t-d.first
	alpha, beta := g[0], g[d.H]
	before, after, dout := d.before(t), d.before(t+1), d.out(do, r+t)
	q, k := d.unitsOf(t)
	u, e := d.u[t*d.D:][:d.D], d.e[t*d.D:][:d.D]
	dq, dk, dv := d.query(dx, r+t), d.key(dx, r+t), d.value(dx, r+t)

	inners(d.dq, after, dout)
	rankSum(dv, k, d.grad, 1, q, dout) // dw
	dalpha := vec.Dot(d.grad, before)
	dbeta, kept := vec.Unwritten(dv, d.du, d.w, e, u, alpha, beta)
	d.all(ofDAlpha)[at], d.all(ofDBeta)[at] = dalpha-kept, dbeta
	inners2(d.dk, d.grad, d.w, before, d.du)
	rank(d.grad, d.grad, alpha, k, d.du)

	vec.Less(dk, d.dk, k, g[3*d.H], vec.Dot(d.dk, k))
	vec.Less(dq, d.dq, q, g[2*d.H], float32(d.K)*vec.Dot(d.dq, q))
}

// The loops over a small matrix m, row after row: eight rows at a time, and the others one by one.

// combine sets dst = Σ_i q_i m_i.
func combine(dst, q, m []float32) {
	clear(dst)
	n, i := len(dst), 0
	for ; i+8 <= len(q); i += 8 {
		vec.CombineRows(n, dst, m[i*n:], q[i], q[i+1], q[i+2], q[i+3], q[i+4], q[i+5], q[i+6], q[i+7])
	}
	for ; i < len(q); i++ {
		vec.Axpy(dst, m[i*n:], q[i])
	}
}

// rank makes f·m_i + c_i w of each row of m, in to, which may be m.
func rank(to, m []float32, f float32, c, w []float32) {
	n, i := len(w), 0
	for ; i+8 <= len(c); i += 8 {
		vec.RankRows(n, to[i*n:], m[i*n:], w, f, c[i], c[i+1], c[i+2], c[i+3], c[i+4], c[i+5], c[i+6], c[i+7])
	}
	for ; i < len(c); i++ {
		vec.Scale(to[i*n:][:n], m[i*n:], f)
		vec.Axpy(to[i*n:][:n], w, c[i])
	}
}

// rankSum is rank, and then combine of what it made.
func rankSum(dst, q, m []float32, f float32, c, w []float32) {
	clear(dst)
	n, i := len(w), 0
	for ; i+8 <= len(c); i += 8 {
		vec.RankSumRows(n, m[i*n:], dst, w, f, c[i], c[i+1], c[i+2], c[i+3], c[i+4], c[i+5], c[i+6], c[i+7],
			q[i], q[i+1], q[i+2], q[i+3], q[i+4], q[i+5], q[i+6], q[i+7])
	}
	for ; i < len(c); i++ {
		vec.Scale(m[i*n:][:n], m[i*n:], f)
		vec.Axpy(m[i*n:][:n], w, c[i])
		vec.Axpy(dst, m[i*n:], q[i])
	}
}

// inners sets dst_i = m_i·x.
func inners(dst, m, x []float32) {
	n, i := len(x), 0
	for ; i+8 <= len(dst); i += 8 {
		dst[i], dst[i+1], dst[i+2], dst[i+3], dst[i+4], dst[i+5], dst[i+6], dst[i+7] = vec.InnerRows(n, x, m[i*n:])
	}
	for ; i < len(dst); i++ {
		dst[i] = vec.Dot(x, m[i*n:])
	}
}

// inners2 sets dst_i = m_i·x + k_i·y, k a matrix like m.
func inners2(dst, m, x, k, y []float32) {
	n, i := len(x), 0
	for ; i+8 <= len(dst); i += 8 {
		dst[i], dst[i+1], dst[i+2], dst[i+3], dst[i+4], dst[i+5], dst[i+6], dst[i+7] =
			vec.InnerRows2(n, x, m[i*n:], y, k[i*n:])
	}
	for ; i < len(dst); i++ {
		dst[i] = vec.Dot(x, m[i*n:]) + vec.Dot(y, k[i*n:])
	}
}
