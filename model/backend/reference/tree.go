package reference

import "mhacsp/model/backend"

// Tree accumulation (SPEC §4): C̃_ij = log(1 + Σ_{t=j}^{i−1} exp e_t), in log space.

// grow makes row i of C̃ out of row i−1: each span is longer by the edge e_{i−1}, C̃_ij = log(exp C̃_{i−1,j} + exp
// e_{i−1}), and C̃_ii = log 1. The ablations of SPEC §10: no-lse adds the edges up, with no-tree C̃ is 0.
func (x *attention[T]) grow(i int) {
	for k := range x.Heads {
		c := x.tree[k*x.steps:]
		for j := range i {
			switch e := x.edge[k*x.steps+i-1]; x.Tree {
			case backend.TreeLogSumExp:
				c[j] = logAddExp(c[j], e)
			case backend.TreeSum:
				c[j] += e
			}
		}
		c[i] = 0
	}
}

// growBackward takes row i of dC̃ and adds its part of the edges' gradients: de_t += Σ_{j≤t} dC̃_ij exp(e_t − C̃_ij),
// for the derivative of C̃_ij by an edge is the edge's share of the sum. With s_t = Σ_{j≤t} dC̃_ij exp(C̃_it −
// C̃_ij), which a walk up the row makes from its neighbour, that is s_t exp(e_t − C̃_it). No exponent is above 0:
// spans shrink as j grows.
func (g *attentionBackward[T]) growBackward(i int) {
	for k := range g.Heads {
		c, dc := g.tree[k*g.steps:], g.dtree[k*g.steps:]
		e, de := g.edge[k*g.steps:], g.dedge[k*g.steps:]
		var s T
		for t := range i {
			switch g.Tree {
			case backend.TreeLogSumExp:
				if t > 0 {
					s *= exp(c[t] - c[t-1])
				}
				s += dc[t]
				de[t] += s * exp(e[t]-c[t])
			case backend.TreeSum: // the derivative by each edge is 1
				s += dc[t]
				de[t] += s
			}
		}
	}
}
