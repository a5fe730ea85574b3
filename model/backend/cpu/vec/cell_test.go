package vec

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"
)

// cell is the recurrence's two loops by one name.
type cell struct {
	normalise bool
	eps       float32
}

func (c cell) forward(n int, state, alpha, inv, s, du, rot, in, prev []float32) {
	if c.normalise {
		CellForward(n, alpha, inv, state, s, du, rot, in, prev, c.eps)
	} else {
		CellForwardRaw(n, alpha, inv, state, s, du, rot, in, prev)
	}
}

func (c cell) backward(n int, dprev, ddelta, dtheta, din, dstate, state, prev, alpha, inv, rot []float32) {
	if c.normalise {
		CellBackward(n, din, ddelta, dtheta, dprev, alpha, inv, rot, state, dstate, prev)
	} else {
		CellBackwardRaw(n, din, ddelta, dtheta, dprev, alpha, rot, dstate, prev)
	}
}

func TestCell(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		lengths := []int{88, 116, 132}
		for n := range 71 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			for _, normalise := range []bool{true, false} {
				what := fmt.Sprintf("n=%d normalise=%v", n, normalise)
				c := cell{normalise, 1e-8}
				s, du, in, prev, rot := normal(r, n, 1), normal(r, n,
					1), normal(r, 2*n, 1), normal(r, 2*n, 1), make([]float32, 2*n)
				for j := range n {
					sin, cos := math.Sincos(r.Float64() * 6)
					rot[j], rot[n+j] = float32(cos), float32(sin)
				}
				if n > 3 { // gates shut and open, a state of almost nothing
					s[0], s[1] = 200, -200
					in[2], in[n+2], prev[2], prev[n+2] = 1e-6, 0, 0, 0
				}
				state, alpha, inv := guarded(2*n), guarded(n), guarded(n)
				c.forward(n, state[:2*n], alpha[:n], inv[:n], s, du, rot, in, prev)
				checkGuard(t, what, state, 2*n)
				checkGuard(t, what, alpha, n)
				checkGuard(t, what, inv, n)

				dstate := normal(r, 2*n, 1)
				dprev, ddelta, dtheta, din := guarded(2*n), guarded(n), guarded(n), guarded(2*n)
				clear(dprev[:2*n])
				c.backward(n, dprev[:2*n], ddelta[:n], dtheta[:n], din[:2*n], dstate, state, prev, alpha, inv, rot)
				checkGuard(t, what, dprev, 2*n)
				checkGuard(t, what, ddelta, n)
				checkGuard(t, what, dtheta, n)
				checkGuard(t, what, din, 2*n)

				at := func(x []float32, j int) complex128 { return complex(float64(x[j]), float64(x[n+j])) }
				nearC := func(name string, j int, x []float32, want complex128, size float64) {
					t.Helper()
					if d := cmplx.Abs(at(x, j) - want); !(d <= 1e-6*size+1e-38) {
						t.Fatalf("%s: %s[%d] = %v, want %v", what, name, j, at(x, j), want)
					}
				}
				nearR := func(name string, j int, x []float32, want, size float64) {
					t.Helper()
					if !(math.Abs(float64(x[j])-want) <= 1e-6*size+1e-38) {
						t.Fatalf("%s: %s[%d] = %g, want %g", what, name, j, x[j], want)
					}
				}
				for j := range n {
					// The gate's argument is rounded first, as the contract has it.
					wa := 1 / (1 + math.Exp(float64(s[j]+du[j])))
					nearR("alpha", j, alpha, wa, wa+1e-31)
					a := float64(alpha[j])
					p := at(rot, j) * at(prev, j)
					g := complex(a, 0)*p + at(in, j)
					size := cmplx.Abs(p)*a + cmplx.Abs(at(in, j))
					wi := 1.0
					if normalise {
						wi = 1 / math.Sqrt(real(g)*real(g)+imag(g)*imag(g)+float64(c.eps))
					}
					// Cancellation in g enlarges the error by size/|g|.
					lost := 1.0
					if normalise {
						lost = size / math.Sqrt(real(g*cmplx.Conj(g))+float64(c.eps))
					}
					nearR("inv", j, inv, wi, wi*max(1, lost))
					nearC("state", j, state, g*complex(wi, 0), wi*size)
					// The gradients, from the float32 state and inv themselves.
					h, dh := at(state, j), at(dstate, j)
					dg := dh
					if normalise {
						dg = complex(float64(inv[j]), 0) * (dh - h*complex(real(cmplx.Conj(h)*dh), 0))
					}
					gs := cmplx.Abs(dh) * 2
					if normalise {
						gs *= float64(inv[j])
					}
					ps := cmplx.Abs(p) + 1e-30
					nearC("din", j, din, dg, gs)
					nearR("ddelta", j, ddelta, -a*(1-a)*real(cmplx.Conj(p)*dg), a*gs*ps)
					dp := complex(a, 0) * dg
					nearC("dprev", j, dprev, cmplx.Conj(at(rot, j))*dp, a*gs)
					nearR("dtheta", j, dtheta, real(p)*imag(dp)-imag(p)*real(dp), a*gs*ps)
				}

				// A second call adds to dprev what the first did.
				once := append([]float32(nil), dprev[:2*n]...)
				c.backward(n, dprev[:2*n], ddelta[:n], dtheta[:n], din[:2*n], dstate, state, prev, alpha, inv, rot)
				largest := 0.0
				for _, x := range once {
					largest = max(largest, math.Abs(float64(x)))
				}
				for i, x := range once {
					if d := math.Abs(float64(dprev[i]) - 2*float64(x)); d > 1e-6*largest {
						t.Fatalf("%s: dprev[%d] = %g after two calls, %g after one", what, i, dprev[i], x)
					}
				}
			}
		}
	})
}

// The gradients are those of Forward, by differences in float64 of the formulas
// in its comment.
func TestCellGradient(t *testing.T) {
	const n = 9
	r := newRand()
	s, du, in, prev, w := normal(r, n, 1), normal(r, n, 1), normal(r, 2*n, 1), normal(r, 2*n, 1), normal(r, 2*n, 1)
	theta := normal(r, n, 2)
	rot := make([]float32, 2*n)
	SinCos(rot[n:], rot[:n], theta)
	for _, normalise := range []bool{true, false} {
		eps := 0.1
		loss := func(j int, delta, th float64, h, x complex128) float64 {
			g := complex(1/(1+math.Exp(delta)), 0)*cmplx.Rect(1, th)*h + x
			if normalise {
				g /= complex(math.Sqrt(real(g*cmplx.Conj(g))+eps), 0)
			}
			return real(g)*float64(w[j]) + imag(g)*float64(w[n+j])
		}
		eachLevel(t, func(t *testing.T) {
			c := cell{normalise, float32(eps)}
			state, alpha, inv := make([]float32, 2*n), make([]float32, n), make([]float32, n)
			c.forward(n, state, alpha, inv, s, du, rot, in, prev)
			dprev, ddelta, dtheta, din := make([]float32, 2*n), make([]float32,
				n), make([]float32, n), make([]float32, 2*n)
			c.backward(n, dprev, ddelta, dtheta, din, w, state, prev, alpha, inv, rot)
			const e = 1e-5
			for j := range n {
				d, th := float64(s[j])+float64(du[j]), float64(theta[j])
				h, x := complex(float64(prev[j]), float64(prev[n+j])), complex(float64(in[j]), float64(in[n+j]))
				for _, c := range []struct {
					name string
					got  float32
					diff float64
				}{
					{"delta", ddelta[j], loss(j, d+e, th, h, x) - loss(j, d-e, th, h, x)},
					{"theta", dtheta[j], loss(j, d, th+e, h, x) - loss(j, d, th-e, h, x)},
					{"Re prev", dprev[j], loss(j, d, th, h+e, x) - loss(j, d, th, h-e, x)},
					{"Im prev", dprev[n+j], loss(j, d, th, h+e*1i, x) - loss(j, d, th, h-e*1i, x)},
					{"Re in", din[j], loss(j, d, th, h, x+e) - loss(j, d, th, h, x-e)},
					{"Im in", din[n+j], loss(j, d, th, h, x+e*1i) - loss(j, d, th, h, x-e*1i)},
				} {
					if want := c.diff / (2 * e); math.Abs(float64(c.got)-want) > 2e-6*max(1, math.Abs(want)) {
						t.Errorf("normalise=%v, d%s[%d] = %g, want %g", normalise, c.name, j, c.got, want)
					}
				}
			}
		})
	}
}

// TestBound holds Bound against float64: longer numbers get the bound's length and keep their direction, others stay
// as they are to the last bit.
func TestBound(t *testing.T) {
	const bound = 1.2
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := range 50 {
			before := normal(r, 2*n, 1)
			if n > 2 { // nothing at all, and far too much
				before[0], before[n], before[1], before[n+1] = 0, 0, 1e15, -1e15
			}
			g := guarded(2 * n)
			copy(g, before)
			Bound(n, g[:2*n], bound)
			checkGuard(t, fmt.Sprint(n), g, 2*n)
			for j := range n {
				x, y := complex(float64(before[j]), float64(before[n+j])), complex(float64(g[j]), float64(g[n+j]))
				want := x
				if length := cmplx.Abs(x); length > bound {
					want *= complex(bound/length, 0)
				} else if x != y {
					t.Fatalf("n=%d: %v is within the bound and became %v", n, x, y)
				}
				if cmplx.Abs(y-want) > 1e-6 {
					t.Fatalf("n=%d: %v became %v, want %v", n, x, y, want)
				}
			}
		}
	})
}

// TestSteer holds the loops of an angle that is a product against float64, at every level and tail length.
func TestSteer(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := 1; n < 50; n++ {
			x, g, token := normal(r, n, 1), normal(r, n, 1), make([]float32, n)
			Tanh(token, normal(r, n, 1))
			theta, c, s, again, dtoken := guarded(n), guarded(n), guarded(n), guarded(2*n), guarded(n)
			Steer(theta[:n], c[:n], s[:n], x, token)
			Steered(again[:n], again[n:2*n], theta[:n], token)
			dx := guarded(n)
			copy(dx, g)
			SteerBackward(dx[:n], dtoken[:n], theta[:n], token)
			for j := range n {
				h, k := math.Tanh(float64(x[j])), float64(token[j])
				for name, y := range map[string][2]float64{
					"theta": {float64(theta[j]), math.Pi * h},
					"c":     {float64(c[j]), math.Cos(math.Pi * h * k)}, "s": {float64(s[j]), math.Sin(math.Pi * h * k)},
					"dtoken": {float64(dtoken[j]), float64(g[j]) * h},
					"dx":     {float64(dx[j]), float64(g[j]) * math.Pi * k * (1 - h*h)},
				} {
					if !(math.Abs(y[0]-y[1]) <= 2e-6*(1+math.Abs(y[1]))) {
						t.Fatalf("n=%d %s[%d] = %v, want %v", n, name, j, y[0], y[1])
					}
				}
				if again[j] != c[j] || again[n+j] != s[j] {
					t.Fatalf("n=%d: %v and %v again, %v and %v before", n, again[j], again[n+j], c[j], s[j])
				}
			}
			for _, y := range [][]float32{theta[n:], c[n:], s[n:], again[2*n:], dx[n:], dtoken[n:]} {
				if y[0] != guard {
					t.Fatalf("n=%d: written past the end", n)
				}
			}
		}
	})
}

func BenchmarkCell(b *testing.B) {
	const n = 132
	r := newRand()
	s, in, prev, rot := normal(r, n, 1), normal(r, 2*n, 1), normal(r, 2*n, 1), normal(r, 2*n, 1)
	state, alpha, inv := make([]float32, 2*n), make([]float32, n), make([]float32, n)
	dprev, ddelta, dtheta, din := make([]float32, 2*n), make([]float32, n), make([]float32, n), make([]float32, 2*n)
	for _, normalise := range []bool{true, false} {
		c := cell{normalise, 1e-8}
		eachLevelB(b, fmt.Sprintf("forward,n=132,normalise=%v", normalise), func(b *testing.B) {
			for b.Loop() {
				c.forward(n, state, alpha, inv, s, s, rot, in, prev)
			}
		})
		eachLevelB(b, fmt.Sprintf("backward,n=132,normalise=%v", normalise), func(b *testing.B) {
			for b.Loop() {
				c.backward(n, dprev, ddelta, dtheta, din, in, state, prev, alpha, inv, rot)
			}
		})
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n = 1056
	r := newRand()
	x, y, z, w := normal(r, n, 1), make([]float32, n), make([]float32, n), make([]float32, n)
	for _, c := range []struct {
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
	} {
		clear(z)
		eachLevelB(b, c.name+",n=1056", func(b *testing.B) {
			for b.Loop() {
				c.f()
			}
		})
	}
}
