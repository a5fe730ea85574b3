package vec

import (
	"math"
	"testing"
)

// TestConv holds a convolution along a sequence, forwards and backwards, against float64, at every level and tail
// length.
func TestConv(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := 1; n < 70; n++ {
			for _, rows := range []int{1, 2, 3, 4, 5, 9} {
				stride := n + 3
				w, x, dy := normal(r, 4*n, 1), normal(r, rows*n, 1), normal(r, rows*stride, 1)
				y, dx, dw := guarded(rows*stride), guarded(rows*n), guarded(4*n)
				ConvForward(y, stride, w, x, n)
				ConvBackward(dx, dw, dy, stride, w, x, n, make([]float32, 5*n))
				for c := range n {
					wantDX, wantDW := make([]float64, rows), make([]float64, 4)
					for i := range rows {
						var z float64
						for j := range 4 {
							if from := i - 3 + j; from >= 0 {
								z += float64(w[j*n+c]) * float64(x[from*n+c])
							}
						}
						s := 1 / (1 + math.Exp(-z))
						if got := float64(y[i*stride+c]); !(math.Abs(got-z*s) <= 3e-6*(1+math.Abs(z))) {
							t.Fatalf("n=%d rows=%d: y[%d, %d] = %v, want %v", n, rows, i, c, got, z*s)
						}
						dz := float64(dy[i*stride+c]) * s * (1 + z*(1-s))
						for j := range 4 {
							if from := i - 3 + j; from >= 0 {
								wantDX[from] += float64(w[j*n+c]) * dz
								wantDW[j] += float64(x[from*n+c]) * dz
							}
						}
					}
					for i, want := range wantDX {
						if got := float64(dx[i*n+c]); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
							t.Fatalf("n=%d rows=%d: dx[%d, %d] = %v, want %v", n, rows, i, c, got, want)
						}
					}
					for j, want := range wantDW {
						if got := float64(dw[j*n+c]); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
							t.Fatalf("n=%d rows=%d: dw[%d, %d] = %v, want %v", n, rows, j, c, got, want)
						}
					}
				}
				for i := range rows { // what lies between the rows stays
					for j := n; j < stride; j++ {
						if y[i*stride+j] != guard {
							t.Fatalf("n=%d rows=%d: wrote at %d of row %d", n, rows, j, i)
						}
					}
				}
				checkGuard(t, "y", y, rows*stride)
				checkGuard(t, "dx", dx, rows*n)
				checkGuard(t, "dw", dw, 4*n)
			}
		}
	})
}

// BenchmarkConv is a sequence of 39 steps with 128 channels.
func BenchmarkConv(b *testing.B) {
	r := newRand()
	const n, rows, stride = 128, 39, 256
	w, x, y := normal(r, 4*n, 1), normal(r, rows*n, 1), normal(r, rows*stride, 1)
	dx, dw, ring := make([]float32, rows*n), make([]float32, 4*n), make([]float32, 5*n)
	eachLevelB(b, "Forward", func(b *testing.B) {
		for b.Loop() {
			ConvForward(y, stride, w, x, n)
		}
	})
	eachLevelB(b, "Backward", func(b *testing.B) {
		for b.Loop() {
			ConvBackward(dx, dw, y, stride, w, x, n, ring)
		}
	})
}
