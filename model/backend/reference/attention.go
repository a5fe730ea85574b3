package reference

import "mhacsp/model/backend"

// The attention of the reference goes row by row, as SPEC §5 puts it: row i is the paper's Algorithm 1 on the first i
// positions. The equations stand in their order in distance.go (D, e), tree.go (C̃), fusion.go (c, A, D̂) and below
// (P, o), a loop nest each, and the way back of each stands behind it.

// attention is one sequence and the row at hand. Positions count from 0; a row's arrays hold for each head k an
// element for each position j ≤ i, at k·steps + j.
type attention[T Float] struct {
	backend.Attention
	steps, d int
	q, h     []T // [steps, 2N]
	b        []T // [H, H]
	rho      []T // [H]: softplus(r)
	edge     []T // [H, steps]: e_t

	dist, tree, weight []T // [H, steps]: D_ij, C̃_ij, P_ij
	c                  []T // [H]
	fused, mix         []T // [H, H]: A, and the weights of D̂
}

func newAttention[T Float](a backend.Attention, s int) *attention[T] {
	first, last := steps(a.Seq, s)
	from, to := 2*a.N*(first+1), 2*a.N*(last+1)
	x := &attention[T]{Attention: a, steps: last - first, d: a.N / a.Heads, q: Data[T](a.Q)[from:to],
		h: Data[T](a.State)[from:to], b: Data[T](a.B)}
	for _, r := range Data[T](a.Rho)[:a.Heads] {
		x.rho = append(x.rho, Softplus(r))
	}
	for _, row := range []*[]T{&x.edge, &x.dist, &x.tree, &x.weight} {
		*row = make([]T, a.Heads*x.steps)
	}
	x.c, x.fused, x.mix = make([]T, a.Heads), make([]T, a.Heads*a.Heads), make([]T, a.Heads*a.Heads)
	return x
}

// rows makes each row that is asked for and calls each with it: all of them, or the last.
func (x *attention[T]) rows(each func(i int)) {
	x.edges()
	for i := range x.steps {
		x.grow(i)
		if x.Last && i < x.steps-1 {
			continue
		}
		x.distances(i)
		x.summaries()
		x.fuse()
		x.softmax(i)
		each(i)
	}
}

// vector is head k of position t in v [steps, 2N], from its real plane on; the imaginary plane is N further.
func (x *attention[T]) vector(v []T, k, t int) []T { return v[2*x.N*t+k*x.d:] }

// rectified is D̃_ij = D_ij + ρ C̃_ij of head l.
func (x *attention[T]) rectified(l, j int) T {
	return x.dist[l*x.steps+j] + x.rho[l]*x.tree[l*x.steps+j]
}

// softmax is P_ij = softmax over j ≤ i of −D̂_ij, D̂^(k)_ij = Σ_l mix_kl D̃^(l)_ij (SPEC §§5, 6).
func (x *attention[T]) softmax(i int) {
	for k := range x.Heads {
		row := x.weight[k*x.steps:][:i+1]
		for j := range row {
			row[j] = 0
			for l := range x.Heads {
				row[j] -= x.mix[k*x.Heads+l] * x.rectified(l, j)
			}
		}
		softmaxOf(row)
	}
}

// sum adds o_i = Σ_j P_ij h_j to o [2N] (SPEC §6).
func (x *attention[T]) sum(i int, o []T) {
	for k := range x.Heads {
		ok := o[k*x.d:]
		for j := range i + 1 {
			p, h := x.weight[k*x.steps+j], x.vector(x.h, k, j)
			for u := range x.d {
				ok[u] += p * h[u]
				ok[x.N+u] += p * h[x.N+u]
			}
		}
	}
}

// AttentionForward is the attention of each sequence.
func (*Backend[T]) AttentionForward(a backend.AttentionForward) {
	a.Check()
	o, n := Data[T](a.O), a.N
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		x := newAttention[T](a.Attention, s)
		os := attentionOut(a.Attention, o, s)
		clear(os)
		x.rows(func(i int) { x.sum(i, attentionRow(os, n, i, a.Last)) })
	}
}

// attentionOut is what o, or its gradient, holds of sequence s: a row a step and one more, or the last position's
// alone.
func attentionOut[T Float](a backend.Attention, o []T, s int) []T {
	first, last := steps(a.Seq, s)
	if a.Last {
		first, last = s-a.Seq.Lo, s-a.Seq.Lo
	}
	return o[2*a.N*first : 2*a.N*(last+1)]
}

func attentionRow[T Float](o []T, n, i int, last bool) []T {
	if last {
		i = 0
	}
	return o[2*n*i:][:2*n]
}

// attentionBackward is one sequence's way back: the gradients of a row's arrays, and what they are added to.
type attentionBackward[T Float] struct {
	*attention[T]
	dh, dq   []T // [steps, 2N]
	drho, db []T // [H], [H, H]
	dedge    []T // [H, steps]

	dweight, ddist, dtree []T // [H, steps]: of P, then of D̂; of D; of C̃
	dmix, dc              []T // [H, H], [H]
}

// AttentionBackward is the backward pass of AttentionForward. Rows are made again, not kept.
func (*Backend[T]) AttentionBackward(a backend.AttentionBackward) {
	a.Check()
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		x := newAttention[T](a.Attention, s)
		first := 2 * a.N * int(IntData(a.Seq.Start)[s])
		size := 2 * a.N * x.steps
		dq := Data[T](a.DQ)[first:][:2*a.N+size]
		clear(dq)
		g := &attentionBackward[T]{attention: x, dh: Data[T](a.DState)[first+2*a.N:][:size], dq: dq[2*a.N:],
			drho: Data[T](a.DRho), db: Data[T](a.DB), dmix: make([]T, a.Heads*a.Heads), dc: make([]T, a.Heads)}
		for _, row := range []*[]T{&g.dedge, &g.dweight, &g.ddist, &g.dtree} {
			*row = make([]T, a.Heads*x.steps)
		}
		do := attentionOut(a.Attention, Data[T](a.DO), s)
		x.rows(func(i int) {
			g.sumBackward(i, attentionRow(do, a.N, i, a.Last))
			g.softmaxBackward(i)
			g.mixBackward(i)
			g.fuseBackward()
			g.summariesBackward()
			g.growBackward(i)
			g.distancesBackward(i)
		})
		g.edgesBackward()
	}
}

// sumBackward takes the gradient of o_i: dP_ij = do_i·h_j, dh_j += P_ij do_i.
func (g *attentionBackward[T]) sumBackward(i int, do []T) {
	for k := range g.Heads {
		dok := do[k*g.d:]
		for j := range i + 1 {
			p, h, dh := g.weight[k*g.steps+j], g.vector(g.h, k, j), g.vector(g.dh, k, j)
			var dp T
			for u := range g.d {
				dp += dok[u]*h[u] + dok[g.N+u]*h[g.N+u]
				dh[u] += p * dok[u]
				dh[g.N+u] += p * dok[g.N+u]
			}
			g.dweight[k*g.steps+j] = dp
		}
	}
}

// softmaxBackward is dD̂_ij = −P_ij (dP_ij − Σ_m P_im dP_im); it takes the place of dP.
func (g *attentionBackward[T]) softmaxBackward(i int) {
	for k := range g.Heads {
		p, dp := g.weight[k*g.steps:][:i+1], g.dweight[k*g.steps:][:i+1]
		mean := dot(p, dp)
		for j := range dp {
			dp[j] = -p[j] * (dp[j] - mean)
		}
	}
}

// mixBackward takes dD̂ apart: dmix_kl = Σ_j dD̂^(k)_ij D̃^(l)_ij, and of dD̃^(l)_ij = Σ_k mix_kl dD̂^(k)_ij, since
// D̃ = D + softplus(r) C̃, dD_ij = dD̃_ij, dC̃_ij = ρ dD̃_ij and dr += σ(r) Σ_j dD̃_ij C̃_ij.
func (g *attentionBackward[T]) mixBackward(i int) {
	r := Data[T](g.Rho)
	clear(g.dmix)
	for l := range g.Heads {
		for j := range i + 1 {
			at, d := l*g.steps+j, T(0)
			for k := range g.Heads {
				dk := g.dweight[k*g.steps+j]
				g.dmix[k*g.Heads+l] += dk * g.rectified(l, j)
				d += g.mix[k*g.Heads+l] * dk
			}
			g.ddist[at], g.dtree[at] = d, g.rho[l]*d
			g.drho[l] += Sigmoid(r[l]) * d * g.tree[at]
		}
	}
}

// AttentionMatrices keeps every row.
func (*Backend[T]) AttentionMatrices(a backend.AttentionMatrices) { AttentionMatrices[T](a) }

func AttentionMatrices[T Float](a backend.AttentionMatrices) {
	a.Check()
	a.Last = false
	dist, tree, fused, weights := Data[T](a.Distance), Data[T](a.TreeOut), Data[T](a.FusedOut), Data[T](a.Weights)
	for _, x := range [][]T{dist, tree, fused, weights} {
		clear(x)
	}
	h, size := a.Heads, a.T
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		x := newAttention[T](a.Attention, s)
		at := (s - a.Seq.Lo) * size
		x.rows(func(i int) {
			copy(fused[(at+i)*h*h:], x.fused)
			for k := range h {
				from, to := k*x.steps, (at*h+k*size)*size
				copy(tree[to+i*size:], x.tree[from:][:i+1])
				copy(weights[to+i*size:], x.weight[from:][:i+1])
				for j, d := range x.dist[from:][:i+1] {
					dist[to+i*size+j], dist[to+j*size+i] = d, d
				}
			}
		})
	}
}
