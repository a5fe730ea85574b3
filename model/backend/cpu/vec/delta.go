package vec

import "math"

// DeltaBlock is the most steps that a Delta takes at a time.
const DeltaBlock = 16

// A Delta is a head of the gated delta rule on its way along a sequence (SPEC §13; backend.Delta has the equations):
// its state S [K, D], which Forward moves, or the gradient G [K, D] of the state, which Backward moves, and memory for
// a block of steps. The zero Delta is ready for Shape. One goroutine at a time.
type Delta struct {
	k, d   int
	level  level // the layout is that of this level's loops
	state  []float32
	grad   []float32
	states []float32 // of a block on its way back: the state before each step, and after the last
	u      []float32 // [DeltaBlock, D]: u = S k̂ of the state before each step
	wide   deltaWide
	plain  deltaPlain
}

// DeltaSteps are the N steps of a block. Query, key and value of step t start at Stride·t in Q, K and V.
type DeltaSteps struct {
	N                int
	Q, K, V          []float32
	Stride           int
	Alpha, Beta      []float32 // [N]
	FactorQ, FactorK []float32 // [N]: 1/(‖q‖√K) and 1/‖k‖
	Ahead            DeltaAhead
}

// DeltaAhead is how far on the block lies that comes next, in numbers of the arrays of keys and queries, values, and
// outputs; and the state that is kept before it, if any. It is asked for while the one at hand is computed: rows of
// one head lie too far apart for the processor's own prefetching. The zero value asks for nothing new.
type DeltaAhead struct {
	Key, Value, Output int
	Kept               []float32
}

// DeltaGradients are those of a block's steps. DO starts at StrideO·t, the others are laid out like DeltaSteps.
type DeltaGradients struct {
	DO            []float32
	StrideO       int
	DQ, DK, DV    []float32
	DAlpha, DBeta []float32 // [N]
}

// deltaPlain is what the loops over small matrices need beside: they take a step at a time.
type deltaPlain struct {
	q, k   []float32 // [DeltaBlock, K]: q̂ and k̂
	e      []float32 // [DeltaBlock, D]: e = v − α u
	w, du  []float32 // [D]
	dq, dk []float32 // [K]
}

// The methods in lower case are the same by the kernels of AVX-512; they say whether the level has these.

// Shape makes room for a head with keys of k numbers and values of d.
func (s *Delta) Shape(k, d int) {
	if s.k == k && s.d == d && s.level == active && s.state != nil {
		return
	}
	*s = Delta{k: k, d: d, level: active}
	if s.shape() {
		return
	}
	s.state, s.grad, s.states = make([]float32, k*d), make([]float32, k*d), make([]float32, (DeltaBlock+1)*k*d)
	s.u = make([]float32, DeltaBlock*d)
	s.plain = deltaPlain{
		q: make([]float32, DeltaBlock*k), k: make([]float32, DeltaBlock*k), e: make([]float32, DeltaBlock*d),
		w: make([]float32, d), du: make([]float32, d), dq: make([]float32, k), dk: make([]float32, k),
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
	if !s.keep(a) {
		copy(a, s.state)
	}
}

func (s *Delta) check(a *DeltaSteps) {
	if a.N < 1 || a.N > DeltaBlock {
		panic("vec: a block of the delta rule has no such number of steps")
	}
	last := (a.N - 1) * a.Stride
	need(last+s.k, len(a.Q))
	need(last+s.k, len(a.K))
	need(last+s.d, len(a.V))
	for _, x := range [...][]float32{a.Alpha, a.Beta, a.FactorQ, a.FactorK} {
		need(a.N, len(x))
	}
}

// Factors writes those of queries and keys, where ‖x‖ = sqrt(|x|²+eps).
func (s *Delta) Factors(a *DeltaSteps, eps float32) {
	s.check(a)
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
	if s.forward(a, o, stride) {
		return
	}
	p := &s.plain
	s.units(a)
	for t := range a.N {
		w := s.written(a, t, s.state)
		RankCombine(o[t*stride:][:s.d], p.q[t*s.k:][:s.k], s.state, a.Alpha[t], p.k[t*s.k:][:s.k], w)
	}
}

// Backward takes the gradient of the state back along the block, before which the state was kept, or was 0 where that
// is nil. It overwrites all gradients but DO.
func (s *Delta) Backward(a *DeltaSteps, kept []float32, g *DeltaGradients) {
	s.check(a)
	last := (a.N - 1) * a.Stride
	need((a.N-1)*g.StrideO+s.d, len(g.DO))
	need(last+s.k, len(g.DQ))
	need(last+s.k, len(g.DK))
	need(last+s.d, len(g.DV))
	need(a.N, len(g.DAlpha))
	need(a.N, len(g.DBeta))
	if kept != nil {
		need(s.k*s.d, len(kept))
	}
	if s.backward(a, kept, g) {
		return
	}
	s.units(a)
	clear(s.before(0))
	copy(s.before(0), kept)
	for t := range a.N {
		w := s.written(a, t, s.before(t))
		Rank(s.before(t+1), s.before(t), a.Alpha[t], s.plain.k[t*s.k:][:s.k], w)
	}
	for t := a.N - 1; t >= 0; t-- {
		s.back(a, t, g)
	}
}

// before is the state before step t of the block.
func (s *Delta) before(t int) []float32 { return s.states[t*s.k*s.d:][:s.k*s.d] }

// units puts queries and keys at their lengths.
func (s *Delta) units(a *DeltaSteps) {
	for t := range a.N {
		Scaled(s.plain.q[t*s.k:][:s.k], a.FactorQ[t], a.Q[t*a.Stride:])
		Scaled(s.plain.k[t*s.k:][:s.k], a.FactorK[t], a.K[t*a.Stride:])
	}
}

// written is w = β e of step t: what the step writes along the key. It keeps u and e.
func (s *Delta) written(a *DeltaSteps, t int, state []float32) []float32 {
	u, e := s.u[t*s.d:][:s.d], s.plain.e[t*s.d:][:s.d]
	Combine(u, s.plain.k[t*s.k:][:s.k], state)
	Less(e, 1, a.V[t*a.Stride:], a.Alpha[t], u)
	Scaled(s.plain.w, a.Beta[t], e)
	return s.plain.w
}

// back takes the gradient of the state back over step t. See the reference for the equations.
func (s *Delta) back(a *DeltaSteps, t int, g *DeltaGradients) {
	p, alpha, beta := &s.plain, a.Alpha[t], a.Beta[t]
	before, after, do := s.before(t), s.before(t+1), g.DO[t*g.StrideO:][:s.d]
	q, k, u, e := p.q[t*s.k:][:s.k], p.k[t*s.k:][:s.k], s.u[t*s.d:][:s.d], p.e[t*s.d:][:s.d]
	at := t * a.Stride
	dq, dk, dv := g.DQ[at:][:s.k], g.DK[at:][:s.k], g.DV[at:][:s.d]

	Inners(p.dq, after, do)
	RankCombine(dv, k, s.grad, 1, q, do) // dw
	g.DBeta[t] = Dot(dv, e)
	dalpha := Dot(s.grad, before)
	Scale(dv, beta) // de
	g.DAlpha[t] = dalpha - Dot(dv, u)
	Scaled(p.du, -alpha, dv)
	Scaled(p.w, beta, e)
	InnersOfTwo(p.dk, s.grad, p.w, before, p.du)
	Rank(s.grad, s.grad, alpha, k, p.du)

	Less(dk, a.FactorK[t], p.dk, Dot(p.dk, k), k)
	Less(dq, a.FactorQ[t], p.dq, float32(s.k)*Dot(p.dq, q), q)
}
