package vec

import (
	"math"
	"testing"
)

// TestNorm tries the loops of the norms at every length against float64.
func TestNorm(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		for n := range 71 {
			x, y, z := normal(r, n, 1), normal(r, n, 1), normal(r, n, 1)
			for _, c := range []struct {
				name string
				f    func(dst []float32)
				want func(x, y, z float64) float64
			}{
				{"Shift", func(d []float32) { Shift(d, x, 0.5) }, func(x, _, _ float64) float64 { return x + 0.5 }},
				{"Gain", func(d []float32) { copy(d, x); Gain(d, d, y, 1.5) },
					func(x, y, _ float64) float64 { return 1.5 * x * y }},
				{"GainShift", func(d []float32) { GainShift(d, x, y, z, 1.5) },
					func(x, y, z float64) float64 { return 1.5*x*y + z }},
				{"AddProduct", func(d []float32) { copy(d, z); AddProduct(d, x, y, 1.5) },
					func(x, y, z float64) float64 { return z + 1.5*x*y }},
				{"Unnorm", func(d []float32) { copy(d, z); Unnorm(d, x, y, 1.5, -0.25, 0.75) },
					func(x, y, z float64) float64 { return z + 1.5*x - 0.25 + 0.75*y }},
			} {
				d := guarded(n)
				c.f(d[:n])
				checkGuard(t, c.name, d, n)
				for i := range n {
					w := c.want(float64(x[i]), float64(y[i]), float64(z[i]))
					if math.Abs(float64(d[i])-w) > 1e-6*max(1, math.Abs(w)) {
						t.Fatalf("%s, n=%d: %g at %d, want %g", c.name, n, d[i], i, w)
					}
				}
			}
			var want, size float64
			for i := range n {
				want += float64(x[i]) * float64(y[i])
				size += math.Abs(float64(x[i]) * float64(y[i]))
			}
			if got := Dot(x, y); math.Abs(float64(got)-want) > 1e-6*size {
				t.Fatalf("Dot, n=%d: %g, want %g", n, got, want)
			}
		}
	})
}
