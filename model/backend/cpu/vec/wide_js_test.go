package vec

import (
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// relaxed is set where this run of the tests is of the fused loops.
var relaxed = os.Getenv("MHACSP_SIMD") == "relaxed"

// TestRelaxed: where fused loops are asked for they are in use, and compute something else than plain ones.
func TestRelaxed(t *testing.T) {
	if !relaxed {
		t.Skip("MHACSP_SIMD is not relaxed")
	}
	assert.Need(t, Features() == "WebAssembly relaxed simd", "in use is %s", Features())
	const n = 64
	var p Panel
	x, c, plain := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i] = 1 / float32(i+3)
	}
	p.Pack(x, n, n, n)
	p.mul(c, rows{step: n}, x, rows{step: n}, n, n, n, manner{add: false})
	p.mulGo(plain, rows{step: n}, x, rows{step: n}, n, n, n, false)
	assert.True(t, !slices.Equal(c, plain), "a product has the bits of separate operations")
	Fuse(false)
	defer Fuse(true)
	p.mul(c, rows{step: n}, x, rows{step: n}, n, n, n, manner{add: false})
	assert.True(t, slices.Equal(c, plain), "unfused loops have other bits than plain ones")
	assert.Is(t, Features(), "WebAssembly simd128", "unfused loops are")
}

// equal reports whether loops have plain Go's numbers, or come close to it where they are fused.
func equal(got, want []float32) bool {
	return slices.EqualFunc(got, want, func(x, y float32) bool { return x == y || x != x && y != y }) ||
		relaxed && closely(got, want)
}

func closely(got, want []float32) bool {
	return slices.EqualFunc(got, want, func(x, y float32) bool {
		return x == y || x != x && y != y || math.Abs(float64(x-y)) <= 3e-5*max(1, math.Abs(float64(y)))
	})
}

func sameSign(x, y float32) bool {
	return x != x || math.Signbit(float64(x)) == math.Signbit(float64(y))
}

// TestWide: the vectors of four and the plain loop have the same bits, for rows at a distance and rows by index, and
// nothing outside the product is written. The engine must have vectors.
func TestWide(t *testing.T) {
	assert.Need(t, wide().there(), "no vectors: the program has no globalThis.wasm, or the engine has none")
	r := rand.New(rand.NewPCG(3, 4))
	values := func(n int) []float32 { return normal(r, n, 1) }
	for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 33, 128} {
		for _, k := range []int{1, 2, 3, 4, 5, 33, 132} {
			for _, n := range []int{4, 7, 8, 12, 21, 264} {
				for _, add := range []bool{false, true} {
					var p Panel
					p.Pack(values(k*n), n, k, n)
					lda, ldc := k+3, n+5
					a, c := values(m*lda), values(m*ldc)
					at, ct := make([]int32, m), make([]int32, m)
					for i := range m {
						at[i], ct[i] = int32((m-1-i)*lda), int32(i*ldc)
					}
					part := 1 + r.IntN(k) // of B's rows
					for name, rs := range map[string][2]rows{
						"distance": {{step: ldc}, {step: lda}}, "index": {{at: ct}, {at: at}},
					} {
						got, want := slices.Clone(c), slices.Clone(c)
						p.mul(got, rs[0], a, rs[1], m, part, n, manner{add: add})
						p.mulGo(want, rs[0], a, rs[1], m, part, n, add)
						assert.Need(t, equal(got, want), "%d×%d×%d by %s, add %v: other bits", m, k, n, name, add)
						var q Queue
						q.ready()
						got = slices.Clone(c)
						q.product(wideProduct, &p, got, rs[0], a, rs[1], m, part, n, add)
						q.Run()
						assert.Need(t, equal(got, want), "%d×%d×%d by %s, add %v, in a queue: other bits",
							m, k, n, name, add)
					}
				}
			}
		}
	}
}

// TestQueue: a loop of the queue has the plain loop's bits at every length, and writes nothing else.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	odd := []float32{0, float32(math.Copysign(0, -1)), 1e-30, -1e30, 90, -90, 0.625, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN())}
	for _, c := range []struct {
		name    string
		loop    int32
		numbers []float32
		parts   []int // of each slice, n elements each
		plain   any   // a func of n, the slices and the numbers
	}{
		{"cellForward", wideCellForward, []float32{1e-6}, []int{1, 1, 2, 1, 1, 2, 2, 2}, cellForwardGo},
		{"cellForwardRaw", wideCellForwardRaw, nil, []int{1, 1, 2, 1, 1, 2, 2, 2}, cellForwardRawGo},
		{"cellBackward", wideCellBackward, nil, []int{2, 1, 1, 2, 1, 1, 2, 2, 2, 2}, cellBackwardGo},
		{"cellBackwardRaw", wideCellBackwardRaw, nil, []int{2, 1, 1, 2, 1, 2, 2, 2}, cellBackwardRawGo},
		{"steer", wideSteer, nil, []int{1, 1, 1, 1, 1}, steerGo},
		{"piTanhSinCos", widePiTanhSinCos, nil, []int{1, 1, 1, 1}, piTanhSinCosGo},
		{"steered", wideSteered, nil, []int{1, 1, 1, 1}, steeredGo},
		{"sinCos", wideSinCos, nil, []int{1, 1, 1}, sinCosGo},
		{"steerBackward", wideSteerBackward, nil, []int{1, 1, 1, 1}, steerBackwardGo},
		{"piTanhBackward", widePiTanhBackward, nil, []int{1, 1}, piTanhBackwardGo},
		{"bound", wideBound, []float32{0.7}, []int{2}, boundGo},
		{"add", wideAdd, nil, []int{1, 1}, addGo},
		{"unit", wideUnit, []float32{1e-6}, []int{2, 1, 2}, unitGo},
		{"unitBackward", wideUnitBackward, nil, []int{2, 2, 2, 1}, unitBackwardGo},
		{"axpyComplex", wideAxpyComplex, nil, []int{2, 1, 2}, axpyComplexGo},
		{"addInner", wideAddInner, nil, []int{1, 2, 2}, addInnerGo},
		{"along", wideAlong, nil, []int{1, 2, 2, 2, 2}, alongGo},
		{"angle", wideAngle, nil, []int{2, 2, 1, 1}, angleGo},
		{"angleBackward", wideAngleBackward, nil, []int{1, 1, 1, 1, 2, 1, 1}, angleBackwardGo},
		{"gate", wideGate, nil, []int{2, 1, 2}, gateGo},
		{"gateBackward", wideGateBackward, nil, []int{1, 2, 1, 2, 2}, gateBackwardGo},
		{"exp", wideExp, []float32{0.5}, []int{1, 1}, expGo},
		{"clear", wideClear, nil, []int{1}, clearGo},
		{"copy", wideCopy, nil, []int{1, 1}, copyGo},
		{"adam", wideAdam, []float32{0.9, 0.999, 1e-8, 1e-3, 1.1, 0.01, 0.02, 0.5}, []int{1, 1, 1, 1}, adamGo},
	} {
		for n := 1; n < 40; n++ {
			for round := range 4 {
				var got, want [][]float32
				var at []*float32
				args := []reflect.Value{reflect.ValueOf(n)}
				for _, parts := range c.parts {
					x := make([]float32, parts*n+3)
					for i := range x {
						x[i] = float32(2 * r.NormFloat64())
						if round == 3 && !relaxed && r.IntN(4) == 0 {
							x[i] = odd[r.IntN(len(odd))]
						}
					}
					y := slices.Clone(x)
					got, at = append(got, x), append(at, &x[0])
					want, args = append(want, y), append(args, reflect.ValueOf(y))
				}
				for _, f := range c.numbers {
					args = append(args, reflect.ValueOf(f))
				}
				reflect.ValueOf(c.plain).Call(args)
				var q Queue
				assert.Need(t, q.rows(c.loop, n, 1, nil, c.numbers, at...), "no vectors")
				q.Run()
				for k := range got {
					if !equal(got[k], want[k]) || !relaxed && !slices.EqualFunc(got[k], want[k], sameSign) {
						t.Fatalf("%s of %d, round %d: slice %d has %v, want %v", c.name, n, round, k, got[k], want[k])
					}
				}
			}
		}
	}
}

// TestWidePacks: panels and products Aᵀ·B by vectors have the plain loops' bits.
func TestWidePacks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, k := range []int{1, 3, 40, 128} {
		for _, n := range []int{5, 16, 33, 132} {
			for _, m := range []int{1, 2, 4, 9, 33} {
				a, b, c := normal(r, k*(m+3), 1), normal(r, k*(n+2), 1), normal(r, m*(n+1), 1)
				var s TNScratch
				s.Pack(b, n+2, k, n)
				var plain Panel
				plain.reset(k, n)
				for j := 0; j < n; j += 4 {
					copyPanelGo(plain.data[j*k:][:4*k], 4, b[j:], n+2, k, min(4, n-j))
				}
				assert.Need(t, slices.Equal(s.b.data, plain.data), "%d×%d: packed otherwise", k, n)
				at := make([]float32, m*k)
				transpose(at, k, a, m+3, k, m)
				for _, add := range []bool{false, true} {
					got, want := slices.Clone(c), slices.Clone(c)
					plain.mulGo(want, rows{step: n + 1}, at, rows{step: k}, m, k, n, add)
					s.mul(got, n+1, a, m+3, m, add)
					assert.Need(t, equal(got, want), "%d×%d×%d, add %v: other bits", m, k, n, add)
				}
			}
		}
	}
}

// TestQueueSpans: attention's loops over rows come to what the plain ones do, the last row among them. These take four
// rows at a time, and so add in another order.
func TestQueueSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, d := range []int{1, 3, 4, 33} {
		for _, count := range []int{0, 1, 5, 36} {
			s := Span{D: d, Plane: d + 2}
			values := func(n int) []float32 { return normal(r, n, 1) }
			x, y, dx := values((count+2)*s.row()), values((count+2)*s.row()), values((count+2)*s.row())
			w, out, last := values(count), values(count), count*s.row()
			for name, f := range map[string][2]func(q *Queue, out, dx []float32){ // the plain one, the queue's
				"SqDist": {func(_ *Queue, out, _ []float32) { s.sqDist(out, x[last:], x, 0) },
					func(q *Queue, out, _ []float32) { q.SqDist(s, out, x[last:], x) }},
				"SqDistNext": {func(_ *Queue, out, _ []float32) { s.sqDist(out, x[s.row():], x, s.row()) },
					func(q *Queue, out, _ []float32) { q.SqDistNext(s, out, x) }},
				"Dot": {func(_ *Queue, out, _ []float32) { s.dot(out, y, x) },
					func(q *Queue, out, _ []float32) { q.Dot(s, out, y, x) }},
				"Sum": {func(_ *Queue, _, dx []float32) { s.sum(dx, w, x) },
					func(q *Queue, _, dx []float32) { q.Sum(s, dx, w, x) }},
				"Outer": {func(_ *Queue, _, dx []float32) { s.outer(dx, w, x, 0) },
					func(q *Queue, _, dx []float32) { q.Outer(s, dx, w, x) }},
				"Axpy": {func(_ *Queue, _, dx []float32) { s.outer(dx, w, x, s.row()) },
					func(q *Queue, _, dx []float32) { q.Axpy(s, dx, w, x) }},
				"Diff": {func(_ *Queue, _, dx []float32) { s.diff(dx[max(0, last-s.row()):], dx, w, x[last:], x, 0) },
					func(q *Queue, _, dx []float32) { q.Diff(s, dx[max(0, last-s.row()):], dx, w, x[last:], x) }},
				"DiffNext": {func(_ *Queue, _, dx []float32) { s.diff(dx[s.row():], dx, w, x[s.row():], x, s.row()) },
					func(q *Queue, _, dx []float32) { q.DiffNext(s, dx, w, x) }},
				"AddRows": {func(_ *Queue, _, dx []float32) {
					for j := range count {
						Add(dx[:d], x[j*s.row():])
					}
				}, func(q *Queue, _, dx []float32) { q.AddRows(dx[:d], x, s.row(), count) }},
			} {
				var outs, dxs [2][]float32
				for i := range 2 {
					outs[i], dxs[i] = slices.Clone(out), slices.Clone(dx)
					var q Queue
					f[i](&q, outs[i], dxs[i])
					q.Run()
				}
				assert.True(t, closely(outs[1], outs[0]) && closely(dxs[1], dxs[0]),
					"%s of %d×%d: %v and %v, want %v and %v", name, count, d, outs[1], dxs[1], outs[0], dxs[0])
			}
		}
	}
}
