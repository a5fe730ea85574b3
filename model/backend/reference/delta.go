package reference

import "mhacsp/model/backend"

// deltaHead is one head's way along one sequence: its state S [D, K], and its rows.
type deltaHead[T Float] struct {
	backend.Delta
	head, first, last int
	x, gates          []T
	rate              T
	state             []T
}

// eachHead calls f for each head of each covered sequence.
func eachHead[T Float](a backend.Delta, f func(d *deltaHead[T])) {
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		first, last := steps(a.Seq, s)
		for h := range a.H {
			f(&deltaHead[T]{Delta: a, head: h, first: first, last: last, x: Data[T](a.X),
				gates: Data[T](a.Gates), rate: Data[T](a.Rate)[h], state: make([]T, a.D*a.K)})
		}
	}
}

// of are the head's query, key and value in row r of a matrix like X.
func (d *deltaHead[T]) of(x []T, r int) (q, k, v []T) {
	row := x[r*d.Width():]
	return row[d.head*d.K:][:d.K], row[(d.H+d.head)*d.K:][:d.K], row[2*d.H*d.K+d.head*d.D:][:d.D]
}

// gate are the head's α, β and factors of query and key in row r.
func (d *deltaHead[T]) gate(r int) (alpha, beta, fq, fk *T) {
	g := d.gates[4*r*d.H+d.head:]
	return &g[0], &g[d.H], &g[2*d.H], &g[3*d.H]
}

// unit are the query and the key at their lengths.
func (d *deltaHead[T]) unit(r int) (q, k []T) {
	_, _, fq, fk := d.gate(r)
	q, k, _ = d.of(d.x, r)
	return scaled(*fq, q), scaled(*fk, k)
}

func scaled[T Float](f T, x []T) []T {
	y := make([]T, len(x))
	axpy(y, f, x)
	return y
}

// step is S ← α S (I − β k̂ k̂ᵀ) + β v k̂ᵀ = α S + w k̂ᵀ, with u = S k̂, e = v − α u and w = β e of the state before.
func (d *deltaHead[T]) step(r int) {
	alpha, beta, _, _ := d.gate(r)
	_, k := d.unit(r)
	_, _, v := d.of(d.x, r)
	for i := range v {
		row := d.state[i*d.K:][:d.K]
		w := *beta * (v[i] - *alpha*dot(row, k))
		for c := range row {
			row[c] = *alpha*row[c] + w*k[c]
		}
	}
}

// DeltaForward is the gated delta rule along each sequence (SPEC §13, gdn).
func (*Backend[T]) DeltaForward(a backend.DeltaForward) {
	a.Check()
	o, saved, x1, x2 := Data[T](a.O), Data[T](a.Saved), Data[T](a.A), Data[T](a.B)
	eachHead(a.Delta, func(d *deltaHead[T]) {
		for r := d.first; r < d.last; r++ {
			alpha, beta, fq, fk := d.gate(r)
			*alpha = exp(-exp(d.rate) * Softplus(x1[r*a.H+d.head]))
			*beta = T(a.Scale) * Sigmoid(x2[r*a.H+d.head])
			q, k, _ := d.of(d.x, r)
			*fq, *fk = 1/sqrt((dot(q, q)+T(a.Eps))*T(a.K)), 1/sqrt(dot(k, k)+T(a.Eps))
			if t := r - d.first; t > 0 && t%backend.DeltaEvery == 0 {
				entry := saved[(r/backend.DeltaEvery-1)*a.Entry()+d.head*a.K*a.D:]
				for i := range d.state {
					entry[i%a.K*a.D+i/a.K] = d.state[i]
				}
			}
			d.step(r)
			q, _ = d.unit(r)
			for i := range a.D {
				o[(r*a.H+d.head)*a.D+i] = dot(d.state[i*a.K:][:a.K], q)
			}
		}
		clear(o[(d.last*a.H+d.head)*a.D:][:a.D])
	})
}

// DeltaBackward goes back along each sequence. With G the gradient of S after a step, and S' the state before it,
//
//	G += do q̂ᵀ,  dq̂ = Sᵀ do,  dw = G k̂,  dβ = dw·e,  dv = de = β dw,  du = −α de
//	dα = Σ G⊙S' − de·u,  dk̂ = Gᵀ w + S'ᵀ du,  G' = α G + du k̂ᵀ
//
// It keeps every state, and reads none of Saved.
func (*Backend[T]) DeltaBackward(a backend.DeltaBackward) {
	a.Check()
	dx, da, db, drate, do := Data[T](a.DX), Data[T](a.DA), Data[T](a.DB), Data[T](a.DRate), Data[T](a.DO)
	x1 := Data[T](a.A)
	eachHead(a.Delta, func(d *deltaHead[T]) {
		var states [][]T
		for r := d.first; r < d.last; r++ {
			states = append(states, append([]T(nil), d.state...))
			d.step(r)
		}
		grad := make([]T, a.D*a.K)
		for r := d.last - 1; r >= d.first; r-- {
			before, out, at := states[r-d.first], do[(r*a.H+d.head)*a.D:], r*a.H+d.head
			alpha, beta, fq, fk := d.gate(r)
			q, k := d.unit(r)
			_, _, v := d.of(d.x, r)
			dq, dk, dv := d.of(dx, r)
			clear(dq)
			clear(dk)
			var dalpha, dbeta T
			for i := range a.D {
				now, g, old := d.state[i*a.K:][:a.K], grad[i*a.K:][:a.K], before[i*a.K:][:a.K]
				axpy(dq, out[i], now)
				axpy(g, out[i], q)
				u, dw := dot(old, k), dot(g, k)
				e := v[i] - *alpha*u
				de := *beta * dw
				du := -*alpha * de
				dv[i] = de
				dbeta += dw * e
				dalpha += dot(g, old) - de*u
				axpy(dk, *beta*e, g)
				axpy(dk, du, old)
				for c := range g {
					g[c] = *alpha*g[c] + du*k[c]
				}
			}
			d.state = before
			// From the gradients of k̂ and q̂ = x/(‖x‖√K) to those of k and q; from dα and dβ to da, dA and db.
			along := dot(dk, k)
			for c := range dk {
				dk[c] = *fk * (dk[c] - along*k[c])
			}
			along = T(a.K) * dot(dq, q)
			for c := range dq {
				dq[c] = *fq * (dq[c] - along*q[c])
			}
			rate := *alpha * dalpha * -exp(d.rate) // of softplus(a)
			da[at] = rate * Sigmoid(x1[at])
			drate[d.head] += rate * Softplus(x1[at])
			db[at] = dbeta * *beta * (1 - *beta/T(a.Scale))
		}
		dq, dk, dv := d.of(dx, d.last)
		clear(dq)
		clear(dk)
		clear(dv)
		da[d.last*a.H+d.head], db[d.last*a.H+d.head] = 0, 0
	})
}
