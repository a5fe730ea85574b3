package vec

import (
	"math"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// below is Φ(x) in float64.
func below(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// TestActivations tries the functions between two layers, and their slopes, at usual and extreme arguments.
func TestActivations(t *testing.T) {
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	slope := func(f func(g, x []float32)) func(dst, x []float32) {
		return func(dst, x []float32) {
			for i := range dst {
				dst[i] = 1
			}
			f(dst, x)
		}
	}
	number := func(n int, v float32) []float32 { return slices.Repeat([]float32{v}, n) }
	x := arguments()
	eachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			name     string
			f        func(dst, x []float32)
			want     func(x float64) float64
			rel, abs float64
		}{
			{"ReLU", ReLU, func(x float64) float64 { return max(x, 0) }, 0, 0},
			{"GELU", GELU, func(x float64) float64 { return x * below(x) }, 4e-7, 2e-8},
			{"SiLU", SiLU, func(x float64) float64 { return x * sigma(x) }, 4e-7, 1e-8},
			{"ReLUBackward", slope(ReLUBackward), func(x float64) float64 {
				if x > 0 {
					return 1
				}
				return 0
			}, 0, 0},
			{"GELUBackward", slope(GELUBackward),
				func(x float64) float64 { return below(x) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi) }, 4e-7, 2e-7},
			{"SiLUBackward", slope(SiLUBackward),
				func(x float64) float64 { return sigma(x) * (1 + x*(1-sigma(x))) }, 4e-7, 4e-7},
			{"SiLUTimes", func(dst, x []float32) { SiLUTimes(dst, x, number(len(x), -2)) },
				func(x float64) float64 { return -2 * x * sigma(x) }, 4e-7, 2e-8},
			{"SiLUTimesBackward, dx", func(dst, x []float32) {
				SiLUTimesBackward(dst, make([]float32, len(dst)), number(len(x), 3), x, number(len(x), -2))
			}, func(x float64) float64 { return -6 * sigma(x) * (1 + x*(1-sigma(x))) }, 4e-7, 24e-7},
			{"SiLUTimesBackward, dy", func(dst, x []float32) {
				SiLUTimesBackward(make([]float32, len(dst)), dst, number(len(x), 3), x, number(len(x), -2))
			}, func(x float64) float64 { return 3 * x * sigma(x) }, 4e-7, 3e-8},
		} {
			got := make([]float32, len(x))
			c.f(got, x)
			for i, v := range x {
				if math.Abs(float64(v)) > 1e30 {
					continue
				}
				g, w := float64(got[i]), c.want(float64(v))
				if d := math.Abs(g - w); !(d <= c.rel*math.Abs(w)+c.abs) {
					t.Fatalf("%s(%g) = %g, want %g", c.name, v, g, w)
				}
			}
			d := make([]float32, 3)
			c.f(d, []float32{1, float32(math.NaN()), 2})
			onlyThere := d[0] == d[0] && d[1] != d[1] && d[2] == d[2]
			assert.True(t, onlyThere || c.name == "ReLUBackward", "%s: a NaN gives %v", c.name, d)
		}
	})
}
