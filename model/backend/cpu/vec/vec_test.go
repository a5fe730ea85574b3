package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// eachLevel runs f once for every level this build and processor have.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	old := active
	defer func() { active = old }()
	for _, active = range levels() {
		t.Run(Features(), f)
	}
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func normal(r *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * scale)
	}
	return x
}

// guarded is n values of x followed by a guard that must survive.
const guard = -12345.5

func guarded(n int) []float32 {
	s := make([]float32, n+40)
	for i := range s {
		s[i] = guard
	}
	return s
}

func checkGuard(t *testing.T, what string, s []float32, n int) {
	t.Helper()
	for i, v := range s[n:] {
		if v != guard {
			t.Fatalf("%s: n=%d: wrote %g at %d beyond the end", what, n, v, i)
		}
	}
}

// The arguments at which the elementwise functions are tried: small, usual,
// large, huge, and the seams of the approximations.
func arguments() []float32 {
	r := newRand()
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.625,
		-0.625, 0.62499994, 87.3, -87.3, 88.3, -88.3, 88.4, -100, 100,
		1e-30, -1e-30, 1e-38, 1e-42, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32,
		1000, -1000, math.Pi, -math.Pi, math.Pi / 2, math.Pi / 4, 9, 20, 8192}
	for _, s := range []float64{1e-6, 1e-3, 0.1, 1, 3, 10, 50, 300} {
		x = append(x, normal(r, 3000, s)...)
	}
	for e := -126; e < 127; e++ {
		x = append(x, float32(math.Ldexp(1+r.Float64(), e)), -float32(math.Ldexp(1+r.Float64(), e)))
	}
	for v := -12.0; v < 12; v += 1e-3 {
		x = append(x, float32(v))
	}
	return x
}

func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }

func TestElementwise(t *testing.T) {
	const none = math.MaxFloat64
	tests := []struct {
		name     string
		f        func(dst, x []float32)
		want     func(x float64) float64
		limit    float64 // arguments beyond are only tried for finiteness
		rel, abs float64
		bound    float64 // of the result's magnitude
	}{
		{"Exp", Exp, func(x float64) float64 { return math.Exp(clamp(x, float64(float32(expLo)), float64(float32(expHi)))) }, none, 2e-7, 0, math.MaxFloat32},
		{"Sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, none, 3e-7, 2e-38, 1},
		{"Sin", func(dst, x []float32) { SinCos(dst, make([]float32, len(x)), x) }, math.Sin, 1000, 0, 2e-7, 1.0000002},
		{"Cos", func(dst, x []float32) { SinCos(make([]float32, len(x)), dst, x) }, math.Cos, 1000, 0, 2e-7, 1.0000002},
		{"Tanh", Tanh, math.Tanh, none, 3e-7, 1e-44, 1},
		{"PiTanh", func(dst, x []float32) { PiTanhSinCos(dst, make([]float32, len(x)), make([]float32, len(x)), x) },
			func(x float64) float64 { return math.Pi * math.Tanh(x) }, none, 3e-7, 1e-44, 3.1415930},
	}
	x := arguments()
	eachLevel(t, func(t *testing.T) {
		for _, c := range tests {
			got := make([]float32, len(x))
			c.f(got, x)
			var worst float64
			for i, v := range x {
				g, w := float64(got[i]), c.want(float64(v))
				if !(math.Abs(g) <= c.bound) {
					t.Fatalf("%s(%g) = %g", c.name, v, g)
				}
				if math.Abs(float64(v)) > c.limit {
					continue
				}
				tol := c.rel*math.Abs(w) + c.abs
				if d := math.Abs(g - w); d > tol {
					t.Errorf("%s(%g) = %g, want %g: off by %.3g, allowed %.3g", c.name, v, g, w, d, tol)
				} else if tol > 0 {
					worst = max(worst, d/tol)
				}
			}
			t.Logf("%s: worst error %.2f of %.0e", c.name, worst, max(c.rel, c.abs))
			// A NaN stays one, in whole vectors and in the tail.
			for n := 1; n < 40; n++ {
				y := normal(newRand(), n, 1)
				y[n-1] = float32(math.NaN())
				c.f(y, y)
				for i, v := range y {
					if (v != v) != (i == n-1) {
						t.Fatalf("%s: NaN at %d of %d gave %g at %d", c.name, n-1, n, v, i)
					}
				}
			}
		}
	})
}

func TestPiTanhSinCosAgrees(t *testing.T) {
	x := arguments()
	n := len(x)
	eachLevel(t, func(t *testing.T) {
		th, c, s := make([]float32, n), make([]float32, n), make([]float32, n)
		PiTanhSinCos(th, c, s, x)
		for i := range x {
			if math.Abs(math.Cos(float64(th[i]))-float64(c[i])) > 2e-7 ||
				math.Abs(math.Sin(float64(th[i]))-float64(s[i])) > 2e-7 {
				t.Fatalf("x=%g: theta %g, cos %g, sin %g", x[i], th[i], c[i], s[i])
			}
		}
	})
}

func TestLogAddExp(t *testing.T) {
	inf := float32(math.Inf(1))
	a := append(arguments(), inf, -inf)
	eachLevel(t, func(t *testing.T) {
		got := make([]float32, len(a))
		for _, b := range []float32{
			0, 1, -1, 0.3, -30, 80, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, 1e-20, inf, -inf,
		} {
			LogAddExp(got, a, b)
			for i, v := range a {
				m := math.Max(float64(v), float64(b))
				w := m
				if !math.IsInf(m, 0) {
					w += math.Log1p(math.Exp(-math.Abs(float64(v) - float64(b))))
				}
				if g := float64(got[i]); g != w && !(math.Abs(g-w) <= 3e-7*max(1, math.Abs(w))) {
					t.Fatalf("LogAddExp(%g, %g) = %g, want %g", v, b, g, w)
				}
			}
		}
		r := newRand()
		x, y2, both := normal(r, 37, 30), normal(r, 37, 30), make([]float32, 37)
		LogAddExp2(both, x, y2)
		for i, v := range x {
			LogAddExp(got[:1], x[i:i+1], y2[i])
			if both[i] != got[0] {
				t.Fatalf("LogAddExp2(%g, %g) = %g, LogAddExp gives %g", v, y2[i], both[i], got[0])
			}
		}
		y := []float32{1, float32(math.NaN()), 2}
		LogAddExp(y, y, 0)
		if y[1] == y[1] || y[0] != y[0] || y[2] != y[2] {
			t.Errorf("NaN among a gave %v", y)
		}
		LogAddExp(y, []float32{1, 2, 3}, float32(math.NaN()))
		if y[0] == y[0] || y[1] == y[1] || y[2] == y[2] {
			t.Errorf("NaN as b gave %v", y)
		}
	})
}

// Every length from 0 to 70: nothing beyond the end is written, and a value's
// place (vector or tail) does not matter.
func TestLengths(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		for n := range 71 {
			x, y := normal(r, n, 1), normal(r, n, 1)
			tests := []struct {
				name string
				f    func(dst []float32)
				want func(i int) float64
			}{
				{"Exp", func(d []float32) { Exp(d, x) }, func(i int) float64 { return math.Exp(float64(x[i])) }},
				{"ExpOver", func(d []float32) { ExpOver(d, x, 0.5) }, func(i int) float64 { return math.Exp(float64(x[i]) - 0.5) }},
				{"ExpFrom", func(d []float32) { ExpFrom(d, x, 0.5) }, func(i int) float64 { return math.Exp(0.5 - float64(x[i])) }},
				{"Pull", func(d []float32) { copy(d, y); Pull(d, x, 0.5) }, func(i int) float64 { return (0.5 - float64(y[i])) * float64(x[i]) }},
				{"Sigmoid", func(d []float32) { Sigmoid(d, x) }, func(i int) float64 { return 1 / (1 + math.Exp(-float64(x[i]))) }},
				{"LogAddExp", func(d []float32) { LogAddExp(d, x, 0.5) }, func(i int) float64 { return math.Log(math.Exp(float64(x[i])) + math.Exp(0.5)) }},
				{"Axpy", func(d []float32) { copy(d, y); Axpy(d, x, 1.5) }, func(i int) float64 { return float64(y[i]) + 1.5*float64(x[i]) }},
				{"Scale", func(d []float32) { copy(d, y); Scale(d, -3) }, func(i int) float64 { return -3 * float64(y[i]) }},
				{"Add", func(d []float32) { copy(d, y); Add(d, x) }, func(i int) float64 { return float64(y[i]) + float64(x[i]) }},
				{"Exp alias", func(d []float32) { copy(d, x); Exp(d, d) }, func(i int) float64 { return math.Exp(float64(x[i])) }},
				{"Sin", func(d []float32) { copy(d, x); SinCos(d, make([]float32, n), d) }, func(i int) float64 { return math.Sin(float64(x[i])) }},
				{"Cos", func(d []float32) { copy(d, x); SinCos(make([]float32, n), d, d) }, func(i int) float64 { return math.Cos(float64(x[i])) }},
				{"Tanh alias", func(d []float32) { copy(d, x); Tanh(d, d) }, func(i int) float64 { return math.Tanh(float64(x[i])) }},
				{"PiTanh", func(d []float32) { copy(d, x); PiTanhSinCos(d, make([]float32, n), make([]float32, n), d) }, func(i int) float64 { return math.Pi * math.Tanh(float64(x[i])) }},
				{"PiTanhBackward", func(d []float32) { copy(d, y); Scale(d, 0.125); PiTanhBackward(d, x) }, func(i int) float64 {
					return float64(y[i]) / 8 * (math.Pi - float64(x[i])*float64(x[i])/math.Pi)
				}},
			}
			for _, c := range tests {
				d := guarded(n)
				c.f(d[:n])
				checkGuard(t, c.name, d, n)
				for i := range n {
					if w := c.want(i); math.Abs(float64(d[i])-w) > 5e-7*max(1, math.Abs(w)) {
						t.Fatalf("%s, n=%d: %g at %d, want %g", c.name, n, d[i], i, w)
					}
				}
			}
		}
	})
}

// A value's result does not depend on its place, bit for bit.
func TestPlaceIndependent(t *testing.T) {
	fs := map[string]func(d, x []float32){
		"Exp": Exp, "Sigmoid": Sigmoid, "Tanh": Tanh,
		"Sin":       func(d, x []float32) { SinCos(d, make([]float32, len(x)), x) },
		"PiTanh":    func(d, x []float32) { PiTanhSinCos(d, make([]float32, len(x)), make([]float32, len(x)), x) },
		"LogAddExp": func(d, x []float32) { LogAddExp(d, x, 0.25) },
	}
	x := normal(newRand(), 67, 3)
	eachLevel(t, func(t *testing.T) {
		for name, f := range fs {
			whole, one := make([]float32, len(x)), make([]float32, 1)
			f(whole, x)
			for i := range x {
				if f(one, x[i:i+1]); one[0] != whole[i] && one[0] == one[0] {
					t.Fatalf("%s(%g) is %g alone, %g among others", name, x[i], one[0], whole[i])
				}
			}
		}
	})
}

func TestReductions(t *testing.T) {
	r := newRand()
	lengths := []int{127, 128, 264, 1000, 1023, 1024, 1025, 2500, 20000}
	for n := range 71 {
		lengths = append(lengths, n)
	}
	eachLevel(t, func(t *testing.T) {
		for _, n := range lengths {
			// What follows the end must not count.
			xs, ys := normal(r, n+20, 1), normal(r, n+20, 1)
			for i := range 20 {
				xs[n+i], ys[n+i] = 1e20, -1e20
			}
			x, y := xs[:n], ys[:n]
			var sum, inner, sq, ss, absSum, absDot float64
			best := math.Inf(-1)
			for i := range x {
				a, b := float64(x[i]), float64(y[i])
				sum += a
				absSum += math.Abs(a)
				inner += a * b
				absDot += math.Abs(a * b)
				sq += (a - b) * (a - b)
				ss += a * a
				best = max(best, a)
			}
			near := func(what string, got, want, size float64) {
				if !(math.Abs(got-want) <= 1e-6*size) {
					t.Fatalf("%s, n=%d: %g, want %g", what, n, got, want)
				}
			}
			near("Sum", float64(Sum(x)), sum, absSum)
			near("Dot", float64(dot(n, x, y)), inner, absDot)
			near("SqDist", float64(sqDist(n, x, y)), sq, 2*sq)
			near("SumSquares", SumSquares(x), ss, ss)
			if float64(Max(x)) != best {
				t.Fatalf("Max, n=%d: %g, want %g", n, Max(x), best)
			}
			for i := range x {
				x[i] = -1 - x[i]*x[i]
			}
			if n > 0 {
				x[n/2] = -0.5
				if Max(x) != -0.5 {
					t.Fatalf("Max of negative values, n=%d: %g", n, Max(x))
				}
			}
			if Sum(x) != Sum(x) || dot(n, x, y) != dot(n, x, y) {
				t.Fatal("a sum differs from itself")
			}
		}
	})
}

func TestAdam(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		for _, n := range append([]int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 132}, 1000) {
			for _, k := range []AdamCoef{
				{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 0.01, InvSqrtBias2: 31.6, GradScale: 1},
				{Beta1: 0.5, Beta2: 0.95, Eps: 1e-6, StepSize: 1e-3, InvSqrtBias2: 1.5, WeightDecay: 0.1, Decoupled: 0.02, GradScale: 0.3},
			} {
				p, m, v, g := guarded(n), guarded(n), guarded(n), normal(r, n, 1)
				p0, m0, v0 := normal(r, n, 1), normal(r, n, 0.1), normal(r, n, 0.1)
				for i := range v0 {
					v0[i] *= v0[i]
				}
				copy(p, p0)
				copy(m, m0)
				copy(v, v0)
				Adam(p[:n], m[:n], v[:n], g, &k)
				checkGuard(t, "p", p, n)
				checkGuard(t, "m", m, n)
				checkGuard(t, "v", v, n)
				b1, b2, b1c, b2c := float64(k.Beta1), float64(k.Beta2), float64(1-k.Beta1), float64(1-k.Beta2)
				for i := range n {
					h := float64(g[i])*float64(k.GradScale) + float64(k.WeightDecay)*float64(p0[i])
					wm := b1*float64(m0[i]) + b1c*h
					wv := b2*float64(v0[i]) + b2c*h*h
					wp := float64(p0[i])*float64(1-k.Decoupled) -
						float64(k.StepSize)*wm/(math.Sqrt(wv)*float64(k.InvSqrtBias2)+float64(k.Eps))
					if !near(m[i], wm, 1) || !near(v[i], wv, 1) || !near(p[i], wp, 1) {
						t.Fatalf("n=%d i=%d: p %g m %g v %g, want %g %g %g", n, i, p[i], m[i], v[i], wp, wm, wv)
					}
				}
			}
		}
	})
}

func near(got float32, want, size float64) bool {
	return math.Abs(float64(got)-want) <= 5e-7*max(size, math.Abs(want))
}

func TestShortInputPanics(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for i, f := range []func(){
			func() { Exp(make([]float32, 5), make([]float32, 4, 8)) },
			func() { SinCos(make([]float32, 5), make([]float32, 4), make([]float32, 5)) },
			func() {
				Adam(make([]float32, 2), make([]float32, 2), make([]float32, 1), make([]float32, 2), &AdamCoef{})
			},
			func() {
				var p Panel
				p.Pack(make([]float32, 11), 4, 3, 4)
			},
			func() {
				var p Panel
				p.Pack(make([]float32, 12), 4, 3, 4)
				p.Mul(make([]float32, 4), []int32{1}, make([]float32, 3), []int32{0}, false)
			},
			func() {
				var p Panel
				p.Pack(make([]float32, 12), 4, 3, 4)
				p.Mul(make([]float32, 4), []int32{0}, make([]float32, 3), []int32{1}, false)
			},
			func() {
				x := make([]float32, 4)
				new(TNScratch).MulTN(x, 2, x, 2, x, 2, 3, 2, 2, false, nil)
			},
			func() {
				x := make([]float32, 8)
				CellForwardRaw(4, x, x, x, x, x, x, x, x[:7])
			},
		} {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				f()
			})
		}
	})
}

func TestNoAllocations(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		var p Panel
		var s TNScratch
		b := normal(newRand(), 40*33, 1)
		a := make([]float32, 40*40)
		c := make([]float32, 40*40)
		at := []int32{0, 40, 80}
		run := func() {
			p.Pack(b, 33, 40, 33)
			p.PackT(b, 40, 40, 33)
			p.Mul(c, at, a, at, true)
			p.MulRows(c, 40, a, 40, 40, false)
			s.MulTN(c, 40, a, 40, b, 33, 40, 40, 33, true, nil)
			var x, y [20]float32
			Exp(x[:], y[:])
			Adam(x[:], y[:], y[:], x[:], &AdamCoef{})
			_ = Sum(x[:])
		}
		if n := testing.AllocsPerRun(5, run); n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

// TestLowered: MHACSP_SIMD chooses a level that the processor has, and nothing else does.
func TestLowered(t *testing.T) {
	all := []level{levelPortable, levelAVX2, levelAVX512}
	for _, c := range []struct {
		env  string
		has  []level
		want level
	}{{"", all, levelAVX512}, {"avx2", all, levelAVX2}, {"portable", all, levelPortable}, {"neon", all, levelAVX512},
		{"avx512", all[:2], levelAVX2}, {"avx512", all, levelAVX512}, {"other", all[:2], levelAVX2}} {
		t.Setenv("MHACSP_SIMD", c.env)
		if got := lowered(c.has); got != c.want {
			t.Errorf("%q on %v: %v", c.env, c.has, got)
		}
	}
}
