package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// deltaCase is a block of a head, and what comes of it.
type deltaCase struct {
	k, d, n, stride        int
	x, alpha, beta, kept   []float32 // x: a row has query, key, value and more
	do                     []float32 // [n, d]
	factorQ, factorK       []float32
	o, x2, dalpha, dbeta   []float32 // x2: gradients, laid out like x
	state, grad, gradAfter []float32 // grad: of the state after the block, which a block behind it left
}

const deltaEps = 0.25

func (c *deltaCase) steps() *DeltaSteps {
	return &DeltaSteps{N: c.n, Q: c.x, K: c.x[c.k:], V: c.x[2*c.k:], Stride: c.stride, Alpha: c.alpha, Beta: c.beta,
		FactorQ: c.factorQ, FactorK: c.factorK}
}

// run takes the block forward from the kept state, and back.
func (c *deltaCase) run(s *Delta) {
	s.Shape(c.k, c.d)
	s.Reset()
	if c.kept != nil { // a step that forgets all and writes the rows of the state, one at a time
		for i := range c.k {
			row := &deltaCase{k: c.k, d: c.d, n: 1, stride: 2*c.k + c.d, x: make([]float32, 2*c.k+c.d),
				alpha: []float32{1}, beta: []float32{1}, factorQ: []float32{1}, factorK: []float32{1}}
			row.x[c.k+i] = 1
			copy(row.x[2*c.k:], c.kept[i*c.d:][:c.d])
			s.Forward(row.steps(), make([]float32, c.d), c.d)
		}
	}
	s.Factors(c.steps(), deltaEps)
	s.Forward(c.steps(), c.o, c.d)
	s.Keep(c.state)
	// The gradient of the state comes from a block behind this one, of one step.
	s.Reset()
	behind := &deltaCase{k: c.k, d: c.d, n: 1, stride: 2*c.k + c.d, x: make([]float32, 2*c.k+c.d), alpha: []float32{1},
		beta: []float32{0}, factorQ: []float32{1}, factorK: []float32{1}}
	for i := range c.k {
		behind.x[i] = 1
		s.Backward(behind.steps(), nil, &DeltaGradients{DO: c.grad[i*c.d:], StrideO: c.d, DQ: make([]float32, c.k),
			DK: make([]float32, c.k), DV: make([]float32, c.d), DAlpha: make([]float32, 1), DBeta: make([]float32, 1)})
		behind.x[i] = 0
	}
	s.Backward(c.steps(), c.kept, &DeltaGradients{DO: c.do, StrideO: c.d, DQ: c.x2, DK: c.x2[c.k:], DV: c.x2[2*c.k:],
		DAlpha: c.dalpha, DBeta: c.dbeta})
}

// want is the same in float64: the outputs, the state after, and the gradients.
func (c *deltaCase) want() (o, state, dx, dalpha, dbeta []float64) {
	k, d := c.k, c.d
	s, g := make([]float64, k*d), make([]float64, k*d)
	for i := range g {
		g[i] = float64(c.grad[i])
		if c.kept != nil {
			s[i] = float64(c.kept[i])
		}
	}
	o, dx = make([]float64, c.n*d), make([]float64, c.n*c.stride)
	dalpha, dbeta = make([]float64, c.n), make([]float64, c.n)
	states, us, es := [][]float64{slices.Clone(s)}, [][]float64(nil), [][]float64(nil)
	unit := func(t, from int) []float64 {
		y, sum := make([]float64, k), float64(deltaEps)
		for i := range y {
			y[i] = float64(c.x[t*c.stride+from+i])
			sum += y[i] * y[i]
		}
		for i := range y {
			y[i] /= math.Sqrt(sum)
			if from == 0 {
				y[i] /= math.Sqrt(float64(k))
			}
		}
		return y
	}
	for t := range c.n {
		q, key, u, e := unit(t, 0), unit(t, k), make([]float64, d), make([]float64, d)
		for j := range d {
			for i := range k {
				u[j] += key[i] * s[i*d+j]
			}
			e[j] = float64(c.x[t*c.stride+2*k+j]) - float64(c.alpha[t])*u[j]
			for i := range k {
				s[i*d+j] = float64(c.alpha[t])*s[i*d+j] + key[i]*float64(c.beta[t])*e[j]
				o[t*d+j] += q[i] * s[i*d+j]
			}
		}
		states, us, es = append(states, slices.Clone(s)), append(us, u), append(es, e)
	}
	for t := c.n - 1; t >= 0; t-- {
		q, key, before, after := unit(t, 0), unit(t, k), states[t], states[t+1]
		dq, dk := make([]float64, k), make([]float64, k)
		for j := range d {
			do, dw := float64(c.do[t*d+j]), 0.0
			for i := range k {
				dq[i] += after[i*d+j] * do
				g[i*d+j] += q[i] * do
				dw += g[i*d+j] * key[i]
			}
			de := float64(c.beta[t]) * dw
			dbeta[t] += dw * es[t][j]
			dx[t*c.stride+2*k+j] = de
			dalpha[t] -= de * us[t][j]
			for i := range k {
				dalpha[t] += g[i*d+j] * before[i*d+j]
				dk[i] += g[i*d+j]*float64(c.beta[t])*es[t][j] - before[i*d+j]*float64(c.alpha[t])*de
				g[i*d+j] = float64(c.alpha[t]) * (g[i*d+j] - de*key[i])
			}
		}
		for from, x := range map[int][2][]float64{0: {dq, q}, k: {dk, key}} {
			size, along := float64(deltaEps), 0.0
			for i := range k {
				v := float64(c.x[t*c.stride+from+i])
				size += v * v
				along += x[0][i] * x[1][i]
			}
			for i := range k {
				y := x[0][i] - along*x[1][i]
				if from == 0 {
					y = (x[0][i] - float64(k)*along*x[1][i]) / math.Sqrt(float64(k))
				}
				dx[t*c.stride+from+i] = y / math.Sqrt(size)
			}
		}
	}
	return o, s, dx, dalpha, dbeta
}

// TestDelta holds a block of the gated delta rule, forwards and backwards, against float64, at every level: from a
// state that is 0 or not, and for a gradient from the steps behind.
func TestDelta(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		s := &Delta{}
		shapes := [][2]int{{1, 1}, {5, 7}, {16, 32}, {8, 16}, {16, 17}, {20, 33}, {17, 64}, {3, 100}, {128, 128}}
		for _, shape := range shapes {
			for _, n := range []int{1, 2, 5, DeltaBlock} {
				for _, known := range []bool{false, true} {
					c := &deltaCase{k: shape[0], d: shape[1], n: n, stride: 2*shape[0] + shape[1] + 3}
					c.x, c.alpha, c.beta = normal(r, n*c.stride, 1), normal(r, n, 1), normal(r, n, 1)
					for i := range n {
						c.alpha[i] = 1 / (1 + c.alpha[i]*c.alpha[i])
						c.beta[i] = 2 / (1 + c.beta[i]*c.beta[i])
					}
					if known {
						c.kept = normal(r, c.k*c.d, 1)
					}
					c.do, c.grad = normal(r, n*c.d, 1), normal(r, c.k*c.d, 1)
					c.factorQ, c.factorK, c.o, c.x2 = guarded(n), guarded(n), guarded(n*c.d), guarded(n*c.stride)
					c.dalpha, c.dbeta, c.state = guarded(n), guarded(n), guarded(c.k*c.d)
					c.run(s)
					o, state, dx, dalpha, dbeta := c.want()
					for i := range n { // what lies between the rows stays
						for j := 2*c.k + c.d; j < c.stride; j++ {
							dx[i*c.stride+j] = guard
						}
					}
					for _, x := range []struct {
						name string
						got  []float32
						want []float64
					}{{"o", c.o, o}, {"state", c.state, state}, {"dx", c.x2, dx}, {"dalpha", c.dalpha, dalpha},
						{"dbeta", c.dbeta, dbeta}} {
						what := fmt.Sprintf("%s, K=%d, D=%d, from a state: %v", x.name, c.k, c.d, known)
						for i, w := range x.want {
							if !(math.Abs(float64(x.got[i])-w) <= 1e-5*math.Sqrt(float64(c.k*c.d))*(1+math.Abs(w))) {
								t.Fatalf("%s, n=%d: element %d is %v, want %v", what, n, i, x.got[i], w)
							}
						}
						checkGuard(t, what, x.got, len(x.want))
					}
					checkGuard(t, "factors of queries", c.factorQ, n)
					checkGuard(t, "factors of keys", c.factorK, n)
				}
			}
		}
	})
}

// BenchmarkDelta is a block of a head with keys of 16 and values of 32, forwards and backwards.
func BenchmarkDelta(b *testing.B) {
	r := newRand()
	const k, d, n, stride = 16, 32, DeltaBlock, 256
	c := &deltaCase{k: k, d: d, n: n, stride: stride, x: normal(r, n*stride, 1), alpha: make([]float32, n),
		beta: make([]float32, n), kept: normal(r, k*d, 1), do: normal(r, n*d, 1), factorQ: make([]float32, n),
		factorK: make([]float32, n), o: make([]float32, n*d), x2: make([]float32, n*stride),
		dalpha: make([]float32, n), dbeta: make([]float32, n)}
	for i := range n {
		c.alpha[i], c.beta[i] = 0.9, 0.7
	}
	g := &DeltaGradients{DO: c.do, StrideO: d, DQ: c.x2, DK: c.x2[k:], DV: c.x2[2*k:], DAlpha: c.dalpha,
		DBeta: c.dbeta}
	s := &Delta{}
	eachLevelB(b, "Forward", func(b *testing.B) {
		s.Shape(k, d)
		for b.Loop() {
			s.Factors(c.steps(), deltaEps)
			s.Forward(c.steps(), c.o, d)
		}
	})
	eachLevelB(b, "Backward", func(b *testing.B) {
		s.Shape(k, d)
		s.Reset()
		for b.Loop() {
			s.Backward(c.steps(), c.kept, g)
		}
	})
}
