package vec

import (
	"fmt"
	"testing"
)

func eachLevelB(b *testing.B, name string, f func(b *testing.B)) {
	old := active
	defer func() { active = old }()
	for _, active = range levels() {
		b.Run(name+"/"+Features(), f)
	}
}

// BenchmarkLoops is a loop over 1056 numbers.
func BenchmarkLoops(b *testing.B) {
	const n = 1056
	r := newRand()
	x, y, z, w := normal(r, n, 1), make([]float32, n), make([]float32, n), make([]float32, n)
	a, c, d, e := normal(r, 4*n, 1), make([]float32, 4*n), make([]float32, 2*n), make([]float32, 2*n)
	for _, of := range []struct {
		name string
		f    func()
	}{
		{"Exp", func() { Exp(y, x) }},
		{"Sigmoid", func() { Sigmoid(y, x) }},
		{"SinCos", func() { SinCos(y, z, x) }},
		{"PiTanhSinCos", func() { PiTanhSinCos(w, y, z, x) }},
		{"Tanh", func() { Tanh(y, x) }},
		{"Steer", func() { Steer(w, y, z, x, x) }},
		{"Steered", func() { Steered(y, z, x, x) }},
		{"SteerBackward", func() { SteerBackward(y, z, x, x) }},
		{"LogAddExp", func() { LogAddExp(y, x, 0.5) }},
		{"Sum", func() { Sum(x) }},
		{"Dot", func() { dot(len(x), x, y) }},
		{"SqDist", func() { sqDist(len(x), x, y) }},
		{"SumSquares", func() { SumSquares(x) }},
		{"Max", func() { Max(x) }},
		{"Axpy", func() { Axpy(y, x, 1e-3) }},
		{"Adam", func() {
			Adam(w, y, z, x, &AdamCoef{
				Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 1e-3, InvSqrtBias2: 1, GradScale: 1,
			})
		}},
		{"CellForward", func() { CellForward(n, y, z, d, x, x, a, a, a, 1e-8) }},
		{"CellForwardRaw", func() { CellForwardRaw(n, y, z, d, x, x, a, a, a) }},
		{"CellBackward", func() { CellBackward(n, d, y, z, e, x, x, a, a, a, a) }},
		{"CellBackwardRaw", func() { CellBackwardRaw(n, d, y, z, e, x, a, a, a) }},
		{"LSTM", func() { LSTM(n, c, y, z, a, a, x) }},
		{"LSTMBackward", func() { LSTMBackward(n, c, y, x, x, x) }},
		{"GRU", func() { GRU(n, c, y, z, a, a, x) }},
		{"GRUBackward", func() { GRUBackward(n, c, y, z, x, x) }},
	} {
		clear(z)
		eachLevelB(b, of.name+",n=1056", func(b *testing.B) {
			for b.Loop() {
				of.f()
			}
		})
	}
}

func BenchmarkHeads(b *testing.B) {
	for _, n := range []int{14, 40, 128} {
		h := Heads{4, n + 5, n + 2}
		r := newRand()
		positive := func(n int) []float32 {
			x := normal(r, n, 1)
			for i, v := range x {
				x[i] = max(v, -v)
			}
			return x
		}
		block, line := func() []float32 { return positive(4 * h.Stride) }, func() []float32 {
			return positive(4 * h.Line)
		}
		tree, dist, e, f, w, p := line(), block(), positive(4), positive(4), positive(16), block()
		g, gram, share, fused, mixed := block(), positive(16), line(), positive(16), block()
		u := Unmixed[float32]{G: g, Mixed: mixed, Tree: tree, DTree: line(), Pull: line(), F: f, Dots: positive(4)}
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"Grow", func() { h.Grow(tree, dist, e, f, n) }},
			{"MixSoftmax", func() { h.MixSoftmax(p, w, dist, n, n) }},
			{"SoftmaxGram", func() { h.SoftmaxGram(gram, g, p, dist, n) }},
			{"Unmix", func() { h.Unmix(u, w, n, n) }},
			{"Ratios", func() { h.Ratios(share, tree, n) }},
			{"Fuse", func() { h.Fuse(fused, f, w) }},
		} {
			eachLevelB(b, fmt.Sprintf("%s,n=%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
			})
		}
	}
}

// BenchmarkDelta is a block of a head with keys of 16 and values of 32, forwards and backwards.
func BenchmarkDelta(b *testing.B) {
	r := newRand()
	const k, d, n, stride = 16, 32, DeltaBlock, 256
	x, dx, o, do, kept := normal(r, n*stride, 1), make([]float32, n*stride), make([]float32, n*d), normal(r, n*d, 1),
		normal(r, k*d, 1)
	steps := &DeltaSteps{N: n, Q: x, K: x[k:], V: x[2*k:], Stride: stride, Alpha: make([]float32, n),
		Beta: make([]float32, n), FactorQ: make([]float32, n), FactorK: make([]float32, n)}
	for i := range n {
		steps.Alpha[i], steps.Beta[i] = 0.9, 0.7
	}
	g := &DeltaGradients{DO: do, StrideO: d, DQ: dx, DK: dx[k:], DV: dx[2*k:], DAlpha: make([]float32, n),
		DBeta: make([]float32, n)}
	s := &Delta{}
	eachLevelB(b, "Forward", func(b *testing.B) {
		s.Shape(k, d)
		for b.Loop() {
			s.Factors(steps, 1e-6)
			s.Forward(steps, o, d)
		}
	})
	eachLevelB(b, "Backward", func(b *testing.B) {
		s.Shape(k, d)
		s.Reset()
		for b.Loop() {
			s.Backward(steps, kept, g)
		}
	})
}
