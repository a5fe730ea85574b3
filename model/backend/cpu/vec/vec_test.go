package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
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

const guard = -12345.5

// guarded is n values followed by a guard that must survive.
func guarded(n int) []float32 { return slices.Repeat([]float32{guard}, n+40) }

func checkGuard(t *testing.T, what string, s []float32, n int) {
	t.Helper()
	for i, v := range s[n:] {
		if v != guard {
			t.Fatalf("%s: n=%d: wrote %g at %d beyond the end", what, n, v, i)
		}
	}
}

// arguments are those at which the elementwise functions are tried: small, usual, large, huge, and the seams of the
// approximations.
func arguments() []float32 {
	r := newRand()
	x := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.625, -0.625, 0.62499994, 87.3, -87.3, 88.3, -88.3, 88.4,
		-100, 100, 1e-30, -1e-30, 1e-38, 1e-42, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32,
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
		{"Exp", func(dst, x []float32) { Exp(dst, x, 0) }, func(x float64) float64 { return math.Exp(clamp(x, float64(float32(expLo)), float64(float32(expHi)))) }, none, 2e-7, 0, math.MaxFloat32},
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
	got := make([]float32, len(a))
	check := func(t *testing.T, b float32) {
		t.Helper()
		for i, v := range a {
			m := math.Max(float64(v), float64(b))
			w := m
			if !math.IsInf(m, 0) {
				w += math.Log1p(math.Exp(-math.Abs(float64(v) - float64(b))))
			}
			if g := float64(got[i]); g != w && !(math.Abs(g-w) <= 3e-7*max(1, math.Abs(w))) {
				t.Fatalf("%g and %g: %g, want %g", v, b, g, w)
			}
		}
	}
	eachLevel(t, func(t *testing.T) {
		for _, b := range []float32{0, 1, -1, 0.3, -30, 80, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, 1e-20} {
			LogAddExp(got, a, slices.Repeat([]float32{b}, len(a)))
			check(t, b)
		}
		SoftPlus(got, a)
		check(t, 0)
		y := []float32{1, float32(math.NaN()), 2}
		SoftPlus(y, y)
		assert.True(t, y[0] == y[0] && y[1] != y[1] && y[2] == y[2], "NaN among x gave %v", y)
	})
}

func TestShortInputPanics(t *testing.T) {
	zeros := func(n int) []float32 { return make([]float32, n) }
	pack := func(n int) *Panel {
		p := new(Panel)
		p.Pack(zeros(n), 4, 3, 4)
		return p
	}
	eachLevel(t, func(t *testing.T) {
		for i, f := range []func(){
			func() { Exp(zeros(5), zeros(8)[:4], 0) },
			func() { SinCos(zeros(5), zeros(4), zeros(5)) },
			func() { Adam(zeros(2), zeros(2), zeros(2)[:1], zeros(2), 0, 0, 0, 0, 0, 0, 0, 1) },
			func() { pack(11) },
			func() { pack(12).Mul(zeros(4), []int32{1}, zeros(3), []int32{0}, false) },
			func() { pack(12).Mul(zeros(4), []int32{0}, zeros(3), []int32{1}, false) },
			func() { new(TNScratch).MulTN(zeros(4), 2, zeros(4), 2, zeros(4), 2, 3, 2, 2, false, nil) },
			func() { x := zeros(8); CellForwardRaw(4, x, x, x, x, x, x, x, x[:7]) },
		} {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				defer func() { assert.True(t, recover() != nil, "no panic") }()
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
			Exp(x[:], y[:], 1)
			Adam(x[:], y[:], y[:], x[:], 0, 0, 0, 0, 0, 0, 0, 1)
			_ = Sum(x[:])
		}
		assert.Is(t, testing.AllocsPerRun(5, run), 0, "allocations")
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
		assert.Is(t, lowered(c.has), c.want, "%q on %v", c.env, c.has)
	}
}
