package vec

import (
	"math"
	"testing"
)

// TestTaps holds a convolution's loops against float64, at every level and tail length.
func TestTaps(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := 1; n < 70; n++ {
			var w, x, dw [4][]float32
			for i := range w {
				w[i], x[i], dw[i] = normal(r, n, 1), normal(r, n, 1), make([]float32, n)
			}
			dy, z, y, dz := normal(r, n, 1), guarded(n), guarded(n), guarded(n)
			Taps(z[:n], &w, &x)
			TapsSilu(y[:n], &w, &x)
			TapsSiluBackward(dz[:n], dy, &dw, &w, &x)
			for j := range n {
				var sum float64
				for i := range w {
					sum += float64(w[i][j]) * float64(x[i][j])
				}
				s := 1 / (1 + math.Exp(-sum))
				d := float64(dy[j]) * s * (1 + sum*(1-s))
				for _, c := range [][2]float64{{float64(z[j]), sum}, {float64(y[j]), sum * s}, {float64(dz[j]), d},
					{float64(dw[0][j]), d * float64(x[0][j])}, {float64(dw[1][j]), d * float64(x[1][j])},
					{float64(dw[2][j]), d * float64(x[2][j])}, {float64(dw[3][j]), d * float64(x[3][j])}} {
					if !(math.Abs(c[0]-c[1]) <= 3e-6*(1+math.Abs(c[1]))) {
						t.Fatalf("n=%d j=%d: %v, want %v", n, j, c[0], c[1])
					}
				}
			}
			for _, s := range [][]float32{z, y, dz} {
				checkGuard(t, "Taps", s, n)
			}
		}
	})
}
