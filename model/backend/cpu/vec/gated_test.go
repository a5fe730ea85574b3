package vec

import (
	"fmt"
	"math"
	"testing"
)

func sigmoid64(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// lstm64 is a unit's step in float64; a are the pre-activations of its gates.
func lstm64(a [4]float64, memory float64) (gates [4]float64, next, state float64) {
	gates = [4]float64{sigmoid64(a[0]), sigmoid64(a[1]), math.Tanh(a[2]), sigmoid64(a[3])}
	next = gates[1]*memory + gates[0]*gates[2]
	return gates, next, gates[3] * math.Tanh(next)
}

// gru64 is a unit's step in float64; u is the candidate's part that r opens.
func gru64(r, z, u, c, prev float64) (gates [4]float64, state float64) {
	r, z = sigmoid64(r), sigmoid64(z)
	c = math.Tanh(c + r*u)
	return [4]float64{r, z, c, u}, (1-z)*c + z*prev
}

// slope is the difference quotient of f.
func slope(f func(e float64) float64) float64 {
	const e = 1e-5
	return (f(e) - f(-e)) / (2 * e)
}

// gatedLengths are those of the tails, and widths of models.
func gatedLengths() []int {
	lengths := []int{84, 97, 128}
	for n := range 35 {
		lengths = append(lengths, n)
	}
	return lengths
}

// TestLSTM holds a step and its gradients, by differences, against float64.
func TestLSTM(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for _, n := range gatedLengths() {
			s, pre, memory := normal(r, 4*n, 2), normal(r, 4*n, 2), normal(r, n, 1)
			dstate, dnext := normal(r, n, 1), normal(r, n, 1)
			gates, next, state, d, dm := guarded(4*n), guarded(n), guarded(n), guarded(4*n), guarded(n)
			LSTM(n, gates[:4*n], next[:n], state[:n], s, pre, memory)
			copy(dm, dnext)
			copy(d, gates[:4*n])
			LSTMBackward(n, d[:4*n], dm[:n], memory, next, dstate)
			at := fmt.Sprintf("n=%d", n)
			for _, x := range []struct {
				x []float32
				n int
			}{{gates, 4 * n}, {next, n}, {state, n}, {d, 4 * n}, {dm, n}} {
				checkGuard(t, at, x.x, x.n)
			}
			near := func(name string, j int, got float32, want float64) {
				t.Helper()
				if !(math.Abs(float64(got)-want) <= 2e-6*max(1, math.Abs(want))) {
					t.Fatalf("%s: %s[%d] = %g, want %g", at, name, j, got, want)
				}
			}
			for j := range n {
				var a [4]float64
				for k := range a {
					a[k] = float64(s[k*n+j]) + float64(pre[k*n+j])
				}
				m := float64(memory[j])
				wg, wn, ws := lstm64(a, m)
				near("next", j, next[j], wn)
				near("state", j, state[j], ws)
				loss := func(a [4]float64, m float64) float64 {
					_, next, state := lstm64(a, m)
					return state*float64(dstate[j]) + next*float64(dnext[j])
				}
				for k := range a {
					near("gates", k*n+j, gates[k*n+j], wg[k])
					near("d", k*n+j, d[k*n+j], slope(func(e float64) float64 {
						b := a
						b[k] += e
						return loss(b, m)
					}))
				}
				near("dmemory", j, dm[j], slope(func(e float64) float64 { return loss(a, m+e) }))
			}
		}
	})
}

// TestGRU holds a step and its gradients, by differences, against float64.
func TestGRU(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for _, n := range gatedLengths() {
			s, pre, prev := normal(r, 3*n, 2), normal(r, 3*n, 2), normal(r, n, 1)
			dstate, before := normal(r, n, 1), normal(r, n, 1)
			gates, hidden, state, d, u, dprev := guarded(3*n), guarded(n), guarded(n), guarded(3*n), guarded(n), guarded(n)
			GRU(n, gates[:3*n], hidden[:n], state[:n], s, pre, prev)
			copy(dprev, before)
			copy(d, gates[:3*n])
			copy(u, hidden[:n])
			GRUBackward(n, d[:3*n], u[:n], dprev[:n], prev, dstate)
			at := fmt.Sprintf("n=%d", n)
			for _, x := range []struct {
				x []float32
				n int
			}{{gates, 3 * n}, {hidden, n}, {state, n}, {d, 3 * n}, {u, n}, {dprev, n}} {
				checkGuard(t, at, x.x, x.n)
			}
			near := func(name string, j int, got float32, want float64) {
				t.Helper()
				if !(math.Abs(float64(got)-want) <= 4e-6*max(1, math.Abs(want))) {
					t.Fatalf("%s: %s[%d] = %g, want %g", at, name, j, got, want)
				}
			}
			for j := range n {
				args := [5]float64{float64(s[j]) + float64(pre[j]), float64(s[n+j]) + float64(pre[n+j]),
					float64(s[2*n+j]), float64(pre[2*n+j]), float64(prev[j])}
				wg, ws := gru64(args[0], args[1], args[2], args[3], args[4])
				near("state", j, state[j], ws)
				by := func(k int) float64 {
					return slope(func(e float64) float64 {
						b := args
						b[k] += e
						_, state := gru64(b[0], b[1], b[2], b[3], b[4])
						return state * float64(dstate[j])
					})
				}
				for k := range 3 {
					near("gates", k*n+j, gates[k*n+j], wg[k])
				}
				near("hidden", j, hidden[j], wg[3])
				near("d", j, d[j], by(0))
				near("d", n+j, d[n+j], by(1))
				near("d", 2*n+j, d[2*n+j], by(3))
				near("u", j, u[j], by(2))
				near("dprev", j, dprev[j], float64(before[j])+by(4))
			}
		}
	})
}

// BenchmarkGated is a step of one row, forwards and backwards.
func BenchmarkGated(b *testing.B) {
	r := newRand()
	const n = 84
	s, pre, memory, gates := normal(r, 4*n, 1), normal(r, 4*n, 1), normal(r, n, 1), normal(r, 4*n, 0.1)
	next, state, d := make([]float32, n), make([]float32, n), make([]float32, n)
	for _, x := range []struct {
		name string
		f    func()
	}{
		{"LSTM", func() { LSTM(n, gates, next, state, s, pre, memory) }},
		{"LSTMBackward", func() { LSTMBackward(n, gates, next, memory, memory, state) }},
		{"GRU", func() { GRU(n, gates, d, state, s, pre, memory) }},
		{"GRUBackward", func() { GRUBackward(n, gates, d, next, memory, state) }},
	} {
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				x.f()
			}
		})
	}
}
