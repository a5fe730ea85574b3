package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// Tree accumulation (SPEC §4): C̃_ij = log(1 + Σ_{t=j}^{i−1} exp e_t), always in log space. tree[k][j] holds row i.

// treeRow computes row i from nothing, all heads together, walking j down from i: s_i = 0,
// s_j = logaddexp(s_{j+1}, e_j). The first row of dist becomes D̃.
func (w *attentionSpan) treeRow(i int) {
	clear(w.walk)
	for j := i; j >= 0; j-- {
		if j < i {
			for k := range w.links {
				w.links[k] = w.edge[k*w.cap+j]
			}
			switch w.kind {
			case backend.TreeLogSumExp:
				vec.LogAddExp(w.walk, w.walk, w.links)
			case backend.TreeSum:
				vec.Axpy(w.walk, w.links, 1)
			}
		}
		for k, x := range w.walk {
			w.tree[k*w.cap+j] = x
		}
	}
	w.stretch(i, 0)
}

// stretch makes D̃_i = D_i + softplus(ρ) C̃_i in row r of the block.
func (w *attentionSpan) stretch(i, r int) {
	for k := 0; w.kind != backend.TreeNone && k < w.heads; k++ {
		vec.Axpy(w.of(w.dist, k, r)[:i+1], w.tree[k*w.cap:][:i+1], w.softRho[k])
	}
}

// treeAdvance makes row i out of row i−1: every span grows by the edge e_{i−1}, C̃_ij = logaddexp(C̃_{i−1,j},
// e_{i−1}). Row r of the block of distances becomes D̃.
func (w *attentionSpan) treeAdvance(i, r int) {
	for k := 0; i > 0 && k < w.heads; k++ {
		w.links[k] = w.edge[k*w.cap+i-1]
	}
	for k := range w.heads {
		c := w.tree[k*w.cap:][:i+1]
		switch w.kind {
		case backend.TreeLogSumExp:
			vec.Grow(c[:i], w.of(w.dist, k, r), w.links[k], w.softRho[k])
		case backend.TreeSum:
			for j := range c[:i] {
				c[j] += w.links[k]
			}
		}
		c[i] = 0
	}
	if w.kind != backend.TreeLogSumExp {
		w.stretch(i, r)
	}
}

// treeBackward takes the gradients of row i in dtree[k][j] and adds those of the edges. With
// C̃_j = logaddexp(C̃_{j+1}, e_j) the gradient splits by the two shares of the sum, which add up to 1, walking j up.
func (w *attentionSpan) treeBackward(i int) {
	if i == 0 || w.kind == backend.TreeNone {
		return
	}
	for k := range w.heads {
		at := k * w.cap
		dc, de, share := w.dtree[at:][:i], w.dedge[at:][:i], w.share[:i]
		var g float32
		if w.kind == backend.TreeSum {
			for j, d := range dc {
				g += d
				de[j] += g
			}
			continue
		}
		vec.Ratio(share, w.tree[at+1:], w.tree[at:])
		for j, d := range dc {
			g += d
			up := g * share[j]
			de[j] += g - up
			g = up
		}
	}
}
