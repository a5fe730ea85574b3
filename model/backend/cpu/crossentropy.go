package cpu

import (
	"math"
	"slices"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type entropyJob struct {
	args                                    backend.CrossEntropy
	d, logits, rowLoss, hit, weight, shares []float32
	target                                  []int32
}

func (j *entropyJob) piece(_, i int) {
	c := j.args.C
	from, to := elementRange(i, j.args.P)
	var total float32
	for p := from; p < to; p++ {
		x := j.logits[p*c:][:c]
		j.rowLoss[p] = vec.Max(x)
		vec.Shift(j.d[p*c:][:c], x, -j.rowLoss[p])
	}
	d := j.d[from*c : to*c]
	vec.Exp(d, d, 0) // all at once
	for p := from; p < to; p++ {
		x, g, t := j.logits[p*c:][:c], j.d[p*c:][:c], j.target[p]
		top := j.rowLoss[p]
		sum, scale := vec.Sum(g), j.args.Scale*j.weight[p]
		vec.Scale(g, g, scale/sum)
		g[t] -= scale
		j.rowLoss[p] = top + float32(math.Log(float64(sum))) - x[t]
		total += scale * j.rowLoss[p]
		j.hit[p] = 0
		if slices.Index(x, top) == int(t) {
			j.hit[p] = 1
		}
	}
	j.shares[i] = total
}

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (f *Fast) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	j, pieces := jobOf[entropyJob](f), elementPieces(a.P)
	j.args, j.d, j.logits = a, data(a.DLogits), data(a.Logits)
	j.rowLoss, j.hit, j.weight, j.target = data(a.RowLoss), data(a.Hit), data(a.Weight), ints(a.Target)
	grow(&j.shares, pieces)
	f.pool.run(j, pieces)
	data(a.Loss)[0] = vec.Sum(j.shares[:pieces])
}
