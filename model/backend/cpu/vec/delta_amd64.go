package vec

import "unsafe"

// With AVX-512 a matrix [K, D] of a Delta lies in panels of 32 columns, each with its rows one after another, padded
// with zeros to a multiple of 16 of them and to whole panels: deltaWidth numbers a row. Columns do not depend on each
// other but for what they add to gradients of queries, keys and gates.
const deltaWidth = 32

// deltaWide is what the kernels read and write beside.
type deltaWide struct {
	groups  int       // of 16 rows
	panels  int       // of 32 columns
	vectors []float32 // [DeltaBlock, groups, 4, 16]: k̂, q̂ and the gradients of both, 16 numbers of each at a time
	numbers []float32 // [4, DeltaBlock]: α, β, dα, dβ
}

// deltaBlock is the argument of a kernel: some steps and a panel. gen/delta.go knows the offsets. The way back starts
// at the last step, and so do its pointers.
type deltaBlock struct {
	state   unsafe.Pointer // a panel: before the step
	hop     uintptr        // bytes from it to that after the step; 0: in place
	vectors unsafe.Pointer
	groups  int
	v       unsafe.Pointer
	ldv     uintptr        // bytes from a step's v, or dv, to the next one's
	o       unsafe.Pointer // o, or do
	ldo     uintptr
	dv, u   unsafe.Pointer
	numbers unsafe.Pointer
	grad    unsafe.Pointer // a panel
	steps   int
	mask    [2]uint64 // the panel's columns that exist, 16 each
	// Where the block to come has what this one's step has: query, key, value and output; the kept state, two vectors
	// a step; and how far behind the first three their gradients are.
	ahead                [4]uintptr
	aheadKept, aheadToDX uintptr
}

//go:noescape
func deltaForward(b *deltaBlock)

//go:noescape
func deltaAgain(b *deltaBlock)

//go:noescape
func deltaBackward(b *deltaBlock)

// shape makes room in the layout of AVX-512 where that is the level.
func (s *Delta) shape() bool {
	if s.level != levelAVX512 {
		return false
	}
	w := &s.wide
	w.groups, w.panels = (s.k+15)/16, (s.d+deltaWidth-1)/deltaWidth
	room := func(n int) []float32 { return align64(make([]float32, n+15))[:n] }
	size := s.panel()
	s.state, s.grad, s.states = room(w.panels*size), room(w.panels*size), room((DeltaBlock+1)*size)
	s.u, w.vectors, w.numbers = room(DeltaBlock*deltaWidth), room(DeltaBlock*w.groups*64), room(4*DeltaBlock)
	return true
}

// panel is the size of one.
func (s *Delta) panel() int { return s.wide.groups * 16 * deltaWidth }

// columns is how many of a panel's columns exist.
func (s *Delta) columns(panel int) int { return min(deltaWidth, s.d-panel*deltaWidth) }

func (s *Delta) keep(a []float32) bool {
	if s.level != levelAVX512 {
		return false
	}
	for p := range s.wide.panels {
		from := s.state[p*s.panel():]
		for i := range s.k {
			copy(a[i*s.d+p*deltaWidth:][:s.columns(p)], from[i*deltaWidth:])
		}
	}
	return true
}

// take makes a panel of a kept state the first of states.
func (s *Delta) take(kept []float32, panel int) {
	if kept == nil {
		clear(s.states[:s.panel()])
		return
	}
	columns := s.columns(panel)
	for i := range s.k {
		to := s.states[i*deltaWidth:][:deltaWidth]
		copy(to, kept[i*s.d+panel*deltaWidth:][:columns])
		clear(to[columns:])
	}
}

// sixteen is where the numbers of a kind lie in vectors, from number 16·g on, of step t: see deltaWide.
func (s *Delta) sixteen(t, g, kind int) []float32 {
	return s.wide.vectors[((t*s.wide.groups+g)*4+kind)*16:][:16]
}

// open puts queries and keys at their lengths, and 0 for all that is added to.
func (s *Delta) open(a *DeltaSteps) {
	clear(s.wide.vectors)
	clear(s.wide.numbers)
	for t := range a.N {
		q, k := a.Q[t*a.Stride:][:s.k], a.K[t*a.Stride:][:s.k]
		for g := range s.wide.groups {
			n := min(16, s.k-16*g)
			scaled(n, s.sixteen(t, g, 0), k[16*g:], a.FactorK[t])
			scaled(n, s.sixteen(t, g, 1), q[16*g:], a.FactorQ[t])
		}
	}
	copy(s.wide.numbers, a.Alpha[:a.N])
	copy(s.wide.numbers[DeltaBlock:], a.Beta[:a.N])
}

// block is the argument of a kernel from step t on.
func (s *Delta) block(a *DeltaSteps, panel, t int) (b deltaBlock) {
	b = deltaBlock{
		vectors: at(s.wide.vectors, t*s.wide.groups*64), groups: s.wide.groups,
		v: at(a.V, t*a.Stride+panel*deltaWidth), ldv: 4 * uintptr(a.Stride), u: at(s.u, t*deltaWidth),
		numbers: at(s.wide.numbers, t), steps: a.N,
	}
	n := s.columns(panel)
	b.mask = [2]uint64{1<<min(n, 16) - 1, 1<<max(n-16, 0) - 1}
	to := func(x []float32, distance int) uintptr { return uintptr(at(x, t*a.Stride)) + 4*uintptr(distance) }
	b.ahead = [4]uintptr{to(a.Q, a.Ahead.Key), to(a.K, a.Ahead.Key), to(a.V, a.Ahead.Value+panel*deltaWidth)}
	return b
}

//go:nocheckptr
func (s *Delta) forward(a *DeltaSteps, o []float32, stride int) bool {
	if s.level != levelAVX512 {
		return false
	}
	s.open(a)
	for p := range s.wide.panels {
		b := s.block(a, p, 0)
		b.state, b.o, b.ldo = at(s.state, p*s.panel()), at(o, p*deltaWidth), 4*uintptr(stride)
		b.ahead[3] = uintptr(b.o) + 4*uintptr(a.Ahead.Output)
		deltaForward(&b)
	}
	return true
}

//go:nocheckptr
func (s *Delta) backward(a *DeltaSteps, kept []float32, g *DeltaGradients) bool {
	if s.level != levelAVX512 {
		return false
	}
	s.open(a)
	hop, last := 4*uintptr(s.panel()), a.N-1
	for p := range s.wide.panels {
		s.take(kept, p)
		b := s.block(a, p, 0)
		b.state, b.hop = at(s.states, 0), hop
		deltaAgain(&b)
		b = s.block(a, p, last)
		b.state, b.hop = at(s.states, last*s.panel()), hop
		b.o, b.ldo = at(g.DO, last*g.StrideO+p*deltaWidth), 4*uintptr(g.StrideO)
		b.dv, b.grad = at(g.DV, last*a.Stride+p*deltaWidth), at(s.grad, p*s.panel())
		b.ahead[3] = uintptr(b.o) + 4*uintptr(a.Ahead.Output)
		b.aheadToDX = uintptr(at(g.DQ, 0)) - uintptr(at(a.Q, 0))
		b.aheadKept = uintptr(at(a.Ahead.Kept, 0))
		if a.Ahead.Kept == nil {
			b.aheadKept = uintptr(b.grad) // is there already
		}
		deltaBackward(&b)
	}
	s.close(a, g)
	return true
}

// close writes the gradients of queries, keys and gates.
func (s *Delta) close(a *DeltaSteps, g *DeltaGradients) {
	for t := range a.N {
		var q, k float32
		for i := range s.wide.groups {
			k += dot(16, s.sixteen(t, i, 0), s.sixteen(t, i, 2))
			q += dot(16, s.sixteen(t, i, 1), s.sixteen(t, i, 3))
		}
		q *= float32(s.k)
		dq, dk := g.DQ[t*a.Stride:][:s.k], g.DK[t*a.Stride:][:s.k]
		for i := range s.wide.groups {
			n := min(16, s.k-16*i)
			less(n, dk[16*i:], s.sixteen(t, i, 2), s.sixteen(t, i, 0), a.FactorK[t], k)
			less(n, dq[16*i:], s.sixteen(t, i, 3), s.sixteen(t, i, 1), a.FactorQ[t], q)
		}
	}
	copy(g.DAlpha[:a.N], s.wide.numbers[2*DeltaBlock:])
	copy(g.DBeta[:a.N], s.wide.numbers[3*DeltaBlock:])
}
