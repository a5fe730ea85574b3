package vec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWide: the vectors of four and the plain loop have the same bits, for rows at a distance and rows by index, and
// nothing outside the product is written. The engine must have vectors.
func TestWide(t *testing.T) {
	if wide().args == nil {
		t.Fatal("no vectors: the program was started without globalThis.wasm, or the engine has none")
	}
	r := rand.New(rand.NewPCG(3, 4))
	values := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 33, 128} {
		for _, k := range []int{1, 2, 3, 4, 5, 33, 132} {
			for _, n := range []int{4, 7, 8, 12, 21, 264} {
				for _, add := range []bool{false, true} {
					var p Panel
					p.Pack(values(k*n), n, k, n)
					lda, ldc := k+3, n+5
					a, c := values(m*lda), values(m*ldc)
					at, ct := make([]int32, m), make([]int32, m)
					for i := range m {
						at[i], ct[i] = int32((m-1-i)*lda), int32(i*ldc)
					}
					part := 1 + r.IntN(k) // of B's rows
					for name, rs := range map[string][2]rows{
						"distance": {{step: ldc}, {step: lda}}, "index": {{at: ct}, {at: at}},
					} {
						got, want := slices.Clone(c), slices.Clone(c)
						p.mulPortable(got, rs[0], a, rs[1], m, part, n, add)
						p.mulGo(want, rs[0], a, rs[1], m, part, n, add, 0)
						if !slices.Equal(got, want) {
							t.Fatalf("%d×%d×%d by %s, add %v: other bits", m, k, n, name, add)
						}
					}
				}
			}
		}
	}
}
