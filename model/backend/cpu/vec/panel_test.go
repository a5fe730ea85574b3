package vec

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"mhacsp/tasks/assert"
)

// begun are m rows of n numbers, ld apart with guards behind them, that begin as those of x do.
func begun(x []float32, m, n, ld int) []float32 {
	c := guarded(m * ld)
	for i := range m {
		copy(c[i*ld:][:n], x[i*ld:])
	}
	return c
}

// checkProducts compares such rows with float64 sums of k terms, on top of c0 where add is set.
func checkProducts(t *testing.T, what string, c, c0 []float32, m, n, ld, k int, add bool,
	term func(i, j, q int) float64) {
	t.Helper()
	for i := range m {
		for j, got := range c[i*ld:][:n] {
			var want, size float64
			if add {
				want = float64(c0[i*ld+j])
				size = math.Abs(want)
			}
			for q := range k {
				x := term(i, j, q)
				want += x
				size += math.Abs(x)
			}
			if !(math.Abs(float64(got)-want) <= 1e-6*size+1e-30) {
				t.Fatalf("%s: row %d column %d: %g, want %g (terms sum to %g)", what, i, j, got, want, size)
			}
		}
		checkGuard(t, what, c[i*ld+n:(i+1)*ld], 0)
	}
	checkGuard(t, what, c[m*ld:], 0)
}

func TestPanelMul(t *testing.T) {
	r := newRand()
	type size struct{ m, k, n int }
	sizes := []size{
		{32, 264, 132}, {5, 272, 272}, {7, 33, 33}, {128, 116, 116}, {3, 0, 5}, {0, 4, 5}, {4, 5, 0}, {13, 88, 66},
		{1, 98, 98}, {2, 32, 34}, {7, 31, 34}, {9, 294, 98},
	}
	for n := range 71 {
		sizes = append(sizes, size{1 + n%9, 1 + (n*7)%23, n})
	}
	for k := range 30 {
		sizes = append(sizes, size{4, k, 37})
	}
	for m := range 12 {
		sizes = append(sizes, size{m, 61, 45})
	}
	eachLevel(t, func(t *testing.T) {
		var p Panel
		for _, z := range sizes {
			for mode := range 4 {
				transposed, add := mode&1 != 0, mode&2 != 0
				what := fmt.Sprintf("m=%d k=%d n=%d transposed=%v add=%v", z.m, z.k, z.n, transposed, add)
				ldb, pack := z.n+3, p.Pack
				if transposed {
					ldb, pack = z.k+2, p.PackT
				}
				b := normal(r, min(1, z.n)*(max(z.k, z.n)*ldb+8), 1) // nothing to point at where there are no columns
				pack(b, ldb, z.k, z.n)
				assert.Need(t, p.K == z.k && p.N == z.n, "%s: Panel is %d×%d", what, p.K, p.N)
				lda, ldc := z.k+1, z.n+5
				a, c0 := normal(r, z.m*lda, 1), normal(r, z.m*ldc, 1)
				c := begun(c0, z.m, z.n, ldc)
				p.MulRows(c, ldc, a, lda, z.m, add)
				checkProducts(t, what, c, c0, z.m, z.n, ldc, z.k, add, func(i, j, q int) float64 {
					if transposed {
						return float64(a[i*lda+q]) * float64(b[j*ldb+q])
					}
					return float64(a[i*lda+q]) * float64(b[q*ldb+j])
				})

				// The same by row lists, in reverse order, one row of A twice, and each row alone: the bits must be
				// the same, so that a product may be cut into pieces.
				d := guarded((z.m + 1) * ldc)
				var cRow, aRow []int32
				for i := z.m - 1; i >= 0; i-- {
					cRow, aRow = append(cRow, int32(i*ldc)), append(aRow, int32(i*lda))
				}
				if z.m > 0 {
					cRow, aRow = append(cRow, int32(z.m*ldc)), append(aRow, 0)
				}
				for i := range z.m + 1 {
					copy(d[i*ldc:i*ldc+z.n], c0[i%max(z.m, 1)*ldc:])
				}
				p.Mul(d, cRow, a, aRow, add)
				for i := range z.m {
					one := guarded(z.n)
					copy(one[:z.n], c0[i*ldc:])
					p.Mul(one, []int32{0}, a, []int32{int32(i * lda)}, add)
					checkGuard(t, what, one, z.n)
					for j, x := range c[i*ldc:][:z.n] {
						assert.Need(t, x == d[i*ldc+j] && x == one[j], "%s: row %d column %d depends on its company: "+
							"%g, %g, %g", what, i, j, x, d[i*ldc+j], one[j])
					}
				}
				assert.Need(t, z.m == 0 || slices.Equal(c[:z.n], d[z.m*ldc:][:z.n]), "%s: repeated row differs", what)
			}
		}
	})
}

func TestMulTN(t *testing.T) {
	r := newRand()
	type size struct{ k, m, n int }
	sizes := []size{
		{1000, 33, 41}, {512, 132, 40}, {TNBlock, 5, 5}, {TNBlock + 1, 5, 5}, {TNBlock - 1, 5, 5},
		{2*TNBlock + 3, 17, 8}, {0, 3, 3}, {3, 0, 3}, {3, 3, 0},
	}
	for n := range 40 {
		sizes = append(sizes, size{1 + n*3, 1 + (n*5)%21, n})
	}
	eachLevel(t, func(t *testing.T) {
		var s TNScratch
		for _, z := range sizes {
			for _, add := range []bool{false, true} {
				what := fmt.Sprintf("k=%d m=%d n=%d add=%v", z.k, z.m, z.n, add)
				lda, ldb, ldc := z.m+2, z.n+1, z.n+4
				a, b, c0 := normal(r, z.k*lda, 1), normal(r, z.k*ldb, 1), normal(r, z.m*ldc, 1)
				c := begun(c0, z.m, z.n, ldc)
				s.MulTN(c, ldc, a, lda, b, ldb, z.k, z.m, z.n, add, nil)
				checkProducts(t, what, c, c0, z.m, z.n, ldc, z.k, add, func(i, j, q int) float64 {
					return float64(a[q*lda+i]) * float64(b[q*ldb+j])
				})
				// Rows of C alone: columns of A.
				if z.m > 1 {
					i := z.m / 2
					one := slices.Clone(c0[i*ldc:][:z.n])
					new(TNScratch).MulTN(one, z.n, a[min(i, len(a)):], lda, b, ldb, z.k, 1, z.n, add, nil)
					assert.Need(t, slices.Equal(one, c[i*ldc:][:z.n]), "%s: row %d alone differs", what, i)
				}
			}
		}
	})
}

// TestMulSum: the product is that without sums, bit for bit, and with it come the sums of B's columns.
func TestMulSum(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		for _, z := range []struct{ k, m, n int }{
			{0, 2, 3}, {1, 1, 1}, {TNBlock + 5, 9, 34}, {3*TNBlock - 1, 98, 294},
		} {
			a, b := normal(r, z.k*z.m, 1), normal(r, z.k*z.n, 1)
			c0, sum0 := normal(r, z.m*z.n, 1), normal(r, z.n, 1)
			for _, add := range []bool{false, true} {
				what := fmt.Sprintf("k=%d m=%d n=%d add=%v", z.k, z.m, z.n, add)
				want, got, sum := slices.Clone(c0), slices.Clone(c0), slices.Clone(sum0)
				new(TNScratch).MulTN(want, z.n, a, z.m, b, z.n, z.k, z.m, z.n, add, nil)
				new(TNScratch).MulTN(got, z.n, a, z.m, b, z.n, z.k, z.m, z.n, add, sum)
				assert.Need(t, slices.Equal(got, want), "%s: another product than MulTN's", what)
				checkProducts(t, what, sum, sum0, 1, z.n, z.n, z.k, add, func(_, j, q int) float64 {
					return float64(b[q*z.n+j])
				})
			}
		}
	})
}

// TestMulRowsBias: the bias is what a product added to it makes, bit for bit, and nothing lies next to it. Some
// products have several blocks of rows.
func TestMulRowsBias(t *testing.T) {
	r := newRand()
	eachLevel(t, func(t *testing.T) {
		var p Panel
		for _, z := range []struct{ m, k, n int }{
			{1, 1, 1}, {3, 0, 5}, {7, 5, 8}, {9, 16, 17}, {63, 4, 33}, {64, 31, 30}, {65, 9, 98}, {200, 98, 294},
			{67, 98, 98},
		} {
			what := fmt.Sprintf("m=%d k=%d n=%d", z.m, z.k, z.n)
			lda, ldc := z.k+3, z.n+2
			a, bias := normal(r, z.m*lda, 1), normal(r, z.n, 1)
			p.Pack(normal(r, z.k*z.n, 1), z.n, z.k, z.n)
			got, want := guarded(z.m*ldc), guarded(z.m*ldc)
			for i := range z.m {
				copy(want[i*ldc:], bias)
			}
			p.MulRowsBias(got, ldc, a, lda, z.m, bias)
			for i := range z.m { // one row at a time: no block has more
				p.MulRows(want[i*ldc:], ldc, a[i*lda:], lda, 1, true)
			}
			for i := range z.m {
				assert.Need(t, slices.Equal(got[i*ldc:][:z.n], want[i*ldc:][:z.n]), "%s: row %d differs", what, i)
				checkGuard(t, what, got[i*ldc+z.n:(i+1)*ldc], 0)
			}
		}
	})
}

// Goroutines share a Panel while the collector interrupts them: vector registers must survive preemption.
func TestConcurrent(t *testing.T) {
	r := newRand()
	const m, k, n = 64, 200, 132
	a, b, x := normal(r, m*k, 1), normal(r, k*n, 1), normal(r, 5000, 1)
	eachLevel(t, func(t *testing.T) {
		var p Panel
		p.Pack(b, n, k, n)
		want, wantExp := make([]float32, m*n), make([]float32, len(x))
		p.MulRows(want, n, a, k, m, false)
		Exp(wantExp, x, 0)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				got, e := make([]float32, m*n), make([]float32, len(x))
				for range 20 {
					p.MulRows(got, n, a, k, m, false)
					Exp(e, x, 0)
					if !slices.Equal(got, want) || !slices.Equal(e, wantExp) {
						t.Error("another result than alone")
						return
					}
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	})
}

func BenchmarkMul(b *testing.B) {
	for _, z := range []struct{ m, k, n int }{
		{32, 264, 132}, {128, 264, 132}, {1, 264, 132}, {4, 264, 132}, {32, 116, 116},
		{32, 132, 264}, {32, 272, 272}, {32, 33, 33}, {32, 176, 88},
	} {
		eachLevelB(b, fmt.Sprintf("m=%d,k=%d,n=%d", z.m, z.k, z.n), func(b *testing.B) {
			r := newRand()
			var p Panel
			p.Pack(normal(r, z.k*z.n, 1), z.n, z.k, z.n)
			a, c := normal(r, z.m*z.k, 1), make([]float32, z.m*z.n)
			for b.Loop() {
				p.MulRows(c, z.n, a, z.k, z.m, false)
			}
			gflops(b, 2*z.m*z.k*z.n)
		})
	}
}

func gflops(b *testing.B, flops int) {
	b.ReportMetric(float64(flops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
