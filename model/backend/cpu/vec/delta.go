package vec

import "math"

// DeltaBlock is the most steps that a Delta takes at a time.
const DeltaBlock = 16

// A Delta is a head of the gated delta rule on its way along a sequence (SPEC §13; backend.Delta has the equations):
// its state S [K, D], which Forward moves, or the gradient G [K, D] of the state, which Backward moves, and memory for
// a block of steps. The zero Delta is ready for Shape. One goroutine at a time.
type Delta struct {
	k, d   int
	state  []float32
	grad   []float32
	states []float32 // of a block on its way back: the state before each step, and after the last
	u, e   []float32 // [DeltaBlock, D]: u = S k̂ of the state before each step, e = v − α u
	q, key []float32 // [DeltaBlock, K]: q̂ and k̂
	w, du  []float32 // [D]
	dq, dk []float32 // [K]
}

// DeltaSteps are the N steps of a block. Query, key and value of step t start at Stride·t in Q, K and V.
type DeltaSteps struct {
	N                int
	Q, K, V          []float32
	Stride           int
	Alpha, Beta      []float32 // [N]
	FactorQ, FactorK []float32 // [N]: 1/(‖q‖√K) and 1/‖k‖
}

// DeltaGradients are those of a block's steps. DO starts at StrideO·t, the others are laid out like DeltaSteps.
type DeltaGradients struct {
	DO            []float32
	StrideO       int
	DQ, DK, DV    []float32
	DAlpha, DBeta []float32 // [N]
}

// Shape makes room for a head with keys of k numbers and values of d.
func (s *Delta) Shape(k, d int) {
	if s.k == k && s.d == d && s.state != nil {
		return
	}
	room := func(n int) []float32 { return make([]float32, n) }
	*s = Delta{
		k: k, d: d, state: room(k * d), grad: room(k * d), states: room((DeltaBlock + 1) * k * d),
		u: room(DeltaBlock * d), e: room(DeltaBlock * d), q: room(DeltaBlock * k), key: room(DeltaBlock * k),
		w: room(d), du: room(d), dq: room(k), dk: room(k),
	}
}

// Reset makes the state and its gradient 0.
func (s *Delta) Reset() {
	clear(s.state)
	clear(s.grad)
}

// Keep writes the state, row after row, to a [K, D].
func (s *Delta) Keep(a []float32) {
	need(s.k*s.d, len(a))
	copy(a, s.state)
}

func (s *Delta) check(a *DeltaSteps) {
	if a.N < 1 || a.N > DeltaBlock {
		panic("vec: a block of the delta rule has no such number of steps")
	}
	last := (a.N - 1) * a.Stride
	needAll(last+s.k, a.Q, a.K)
	need(last+s.d, len(a.V))
	needAll(a.N, a.Alpha, a.Beta, a.FactorQ, a.FactorK)
}

// Factors writes those of queries and keys, where ‖x‖ = sqrt(|x|²+eps).
func (s *Delta) Factors(a *DeltaSteps, eps float32) {
	s.check(a)
	s.ask(a.N, a.Stride, a.Q, a.K, a.V)
	for t := range a.N {
		q, k := a.Q[t*a.Stride:][:s.k], a.K[t*a.Stride:][:s.k]
		a.FactorQ[t] = 1 / float32(math.Sqrt(float64((Dot(q, q)+eps)*float32(s.k))))
		a.FactorK[t] = 1 / float32(math.Sqrt(float64(Dot(k, k)+eps)))
	}
}

// Forward takes the state along the block. The output of step t goes to stride·t in o.
func (s *Delta) Forward(a *DeltaSteps, o []float32, stride int) {
	s.check(a)
	need((a.N-1)*stride+s.d, len(o))
	for t := range a.N {
		Prefetch(o[t*stride:][:s.d])
	}
	s.units(a)
	for t := range a.N {
		w := s.written(a, t, s.state)
		q, k := s.unitsOf(t)
		rankSum(o[t*stride:][:s.d], q, s.state, a.Alpha[t], k, w)
	}
}

// Backward takes the gradient of the state back along the block, before which the state was kept, or was 0 where that
// is nil. It overwrites all gradients but DO.
func (s *Delta) Backward(a *DeltaSteps, kept []float32, g *DeltaGradients) {
	s.check(a)
	last := (a.N - 1) * a.Stride
	need((a.N-1)*g.StrideO+s.d, len(g.DO))
	needAll(last+s.k, g.DQ, g.DK)
	need(last+s.d, len(g.DV))
	needAll(a.N, g.DAlpha, g.DBeta)
	if kept != nil {
		need(s.k*s.d, len(kept))
	}
	s.ask(a.N, a.Stride, a.Q, a.K, a.V)
	for t := range a.N {
		Prefetch(g.DO[t*g.StrideO:][:s.d])
	}
	s.ask(a.N, a.Stride, g.DQ, g.DK, g.DV)
	s.units(a)
	clear(s.before(0))
	copy(s.before(0), kept)
	for t := range a.N {
		w := s.written(a, t, s.before(t))
		_, k := s.unitsOf(t)
		rank(s.before(t+1), s.before(t), a.Alpha[t], k, w)
	}
	for t := a.N - 1; t >= 0; t-- {
		s.back(a, t, g)
	}
}

// ask asks for n rows of queries, keys and values: they lie too far apart for the processor's own prefetching.
func (s *Delta) ask(n, stride int, q, k, v []float32) {
	for t := range n {
		Prefetch(q[t*stride:][:s.k])
		Prefetch(k[t*stride:][:s.k])
		Prefetch(v[t*stride:][:s.d])
	}
}

// before is the state before step t of the block.
func (s *Delta) before(t int) []float32 { return s.states[t*s.k*s.d:][:s.k*s.d] }

// units puts queries and keys at their lengths.
func (s *Delta) units(a *DeltaSteps) {
	for t := range a.N {
		q, k := s.unitsOf(t)
		scaled(s.k, q, a.Q[t*a.Stride:], a.FactorQ[t])
		scaled(s.k, k, a.K[t*a.Stride:], a.FactorK[t])
	}
}

// unitsOf are the query and the key of step t, at their lengths.
func (s *Delta) unitsOf(t int) (q, k []float32) { return s.q[t*s.k:][:s.k], s.key[t*s.k:][:s.k] }

// written is w = β e of step t: what the step writes along the key. It keeps u and e.
func (s *Delta) written(a *DeltaSteps, t int, state []float32) []float32 {
	u, e := s.u[t*s.d:][:s.d], s.e[t*s.d:][:s.d]
	_, k := s.unitsOf(t)
	combine(u, k, state)
	written(s.d, e, s.w, a.V[t*a.Stride:], u, a.Alpha[t], a.Beta[t])
	return s.w
}

// back takes the gradient of the state back over step t. See the reference for the equations.
func (s *Delta) back(a *DeltaSteps, t int, g *DeltaGradients) {
	alpha, beta := a.Alpha[t], a.Beta[t]
	before, after, do := s.before(t), s.before(t+1), g.DO[t*g.StrideO:][:s.d]
	q, k := s.unitsOf(t)
	u, e := s.u[t*s.d:][:s.d], s.e[t*s.d:][:s.d]
	at := t * a.Stride
	dq, dk, dv := g.DQ[at:][:s.k], g.DK[at:][:s.k], g.DV[at:][:s.d]

	inners(s.dq, after, do)
	rankSum(dv, k, s.grad, 1, q, do) // dw
	dalpha := Dot(s.grad, before)
	dbeta, kept := unwritten(s.d, dv, s.du, s.w, e, u, alpha, beta)
	g.DBeta[t], g.DAlpha[t] = dbeta, dalpha-kept
	inners2(s.dk, s.grad, s.w, before, s.du)
	rank(s.grad, s.grad, alpha, k, s.du)

	less(s.k, dk, s.dk, k, a.FactorK[t], Dot(s.dk, k))
	less(s.k, dq, s.dq, q, a.FactorQ[t], float32(s.k)*Dot(s.dq, q))
}

// The loops over a small matrix m, row after row: eight rows at a time, and the others one by one.

// combine sets dst = Σ_i q_i m_i.
func combine(dst, q, m []float32) {
	clear(dst)
	n, i := len(dst), 0
	for ; i+8 <= len(q); i += 8 {
		combineRows(n, dst, m[i*n:], q[i], q[i+1], q[i+2], q[i+3], q[i+4], q[i+5], q[i+6], q[i+7])
	}
	for ; i < len(q); i++ {
		axpy(n, dst, m[i*n:], q[i])
	}
}

// rank makes f·m_i + c_i w of each row of m, in to, which may be m.
func rank(to, m []float32, f float32, c, w []float32) {
	n, i := len(w), 0
	for ; i+8 <= len(c); i += 8 {
		rankRows(n, to[i*n:], m[i*n:], w, f, c[i], c[i+1], c[i+2], c[i+3], c[i+4], c[i+5], c[i+6], c[i+7])
	}
	for ; i < len(c); i++ {
		rankRow(n, to[i*n:], m[i*n:], w, f, c[i])
	}
}

// rankSum is rank, and then combine of what it made.
func rankSum(dst, q, m []float32, f float32, c, w []float32) {
	clear(dst)
	n, i := len(w), 0
	for ; i+8 <= len(c); i += 8 {
		rankSumRows(n, m[i*n:], dst, w, f, c[i], c[i+1], c[i+2], c[i+3], c[i+4], c[i+5], c[i+6], c[i+7],
			q[i], q[i+1], q[i+2], q[i+3], q[i+4], q[i+5], q[i+6], q[i+7])
	}
	for ; i < len(c); i++ {
		rankRow(n, m[i*n:], m[i*n:], w, f, c[i])
		axpy(n, dst, m[i*n:], q[i])
	}
}

// inners sets dst_i = m_i·x.
func inners(dst, m, x []float32) {
	n, i := len(x), 0
	for ; i+8 <= len(dst); i += 8 {
		dst[i], dst[i+1], dst[i+2], dst[i+3], dst[i+4], dst[i+5], dst[i+6], dst[i+7] = innerRows(n, x, m[i*n:])
	}
	for ; i < len(dst); i++ {
		dst[i] = dot(n, m[i*n:], x)
	}
}

// inners2 sets dst_i = m_i·x + k_i·y, k a matrix like m.
func inners2(dst, m, x, k, y []float32) {
	n, i := len(x), 0
	for ; i+8 <= len(dst); i += 8 {
		dst[i], dst[i+1], dst[i+2], dst[i+3], dst[i+4], dst[i+5], dst[i+6], dst[i+7] =
			innerRows2(n, x, m[i*n:], y, k[i*n:])
	}
	for ; i < len(dst); i++ {
		dst[i] = dot(n, m[i*n:], x) + dot(n, k[i*n:], y)
	}
}
