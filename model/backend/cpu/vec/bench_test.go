package vec

import "testing"

func eachLevelB(b *testing.B, name string, f func(b *testing.B)) {
	old := active
	defer func() { active = old }()
	for _, active = range levels() {
		b.Run(name+"/"+Features(), f)
	}
}

// eachLevelOf is a benchmark of f at each level.
func eachLevelOf(b *testing.B, name string, f func()) {
	eachLevelB(b, name, func(b *testing.B) {
		for b.Loop() {
			f()
		}
	})
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
		{"Exp", func() { Exp(y, x, 0) }},
		{"Sigmoid", func() { Sigmoid(y, x) }},
		{"SinCos", func() { SinCos(y, z, x) }},
		{"PiTanhSinCos", func() { PiTanhSinCos(w, y, z, x) }},
		{"Tanh", func() { Tanh(y, x) }},
		{"Steer", func() { Steer(w, y, z, x, x) }},
		{"Steered", func() { Steered(y, z, x, x) }},
		{"SteerBackward", func() { SteerBackward(y, z, x, x) }},
		{"LogAddExp", func() { LogAddExp(y, x, x) }},
		{"Sum", func() { Sum(x) }}, {"Dot", func() { Dot(x, y) }}, {"SqDist", func() { sqDist(len(x), x, y) }},
		{"SumSquares", func() { SumSquares(x) }},
		{"Max", func() { Max(x) }},
		{"Axpy", func() { Axpy(y, x, 1e-3) }},
		{"Adam", func() { Adam(w, y, z, x, 0.9, 0.999, 1e-8, 1e-3, 1, 0, 0, 1) }},
		{"CellForward", func() { CellForward(n, y, z, d, x, x, a, a, a, 1e-8) }},
		{"CellForwardRaw", func() { CellForwardRaw(n, y, z, d, x, x, a, a, a) }},
		{"CellBackward", func() { CellBackward(n, d, y, z, e, x, x, a, a, a, a) }},
		{"CellBackwardRaw", func() { CellBackwardRaw(n, d, y, z, e, x, a, a, a) }},
		{"SigmoidSum", func() { SigmoidSum(y, x, x) }},
		{"TanhSum", func() { TanhSum(y, x, x) }},
		{"LSTMState", func() { LSTMState(n, y, z, a, x) }},
		{"LSTMBackward", func() { LSTMBackward(n, c, y, x, x, x) }},
		{"GRUState", func() { GRUState(n, c, y, z, x, x, x) }},
		{"GRUBackward", func() { GRUBackward(n, c, y, z, x, x) }},
	} {
		clear(z)
		eachLevelOf(b, of.name+",n=1056", of.f)
	}
}
