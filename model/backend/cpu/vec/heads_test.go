package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// heads64 is what an array of Heads holds, in float64 and by head.
func heads64(x []float32, count, stride, n int) [][]float64 {
	y := make([][]float64, count)
	for k := range y {
		for _, v := range x[k*stride:][:n] {
			y[k] = append(y[k], float64(v))
		}
	}
	return y
}

// checkHeads compares n elements of every head with want, and what follows up to the stride with what was there.
func checkHeads(t *testing.T, what string, got, was []float32, want [][]float64, stride int) {
	t.Helper()
	for k, row := range want {
		for j := range min(stride, len(got)-k*stride) {
			v := got[k*stride+j]
			if j >= len(row) && v != was[k*stride+j] {
				t.Fatalf("%s: head %d: wrote %g at %d, beyond the row", what, k, v, j)
			}
			if j < len(row) && !(math.Abs(float64(v)-row[j]) <= 2e-5*(1+math.Abs(row[j]))) {
				t.Fatalf("%s: head %d, element %d: %g, want %g", what, k, j, v, row[j])
			}
		}
	}
}

// TestFuse holds the fusion of heads and its gradient against plain float64 loops, at every level.
func TestFuse(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		for _, n := range []int{1, 3, 4, 5} {
			for _, scale := range []float64{0.1, 1, 15} {
				h := Heads{Count: n}
				a, c, b := guarded(n*n), normal(r, n, scale), normal(r, n*n, 1)
				da, db, dc := normal(r, n*n, 1), normal(r, n*n, 1), guarded(n)
				db0, what := slices.Clone(db), fmt.Sprintf("%d heads, scale %g", n, scale)
				h.Fuse(a, c, b)
				h.FuseBackward(db, dc, a, da, c, b)
				checkGuard(t, what+": a", a, n*n)
				checkGuard(t, what+": dc", dc, n)
				wantDC, size := make([]float64, n), 1.0
				for k := range n {
					p, sum, mean := make([]float64, n), 0.0, 0.0
					top := math.Inf(-1)
					for l := range n {
						p[l] = float64(c[k]) * float64(b[k*n+l]) * float64(c[l])
						top = max(top, p[l])
					}
					for l := range n {
						p[l] = math.Exp(p[l] - top)
						sum += p[l]
					}
					for l := range n {
						p[l] /= sum
						mean += p[l] * float64(da[k*n+l])
						if got := float64(a[k*n+l]); math.Abs(got-p[l]) > 1e-4 {
							t.Fatalf("%s: a[%d,%d] = %g, want %g", what, k, l, got, p[l])
						}
					}
					for l := range n {
						ds := p[l] * (float64(da[k*n+l]) - mean)
						want := float64(db0[k*n+l]) + ds*float64(c[k])*float64(c[l])
						if got := float64(db[k*n+l]); math.Abs(got-want) > 2e-4*(1+scale*scale) {
							t.Fatalf("%s: db[%d,%d] = %g, want %g", what, k, l, got, want)
						}
						wantDC[k] += ds * float64(b[k*n+l]) * float64(c[l])
						wantDC[l] += ds * float64(b[k*n+l]) * float64(c[k])
						size += math.Abs(float64(b[k*n+l])) * (math.Abs(float64(c[k])) + math.Abs(float64(c[l])))
					}
				}
				for k := range n {
					if math.Abs(float64(dc[k])-wantDC[k]) > 1e-4*size {
						t.Fatalf("%s: dc[%d] = %g, want %g", what, k, dc[k], wantDC[k])
					}
				}
			}
		}
	})
}

// TestHeads holds the loops of attention's rows against plain float64 ones, at every level.
func TestHeads(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := newRand()
		positive := func(n int, scale float64) []float32 {
			x := normal(r, n, scale)
			for i, v := range x {
				x[i] = max(v, -v)
			}
			return x
		}
		for _, count := range []int{1, 3, 4} {
			for _, n := range []int{1, 2, 7, 15, 16, 17, 18, 40, 97} {
				for _, m := range []int{n, n + 3} {
					what := func(f string) string { return fmt.Sprintf("%s, %d heads, n=%d, m=%d", f, count, n, m) }
					h := Heads{count, m + 5, n + 2}
					mat := func(x []float32, stride int) [][]float64 { return heads64(x, count, stride, n) }
					w, f := positive(count*count, 1), positive(count, 1)

					tree, dist, e := positive(count*h.Line, 3), positive(count*h.Stride, 3), positive(count, 100)
					tree0, dist0 := slices.Clone(tree), slices.Clone(dist)
					wantTree, wantDist := mat(tree, h.Line), mat(dist, h.Stride)
					for k := range count {
						for j := range n {
							top := max(wantTree[k][j], float64(e[k]))
							wantTree[k][j] = top + math.Log(math.Exp(wantTree[k][j]-top)+math.Exp(float64(e[k])-top))
							if j == n-1 {
								wantTree[k][j] = 0
							}
							wantDist[k][j] += float64(f[k]) * wantTree[k][j]
						}
					}
					h.Grow(tree, dist, e, f, n)
					checkHeads(t, what("Grow: tree"), tree, tree0, wantTree, h.Line)
					checkHeads(t, what("Grow: dist"), dist, dist0, wantDist, h.Stride)

					for k := range count {
						dist[k*h.Stride+n-1] = 0
					}
					x, p := mat(dist, h.Stride), normal(r, count*h.Stride, 1)
					p0, want := slices.Clone(p), make([][]float64, count)
					for k := range count {
						var sum float64
						want[k] = make([]float64, m)
						for j := range n {
							for l := range count {
								want[k][j] -= float64(w[k*count+l]) * x[l][j]
							}
							want[k][j] = math.Exp(want[k][j])
							sum += want[k][j]
						}
						for j := range n {
							want[k][j] /= sum
						}
					}
					h.MixSoftmax(p, w, dist, n, m)
					checkHeads(t, what("MixSoftmax"), p, p0, want, h.Stride)

					g, gram := normal(r, count*h.Stride, 1), make([]float32, count*count)
					g0, wantG, weights := slices.Clone(g), mat(g, h.Stride), mat(p, h.Stride)
					wantGram := make([]float64, count*count)
					for k := range count {
						var mean float64
						for j := range n {
							mean += weights[k][j] * wantG[k][j]
						}
						for j := range n {
							wantG[k][j] = -weights[k][j] * (wantG[k][j] - mean)
							for l := range count {
								wantGram[k*count+l] += wantG[k][j] * x[l][j]
							}
						}
					}
					h.SoftmaxGram(gram, g, p, dist, n)
					checkHeads(t, what("SoftmaxGram: g"), g, g0, wantG, h.Stride)
					checkHeads(t, what("SoftmaxGram: gram"), gram, nil, [][]float64{wantGram}, count*count)

					u := Unmixed[float32]{
						G: normal(r, count*h.Stride, 1), Mixed: normal(r, count*h.Stride, 1), Tree: tree,
						DTree: normal(r, count*h.Line, 1), Pull: normal(r, count*h.Line, 1),
						F: f, Dots: make([]float32, count),
					}
					was := Unmixed[float32]{
						G: slices.Clone(u.G), DTree: slices.Clone(u.DTree), Pull: slices.Clone(u.Pull),
					}
					mixed, grown, pull := mat(u.Mixed, h.Stride), mat(tree, h.Line), mat(u.Pull, h.Line)
					dtree, dots := mat(u.DTree, h.Line), make([]float64, count)
					for l := range count {
						want[l] = make([]float64, m)
						for j := range n {
							var d float64
							for k := range count {
								d += float64(w[k*count+l]) * mixed[k][j]
							}
							dots[l] += d * grown[l][j]
							dtree[l][j] = float64(f[l]) * d
							if j < n-1 {
								want[l][j] = -2 * d
								pull[l][j] += 2 * d
								pull[l][n-1] += 2 * d
							}
						}
					}
					h.Unmix(u, w, n, m)
					checkHeads(t, what("Unmix: G"), u.G, was.G, want, h.Stride)
					checkHeads(t, what("Unmix: DTree"), u.DTree, was.DTree, dtree, h.Line)
					checkHeads(t, what("Unmix: Pull"), u.Pull, was.Pull, pull, h.Line)
					for l, d := range dots {
						if math.Abs(float64(u.Dots[l])-d) > 1e-5*(100*float64(n)) {
							t.Fatalf("%s: head %d: %g, want %g", what("Unmix: Dots"), l, u.Dots[l], d)
						}
					}

					share := normal(r, count*h.Line, 1)
					share0, wantShare := slices.Clone(share), make([][]float64, count)
					for k := range count {
						for j := range n - 1 {
							wantShare[k] = append(wantShare[k],
								math.Exp(max(-87.3, min(88.3, grown[k][j+1]-grown[k][j]))))
						}
					}
					h.Ratios(share, tree, n)
					checkHeads(t, what("Ratios"), share, share0, wantShare, h.Line)
				}
			}
		}
	})
}

func BenchmarkHeads(b *testing.B) {
	for _, n := range []int{14, 40, 128} {
		h := Heads{4, n + 5, n + 2}
		r := newRand()
		positive := func(n int) []float32 {
			x := normal(r, n, 1)
			for i, v := range x {
				x[i] = max(v, -v)
			}
			return x
		}
		block, line := func() []float32 { return positive(4 * h.Stride) }, func() []float32 {
			return positive(4 * h.Line)
		}
		tree, dist, e, f, w, p := line(), block(), positive(4), positive(4), positive(16), block()
		g, gram, share, fused, mixed := block(), positive(16), line(), positive(16), block()
		u := Unmixed[float32]{G: g, Mixed: mixed, Tree: tree, DTree: line(), Pull: line(), F: f, Dots: positive(4)}
		for _, c := range []struct {
			name string
			f    func()
		}{
			{"Grow", func() { h.Grow(tree, dist, e, f, n) }},
			{"MixSoftmax", func() { h.MixSoftmax(p, w, dist, n, n) }},
			{"SoftmaxGram", func() { h.SoftmaxGram(gram, g, p, dist, n) }},
			{"Unmix", func() { h.Unmix(u, w, n, n) }},
			{"Ratios", func() { h.Ratios(share, tree, n) }},
			{"Fuse", func() { h.Fuse(fused, f, w) }},
		} {
			eachLevelB(b, fmt.Sprintf("%s,n=%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
			})
		}
	}
}
