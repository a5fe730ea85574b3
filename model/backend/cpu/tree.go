package cpu

import "mhacsp/model/backend"

// Tree accumulation (SPEC §4): C̃_ij = log(1 + Σ_{t=j}^{i−1} exp e_t), always in log space. tree[k][j] holds row i.

// treeRow computes row i from nothing, all heads together, walking j down from i: s_i = 0,
// s_j = logaddexp(s_{j+1}, e_j).
func (w *attentionSpan[T]) treeRow(i int) {
	clear(w.walk)
	for j := i; j >= 0; j-- {
		if j < i {
			for k := range w.links {
				w.links[k] = w.edge[k*w.cap+j]
			}
			switch w.kind {
			case backend.TreeLogSumExp:
				w.ops.logAddExp2(w.walk, w.links)
			case backend.TreeSum:
				w.ops.axpy(w.walk, 1, w.links)
			}
		}
		for k, x := range w.walk {
			w.tree[k*w.cap+j] = x
		}
	}
}

// treeAdvance makes row i out of row i−1: every span grows by the edge e_{i−1}, C̃_ij = logaddexp(C̃_{i−1,j}, e_{i−1}).
func (w *attentionSpan[T]) treeAdvance(i int) {
	for k := range w.heads {
		c := w.tree[k*w.cap:]
		c[i] = 0
		if i == 0 || w.kind == backend.TreeNone {
			continue
		}
		e := w.edge[k*w.cap+i-1]
		if w.kind == backend.TreeLogSumExp {
			w.ops.logAddExp(c[:i], e)
			continue
		}
		for j := range i {
			c[j] += e
		}
	}
}

// treeBackward takes the gradients of row i in dtree[k][j] and adds those of the edges. With
// C̃_j = logaddexp(C̃_{j+1}, e_j) the gradient splits by the two shares of the sum, which add up to 1, walking j up.
func (w *attentionSpan[T]) treeBackward(i int) {
	if i == 0 || w.kind == backend.TreeNone {
		return
	}
	for k := range w.heads {
		c, dc, de := w.tree[k*w.cap:], w.dtree[k*w.cap:], w.dedge[k*w.cap:]
		var g T
		if w.kind == backend.TreeSum {
			for j := range i {
				g += dc[j]
				de[j] += g
			}
			continue
		}
		w.ops.expDiff(w.share[:i], c[1:i+1], c[:i])
		for j, share := range w.share[:i] {
			g += dc[j]
			de[j] += g * (1 - share)
			g *= share
		}
	}
}
