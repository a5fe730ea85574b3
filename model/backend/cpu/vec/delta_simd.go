//go:build goexperiment.simd && amd64 && !go1.27

package vec

import (
	"simd/archsimd"
	"unsafe"
)

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

// columns are those of a panel that exist, as a number and as masks of 16 each.
func (s *Delta) columns(panel int) (low, high archsimd.Mask32x16, mask [2]uint64) {
	n := min(deltaWidth, s.d-panel*deltaWidth)
	return first16(n), first16(n - 16), [2]uint64{1<<min(n, 16) - 1, 1<<max(n-16, 0) - 1}
}

//go:nocheckptr
func (s *Delta) keep(a []float32) bool {
	if s.level != levelAVX512 {
		return false
	}
	for p := range s.wide.panels {
		low, high, _ := s.columns(p)
		from := at(s.state, p*s.panel())
		for i := range s.k {
			to := at(a, i*s.d+p*deltaWidth)
			storeMasked16(to, load16(from), low)
			storeMasked16(unsafe.Add(to, 64), load16(unsafe.Add(from, 64)), high)
			from = unsafe.Add(from, 4*deltaWidth)
		}
	}
	archsimd.ClearAVXUpperBits()
	return true
}

// take makes a panel of a kept state the first of states.
//
//go:nocheckptr
func (s *Delta) take(kept []float32, panel int) {
	if kept == nil {
		clear(s.states[:s.panel()])
		return
	}
	low, high, _ := s.columns(panel)
	to := at(s.states, 0)
	for i := range s.k {
		from := at(kept, i*s.d+panel*deltaWidth)
		store16(to, loadMasked16(from, low))
		store16(unsafe.Add(to, 64), loadMasked16(unsafe.Add(from, 64), high))
		to = unsafe.Add(to, 4*deltaWidth)
	}
	archsimd.ClearAVXUpperBits()
}

//go:nocheckptr
func (s *Delta) factors(a *DeltaSteps, eps float32) bool {
	if s.level != levelAVX512 {
		return false
	}
	var q, k [DeltaBlock]float32
	for t := range a.N {
		x, y := at(a.Q, t*a.Stride), at(a.K, t*a.Stride)
		var sumQ, sumK archsimd.Float32x16
		for left := s.k; left > 0; left -= 16 {
			mask := first16(left)
			qs, ks := loadMasked16(x, mask), loadMasked16(y, mask)
			sumQ, sumK = qs.MulAdd(qs, sumQ), ks.MulAdd(ks, sumK)
			x, y = unsafe.Add(x, 64), unsafe.Add(y, 64)
		}
		storeTotal(unsafe.Pointer(&q[t]), sumQ)
		storeTotal(unsafe.Pointer(&k[t]), sumK)
	}
	mask, one := first16(a.N), constant16(&consts.one)
	add, size := archsimd.BroadcastFloat32x16(eps), archsimd.BroadcastFloat32x16(float32(s.k))
	factorQ := one.Div(archsimd.LoadFloat32x16(&q).Add(add).Mul(size).Sqrt())
	factorK := one.Div(archsimd.LoadFloat32x16(&k).Add(add).Sqrt())
	storeMasked16(at(a.FactorQ, 0), factorQ, mask)
	storeMasked16(at(a.FactorK, 0), factorK, mask)
	archsimd.ClearAVXUpperBits()
	return true
}

// open puts queries and keys at their lengths, and 0 for all that is added to.
//
//go:nocheckptr
func (s *Delta) open(a *DeltaSteps) {
	var zero archsimd.Float32x16
	to := at(s.wide.vectors, 0)
	for t := range a.N {
		fq, fk := number16(bitsAt(a.FactorQ, t)), number16(bitsAt(a.FactorK, t))
		q, k := at(a.Q, t*a.Stride), at(a.K, t*a.Stride)
		for left := s.k; left > 0; left -= 16 {
			mask := first16(left)
			store16(to, loadMasked16(k, mask).Mul(fk))
			store16(unsafe.Add(to, 64), loadMasked16(q, mask).Mul(fq))
			store16(unsafe.Add(to, 128), zero)
			store16(unsafe.Add(to, 192), zero)
			to, q, k = unsafe.Add(to, 256), unsafe.Add(q, 64), unsafe.Add(k, 64)
		}
	}
	mask, numbers := first16(a.N), at(s.wide.numbers, 0)
	store16(numbers, loadMasked16(at(a.Alpha, 0), mask))
	store16(unsafe.Add(numbers, 64), loadMasked16(at(a.Beta, 0), mask))
	store16(unsafe.Add(numbers, 128), zero)
	store16(unsafe.Add(numbers, 192), zero)
	archsimd.ClearAVXUpperBits()
}

// block is the argument of a kernel from step t on.
func (s *Delta) block(a *DeltaSteps, panel, t int) (b deltaBlock) {
	b = deltaBlock{
		vectors: at(s.wide.vectors, t*s.wide.groups*64), groups: s.wide.groups,
		v: at(a.V, t*a.Stride+panel*deltaWidth), ldv: 4 * uintptr(a.Stride), u: at(s.u, t*deltaWidth),
		numbers: at(s.wide.numbers, t), steps: a.N,
	}
	_, _, b.mask = s.columns(panel)
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
//
//go:nocheckptr
func (s *Delta) close(a *DeltaSteps, g *DeltaGradients) {
	size := archsimd.BroadcastFloat32x16(float32(s.k))
	step := 256 * uintptr(s.wide.groups)
	from := at(s.wide.vectors, 0)
	for t := range a.N {
		var q, k archsimd.Float32x16
		for o := uintptr(0); o < step; o += 256 {
			x := unsafe.Add(from, o)
			k = load16(x).MulAdd(load16(unsafe.Add(x, 128)), k)
			q = load16(unsafe.Add(x, 64)).MulAdd(load16(unsafe.Add(x, 192)), q)
		}
		k, q = total(k).Broadcast1To16(), total(q).Broadcast1To16().Mul(size)
		fq, fk := number16(bitsAt(a.FactorQ, t)), number16(bitsAt(a.FactorK, t))
		dq, dk := at(g.DQ, t*a.Stride), at(g.DK, t*a.Stride)
		for left := s.k; left > 0; left -= 16 {
			mask := first16(left)
			storeMasked16(dk, load16(unsafe.Add(from, 128)).Sub(load16(from).Mul(k)).Mul(fk), mask)
			storeMasked16(dq, load16(unsafe.Add(from, 192)).Sub(load16(unsafe.Add(from, 64)).Mul(q)).Mul(fq), mask)
			from, dq, dk = unsafe.Add(from, 256), unsafe.Add(dq, 64), unsafe.Add(dk, 64)
		}
	}
	mask, numbers := first16(a.N), at(s.wide.numbers, 0)
	storeMasked16(at(g.DAlpha, 0), load16(unsafe.Add(numbers, 128)), mask)
	storeMasked16(at(g.DBeta, 0), load16(unsafe.Add(numbers, 192)), mask)
	archsimd.ClearAVXUpperBits()
}
