package reference

import (
	"math"
	"slices"

	"mhacsp/model/backend"
)

// softmax is one head of one sequence, with q and k turned where that is asked for.
type softmax[T Float] struct {
	d, steps int
	scale    T     // 1/sqrt(d)
	q, k, v  [][]T // of each position: [d]
	angle    [][]T // of each position: d/2 cosines and sines; nil: no turn
}

func newSoftmax[T Float](a backend.Softmax, s, head int) *softmax[T] {
	first, last := steps(a.Seq, s)
	d := a.N / a.Heads
	x := &softmax[T]{d: d, steps: last - first, scale: T(1 / math.Sqrt(float64(d)))}
	turn := Data[T](a.Turn)
	for t := range x.steps {
		at := func(v backend.Vec) []T { return Data[T](v)[(first+t)*a.N+head*d:][:d] }
		q, k := slices.Clone(at(a.Q)), slices.Clone(at(a.K))
		if turn != nil {
			x.angle = append(x.angle, turn[t*d:][:d])
			TurnPairs(q, x.angle[t], 1)
			TurnPairs(k, x.angle[t], 1)
		}
		x.q, x.k, x.v = append(x.q, q), append(x.k, k), append(x.v, at(a.V))
	}
	return x
}

// TurnPairs turns each pair (c, c + d/2) of y by its angle, with sign −1 back.
func TurnPairs[T Float](y, angle []T, sign T) {
	half := len(y) / 2
	for c := range half {
		cos, sin := angle[c], sign*angle[half+c]
		y[c], y[half+c] = cos*y[c]-sin*y[half+c], cos*y[half+c]+sin*y[c]
	}
}

// weights is P_ij for j ≤ i, and the logarithm of the sum.
func (x *softmax[T]) weights(i int) (p []T, log T) {
	for j := range i + 1 {
		p = append(p, x.scale*dot(x.q[i], x.k[j]))
	}
	return p, softmaxOf(p)
}

// softmaxOf makes of a row its softmax, and returns the logarithm of the sum of exponentials.
func softmaxOf[T Float](row []T) T {
	top := slices.Max(row)
	var sum T
	for j, s := range row {
		row[j] = exp(s - top)
		sum += row[j]
	}
	for j := range row {
		row[j] /= sum
	}
	return top + T(math.Log(float64(sum)))
}

// softmaxes calls each with every head of every covered sequence, and the row of its first position.
func softmaxes[T Float](a backend.Softmax, each func(x *softmax[T], s, head, first int)) {
	for s := a.Seq.Lo; s < a.Seq.Hi; s++ {
		for head := range a.Heads {
			each(newSoftmax[T](a, s, head), s, head, int(IntData(a.Seq.Start)[s]))
		}
	}
}

// SoftmaxForward is o_i = Σ_{j ≤ i} P_ij v_j, P_ij = softmax of q_i·k_j/sqrt(d) (SPEC §13).
func (*Backend[T]) SoftmaxForward(a backend.SoftmaxForward) {
	a.Check()
	o, log, n := Data[T](a.O), Data[T](a.Log), a.N
	softmaxes(a.Softmax, func(x *softmax[T], _, head, first int) {
		for i := range x.steps + 1 {
			oi, li := o[(first+i)*n+head*x.d:][:x.d], &log[(first+i)*a.Heads+head]
			clear(oi)
			*li = 0
			if i == x.steps {
				break
			}
			p, sum := x.weights(i)
			*li = sum
			for j, w := range p {
				axpy(oi, w, x.v[j])
			}
		}
	})
}

// SoftmaxBackward is the backward pass of SoftmaxForward: dv_j = Σ_i P_ij do_i; with dP_ij = do_i·v_j and
// dS_ij = P_ij (dP_ij − do_i·o_i), dq_i = Σ_j dS_ij k_j/sqrt(d) and dk_j = Σ_i dS_ij q_i/sqrt(d), turned back.
func (*Backend[T]) SoftmaxBackward(a backend.SoftmaxBackward) {
	a.Check()
	do, o, n := Data[T](a.DO), Data[T](a.O), a.N
	softmaxes(a.Softmax, func(x *softmax[T], _, head, first int) {
		d := func(v backend.Vec, t int) []T { return Data[T](v)[(first+t)*n+head*x.d:][:x.d] }
		for t := range x.steps + 1 {
			clear(d(a.DQ, t))
			clear(d(a.DK, t))
			clear(d(a.DV, t))
		}
		for i := range x.steps {
			at := (first+i)*n + head*x.d
			doi := do[at:][:x.d]
			mean := dot(doi, o[at:])
			p, _ := x.weights(i)
			for j, w := range p {
				axpy(d(a.DV, j), w, doi)
				ds := x.scale * w * (dot(doi, x.v[j]) - mean)
				axpy(d(a.DQ, i), ds, x.k[j])
				axpy(d(a.DK, j), ds, x.q[i])
			}
		}
		for t, angle := range x.angle {
			TurnPairs(d(a.DQ, t), angle, -1)
			TurnPairs(d(a.DK, t), angle, -1)
		}
	})
}

// SoftmaxMatrices keeps every row.
func (*Backend[T]) SoftmaxMatrices(a backend.SoftmaxMatrices) { SoftmaxMatrices[T](a) }

func SoftmaxMatrices[T Float](a backend.SoftmaxMatrices) {
	a.Check()
	weights := Data[T](a.Weights)
	clear(weights)
	softmaxes(a.Softmax, func(x *softmax[T], s, head, _ int) {
		for i := range x.steps {
			p, _ := x.weights(i)
			copy(weights[(((s-a.Seq.Lo)*a.Heads+head)*a.T+i)*a.T:], p)
		}
	})
}
