package reference

import "mhacsp/model/backend"

// Head fusion (SPEC §5), "meshing": c_k = C̃_i1, S_kl = c_k B_kl c_l, A = softmax over l of S, and the weights of
// D̂^(k) = Σ_l mix_kl D̃^(l), which softmax applies.

// summaries is c_k of the row: its longest span, or, without a tree, log(1 + D_i1) (SPEC §10).
func (x *attention[T]) summaries() {
	for k := range x.Heads {
		if x.Tree == backend.TreeNone {
			x.c[k] = Log1p(x.dist[k*x.steps])
		} else {
			x.c[k] = x.tree[k*x.steps]
		}
	}
}

// fuse is A, and mix: A itself (mesh), each column's mean (pooled), or 1/H (mean).
func (x *attention[T]) fuse() {
	h := x.Heads
	for k := range h {
		row := x.fused[k*h:][:h]
		if x.Fusion == backend.FusionMean {
			for l := range row {
				row[l] = 1 / T(h)
			}
			continue
		}
		for l := range row {
			row[l] = x.c[k] * x.b[k*h+l] * x.c[l]
		}
		softmaxOf(row)
	}
	for k := range h {
		for l := range h {
			x.mix[k*h+l] = x.fused[k*h+l]
			if x.Fusion == backend.FusionPooled {
				x.mix[k*h+l] = columnMean(x.fused, h, l)
			}
		}
	}
}

// columnMean is the mean of column l of the h×h matrix x.
func columnMean[T Float](x []T, h, l int) (mean T) {
	for k := range h {
		mean += x[k*h+l] / T(h)
	}
	return mean
}

// fuseBackward takes dmix and adds to dB: dA = dmix (mesh) or its columns' means (pooled), dS_kl = A_kl (dA_kl − Σ_m
// A_km dA_km), dB_kl += dS_kl c_k c_l; it overwrites dc with Σ_l dS_kl B_kl c_l + Σ_l dS_lk B_lk c_l.
func (g *attentionBackward[T]) fuseBackward() {
	h := g.Heads
	clear(g.dc)
	if g.Fusion == backend.FusionMean {
		return // A depends on nothing
	}
	da := make([]T, h)
	for k := range h {
		for l := range da {
			da[l] = g.dmix[k*h+l]
			if g.Fusion == backend.FusionPooled {
				da[l] = columnMean(g.dmix, h, l)
			}
		}
		a := g.fused[k*h:][:h]
		mean := dot(a, da)
		for l := range da {
			ds := a[l] * (da[l] - mean)
			g.db[k*h+l] += ds * g.c[k] * g.c[l]
			g.dc[k] += ds * g.b[k*h+l] * g.c[l]
			g.dc[l] += ds * g.b[k*h+l] * g.c[k]
		}
	}
}

// summariesBackward hands dc on to the span or the distance that it came from.
func (g *attentionBackward[T]) summariesBackward() {
	for k := range g.Heads {
		if g.Tree == backend.TreeNone {
			g.ddist[k*g.steps] += g.dc[k] / (1 + g.dist[k*g.steps])
		} else {
			g.dtree[k*g.steps] += g.dc[k]
		}
	}
}
