package vec

import (
	"fmt"
	"math"
	"testing"
)

// TestMatrix holds the loops over small matrices against float64, at every level, for rows of every length.
func TestMatrix(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for n := 1; n < 70; n++ {
			for _, rows := range []int{1, 2, 5, 16} {
				m, k, x, y := normal(r, rows*n, 1), normal(r, rows*n, 1), normal(r, n, 1), normal(r, n, 1)
				c, q := normal(r, rows, 1), normal(r, rows, 1)
				sum, changed, inner, both := guarded(n), guarded(rows*n), guarded(rows), guarded(rows)
				Combine(sum[:n], q, m)
				Rank(changed[:rows*n], m, 0.75, c, x)
				Inners(inner[:rows], m, x)
				InnersOfTwo(both[:rows], m, x, k, y)
				again, after := guarded(rows*n), guarded(n)
				copy(again, m)
				RankCombine(after[:n], q, again[:rows*n], 0.75, c, x)
				want := map[string][]float64{"sum": make([]float64, n), "changed": make([]float64, rows*n),
					"inner": make([]float64, rows), "both": make([]float64, rows), "after": make([]float64, n)}
				for i := range rows {
					for j := range n {
						a := float64(m[i*n+j])
						b := 0.75*a + float64(c[i])*float64(x[j])
						want["sum"][j] += float64(q[i]) * a
						want["changed"][i*n+j] = b
						want["after"][j] += float64(q[i]) * b
						want["inner"][i] += a * float64(x[j])
						want["both"][i] += a*float64(x[j]) + float64(k[i*n+j])*float64(y[j])
					}
				}
				all := map[string][]float32{
					"sum": sum, "changed": changed, "inner": inner, "both": both, "after": after,
				}
				for name, got := range all {
					for i, w := range want[name] {
						if !(math.Abs(float64(got[i])-w) <= 2e-5) {
							t.Fatalf("%d×%d: %s[%d] = %v, want %v", rows, n, name, i, got[i], w)
						}
					}
					checkGuard(t, fmt.Sprint(name, " of ", rows, " rows"), got, len(want[name]))
				}
				for i, w := range changed[:rows*n] {
					if again[i] != w {
						t.Fatalf("%d×%d: RankCombine's matrix is not Rank's at %d", rows, n, i)
					}
				}
				less, scaled := guarded(n), guarded(n)
				Less(less[:n], 0.5, x, 2.5, y)
				Scaled(scaled[:n], 0.75, x)
				for j := range n {
					if w := 0.5 * (float64(x[j]) - 2.5*float64(y[j])); !(math.Abs(float64(less[j])-w) <= 1e-6) ||
						scaled[j] != 0.75*x[j] {
						t.Fatalf("n=%d: Less or Scaled is off at %d", n, j)
					}
				}
				checkGuard(t, "Less", less, n)
				checkGuard(t, "Scaled", scaled, n)
				if d := Dot(x, y) - sumOfProducts(x, y); !(math.Abs(float64(d)) <= 2e-5) {
					t.Fatalf("n=%d: Dot is off by %v", n, d)
				}
			}
		}
	})
}

func sumOfProducts(x, y []float32) float32 {
	var sum float64
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return float32(sum)
}

// BenchmarkMatrix is a step of a head with keys of 16 and values of 32, forwards and backwards.
func BenchmarkMatrix(b *testing.B) {
	r := newRand()
	m, k, q, x := normal(r, 512, 1), normal(r, 512, 1), normal(r, 16, 1), normal(r, 32, 1)
	b.Run("Combine", func(b *testing.B) {
		for b.Loop() {
			Combine(x, q, m)
		}
	})
	b.Run("RankCombine", func(b *testing.B) {
		for b.Loop() {
			RankCombine(x, q, m, 0.5, q, x)
		}
	})
	b.Run("Inners", func(b *testing.B) {
		for b.Loop() {
			InnersOfTwo(q, m, x, k, x)
		}
	})
}
