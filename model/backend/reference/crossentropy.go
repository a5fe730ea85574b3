package reference

import (
	"math"
	"slices"

	"mhacsp/model/backend"
)

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (*Backend[T]) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	loss, rowLoss, d, logits := Data[T](a.Loss), Data[T](a.RowLoss), Data[T](a.DLogits), Data[T](a.Logits)
	weight, hit, target := Data[T](a.Weight), Data[T](a.Hit), IntData(a.Target)
	var total T
	for p := range a.P {
		row, g := logits[p*a.C:][:a.C], d[p*a.C:][:a.C]
		top := slices.Max(row)
		var sum T
		for c, x := range row {
			g[c] = exp(x - top)
			sum += g[c]
		}
		t := target[p]
		scale := T(a.Scale) * weight[p]
		for c := range g {
			g[c] *= scale / sum
		}
		g[t] -= scale
		rowLoss[p] = top + T(math.Log(float64(sum))) - row[t]
		total += scale * rowLoss[p]
		hit[p] = 0
		if slices.Index(row, top) == int(t) {
			hit[p] = 1
		}
	}
	loss[0] = total
}
