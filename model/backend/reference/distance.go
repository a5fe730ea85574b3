package reference

// Squared Mahalanobis distances (SPEC §3), q = Λᵀ h: D_ij = Σ |q_i − q_j|², both planes of a head together.

// distance is D_ij of head k.
func (x *attention[T]) distance(k, i, j int) (sum T) {
	qi, qj := x.vector(x.q, k, i), x.vector(x.q, k, j)
	for u := range x.d {
		re, im := qi[u]-qj[u], qi[x.N+u]-qj[x.N+u]
		sum += re * re
		sum += im * im
	}
	return sum
}

// edges is e_t = D_{t,t+1} (SPEC §4).
func (x *attention[T]) edges() {
	for k := range x.Heads {
		for t := range x.steps - 1 {
			x.edge[k*x.steps+t] = x.distance(k, t+1, t)
		}
	}
}

// distances is row i of D.
func (x *attention[T]) distances(i int) {
	for k := range x.Heads {
		for j := range i + 1 {
			x.dist[k*x.steps+j] = x.distance(k, i, j)
		}
	}
}

// distanceBackward takes dD_ij of head k: dq_i += 2 dD_ij (q_i − q_j), dq_j −= the same.
func (g *attentionBackward[T]) distanceBackward(k, i, j int, d T) {
	qi, qj, dqi, dqj := g.vector(g.q, k, i), g.vector(g.q, k, j), g.vector(g.dq, k, i), g.vector(g.dq, k, j)
	for u := range g.d {
		re, im := 2*d*(qi[u]-qj[u]), 2*d*(qi[g.N+u]-qj[g.N+u])
		dqi[u] += re
		dqi[g.N+u] += im
		dqj[u] -= re
		dqj[g.N+u] -= im
	}
}

// distancesBackward takes row i of dD.
func (g *attentionBackward[T]) distancesBackward(i int) {
	for k := range g.Heads {
		for j := range i + 1 {
			g.distanceBackward(k, i, j, g.ddist[k*g.steps+j])
		}
	}
}

// edgesBackward takes what all rows gave the edges.
func (g *attentionBackward[T]) edgesBackward() {
	for k := range g.Heads {
		for t := range g.steps - 1 {
			g.distanceBackward(k, t+1, t, g.dedge[k*g.steps+t])
		}
	}
}
