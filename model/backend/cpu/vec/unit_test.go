package vec

import (
	"math"
	"testing"
)

// TestUnit holds the unit-circle loops against float64, at every level and tail length.
func TestUnit(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := range 70 {
			z, dy, dz0, f := normal(r, 2*n, 1), normal(r, 2*n, 1), normal(r, 2*n, 1), normal(r, n, 1)
			y, inv, dz, sum, inner := guarded(2*n), guarded(n), guarded(2*n), guarded(2*n), guarded(n)
			copy(dz, dz0)
			copy(sum, dz0)
			copy(inner, f)
			Unit(n, y[:2*n], inv[:n], z, 1e-8)
			UnitBackward(n, dz[:2*n], dy, y, inv)
			AxpyComplex(n, sum[:2*n], f, z)
			AddInner(n, inner[:n], z, dy)
			for j := range n {
				re, im, dre, dim := float64(z[j]), float64(z[n+j]), float64(dy[j]), float64(dy[n+j])
				v := 1 / math.Sqrt(re*re+im*im+1e-8)
				along := v * (re*dre + im*dim)
				for name, x := range map[string][2]float64{
					"inv": {float64(inv[j]), v}, "re": {float64(y[j]), re * v}, "im": {float64(y[n+j]), im * v},
					"dre":   {float64(dz[j]), float64(dz0[j]) + v*(dre-re*v*along)},
					"dim":   {float64(dz[n+j]), float64(dz0[n+j]) + v*(dim-im*v*along)},
					"sum":   {float64(sum[j]), float64(dz0[j]) + float64(f[j])*re},
					"sumI":  {float64(sum[n+j]), float64(dz0[n+j]) + float64(f[j])*im},
					"inner": {float64(inner[j]), float64(f[j]) + re*dre + im*dim},
				} {
					if math.Abs(x[0]-x[1]) > 1e-6*(1+math.Abs(x[1])+v*(math.Abs(dre)+math.Abs(dim))) {
						t.Fatalf("n=%d %s[%d] = %v, want %v", n, name, j, x[0], x[1])
					}
				}
			}
			for _, x := range [][]float32{y[2*n:], inv[n:], dz[2*n:], sum[2*n:], inner[n:]} {
				for _, v := range x {
					if v != guard {
						t.Fatalf("n=%d: written past the end", n)
					}
				}
			}
		}
	})
}
