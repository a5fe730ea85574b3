package vec

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestDrive holds the angle and gate loops against float64, at every level and tail length.
func TestDrive(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := 1; n < 50; n++ {
			pre, u, dv, dtheta, old := normal(r, n, 1), normal(r, n,
				1), normal(r, 2*n, 1), normal(r, n, 1), normal(r, n, 1)
			z := normal(r, 2*n, 1)
			v, rot, dpre, du := guarded(2*n), guarded(2*n), guarded(n), guarded(n)
			in, gpre, dr := guarded(2*n), guarded(n), guarded(2*n)
			Angle(n, v[:2*n], rot[:2*n], pre, u)
			AngleBackward(n, dpre[:n], du[:n], pre, u, dv, dtheta, old)
			Gate(n, in[:2*n], pre, z)
			GateBackward(n, gpre[:n], dr[:2*n], pre, z, dv)
			for j := range n {
				at := func(x []float32) complex128 { return complex(float64(x[j]), float64(x[n+j])) }
				h := math.Tanh(float64(pre[j]))
				e := cmplx.Rect(1, math.Pi*h)
				d := cmplx.Conj(e) * at(dv)
				gamma, slope := (1+math.Sin(float64(pre[j])))/2, math.Cos(float64(pre[j]))/2
				for name, x := range map[string][2]complex128{
					"rot": {at(rot), e}, "v": {at(v), complex(float64(u[j]), 0) * e},
					"du":   {complex(float64(du[j]), 0), complex(real(d), 0)},
					"dpre": {complex(float64(dpre[j]), 0), complex(math.Pi*(1-h*h)*(float64(u[j])*imag(d)+float64(dtheta[j]))+float64(old[j]), 0)},
					"gate": {at(in), complex(gamma, 0) * at(z)}, "dr": {at(dr), complex(gamma, 0) * at(dv)},
					"gpre": {complex(float64(gpre[j]), 0), complex(slope*real(cmplx.Conj(at(dv))*at(z)), 0)},
				} {
					if cmplx.Abs(x[0]-x[1]) > 3e-6*(1+cmplx.Abs(x[1])) {
						t.Fatalf("n=%d %s[%d] = %v, want %v", n, name, j, x[0], x[1])
					}
				}
			}
			for _, x := range [][]float32{v[2*n:], rot[2*n:], dpre[n:], du[n:], in[2*n:], gpre[n:], dr[2*n:]} {
				if x[0] != guard {
					t.Fatalf("n=%d: written past the end", n)
				}
			}
		}
	})
}
