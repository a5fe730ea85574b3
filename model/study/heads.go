package study

import (
	"errors"
	"fmt"
	"math"
)

// Heads says how alike the metrics M of a block's heads are (SPEC §3).
type Heads struct {
	Count int `json:"count"`
	// Cosine is the mean over pairs of heads of ⟨M, M′⟩/(‖M‖ ‖M′‖), Frobenius: 1 where all have the same shape. All
	// start near the same multiple of the identity, and so near 1.
	Cosine float64 `json:"cosine"`
	// Shape is the same of what differs from a multiple of the identity, M − tr(M)/d: near 0 at the start, and 0 where
	// nothing does.
	Shape float64 `json:"shape"`
	// Effective is how many heads there are in effect, H²/Σ cos²: H where no two have anything in common, 1 where all
	// are the same.
	Effective float64 `json:"effective"`
}

// MeasureHeads compares the heads of a tensor `blocks.l.metric.factor`, heads × d × d (FORMATS.md).
func MeasureHeads(factor []float32, heads, d int) (Heads, error) {
	if heads < 1 || d < 1 || len(factor) != heads*d*d {
		return Heads{}, fmt.Errorf("a factor of %d numbers is none of %d heads of width %d", len(factor), heads, d)
	}
	metrics, shapes := make([][]float64, heads), make([][]float64, heads)
	for k := range metrics {
		m := metricOf(factor[k*d*d:(k+1)*d*d], d)
		trace := 0.0
		for i := range d {
			trace += m[i*d+i]
		}
		shape := append([]float64(nil), m...)
		for i := range d {
			shape[i*d+i] -= trace / float64(d)
		}
		if squares(shape) < 1e-18*squares(m) { // a multiple of the identity: what is left is rounding
			clear(shape)
		}
		metrics[k], shapes[k] = m, shape
	}
	h := Heads{Count: heads}
	sum := 0.0
	for a := range heads {
		for b := range heads {
			c := cosine(metrics[a], metrics[b])
			sum += c * c
			if a < b {
				h.Cosine += c
				h.Shape += cosine(shapes[a], shapes[b])
			}
		}
	}
	if pairs := heads * (heads - 1) / 2; pairs > 0 {
		h.Cosine, h.Shape = h.Cosine/float64(pairs), h.Shape/float64(pairs)
	}
	h.Effective = float64(heads*heads) / sum
	if math.IsNaN(h.Cosine) || math.IsNaN(h.Shape) || math.IsNaN(h.Effective) {
		return Heads{}, errors.New("the factors hold numbers that are not finite, or far too large")
	}
	return h, nil
}

// metricOf is M = Λ Λᵀ of a stored factor: softplus on the diagonal, nothing above it.
func metricOf(factor []float32, d int) []float64 {
	lambda := func(i, j int) float64 {
		x := float64(factor[i*d+j])
		if i == j {
			return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
		}
		return x
	}
	m := make([]float64, d*d)
	for i := range d {
		for j := range d {
			for t := range min(i, j) + 1 {
				m[i*d+j] += lambda(i, t) * lambda(j, t)
			}
		}
	}
	return m
}

func squares(m []float64) (sum float64) {
	for _, x := range m {
		sum += x * x
	}
	return sum
}

// cosine of two matrices; 0 where one of them is 0.
func cosine(a, b []float64) float64 {
	ab, aa, bb := 0.0, squares(a), squares(b)
	for i := range a {
		ab += a[i] * b[i]
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
