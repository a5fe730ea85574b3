package space

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// centre takes the mean row away.
func centre(rows [][]float64) [][]float64 {
	mean := make([]float64, len(rows[0]))
	for _, row := range rows {
		floats.AddScaled(mean, 1/float64(len(rows)), row)
	}
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = make([]float64, len(row))
		floats.SubTo(out[i], row, mean)
	}
	return out
}

// finite reports whether all numbers are: what decomposes a matrix does not end well on others.
func finite(rows [][]float64) bool {
	return !slices.ContainsFunc(rows, func(row []float64) bool {
		return slices.ContainsFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	})
}

func dense(rows [][]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// Plane is the rows in their first two principal components, and the shares of the variance that these have. It tells
// false of rows that are all the same, or not finite.
func Plane(rows [][]float64) (points [][2]float64, shares [2]float64, ok bool) {
	if !finite(rows) {
		return nil, shares, false
	}
	var pc stat.PC
	centred := dense(centre(rows))
	if !pc.PrincipalComponents(centred, nil) {
		return nil, shares, false
	}
	vars := pc.VarsTo(nil)
	total := floats.Sum(vars)
	if !(total > 0) || len(vars) < 2 {
		return nil, shares, false
	}
	var axes mat.Dense
	pc.VectorsTo(&axes)
	var at mat.Dense
	at.Mul(centred, axes.Slice(0, len(rows[0]), 0, 2))
	for i := range rows {
		points = append(points, [2]float64{at.At(i, 0), at.At(i, 1)})
	}
	return points, [2]float64{vars[0] / total, vars[1] / total}, true
}

// Spectrum is the shares of the variance of rows that their principal components have, the greatest first; nil where
// all rows are the same, or not finite.
func Spectrum(rows [][]float64) []float64 {
	if !finite(rows) {
		return nil
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, dense(rows), nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(&cov, false) {
		return nil
	}
	values := eigen.Values(nil) // ascending
	floats.Reverse(values)
	for i, x := range values {
		values[i] = max(x, 0) // rounding
	}
	total := floats.Sum(values)
	if !(total > 0) {
		return nil
	}
	floats.Scale(1/total, values)
	return values
}

// Steps and speeds of Neighbours: enough for some ten points, whose map stands still long before.
const (
	iterations  = 2000
	exaggerated = 250 // of these steps: attraction counts four times, so that neighbours find each other
	speed       = 2.0
)

// Neighbours is a map of rows by t-SNE (van der Maaten and Hinton 2008), exact, with that many neighbours as
// perplexity. It starts from Plane, so the same rows give the same map. It tells false where Plane does.
func Neighbours(rows [][]float64, perplexity float64) (points [][2]float64, ok bool) {
	points, shares, ok := Plane(rows)
	if !ok {
		return nil, false
	}
	n := len(rows)
	p := affinities(rows, perplexity)
	size := 0.0
	for _, y := range points {
		size += y[0] * y[0] / float64(n)
	}
	if shares[0] > 0 {
		for i := range points {
			points[i][0] *= 1e-2 / math.Sqrt(size)
			points[i][1] *= 1e-2 / math.Sqrt(size)
		}
	}
	moved, near := make([][2]float64, n), make([]float64, n*n)
	for step := range iterations {
		total := 0.0
		for i := range n {
			for j := range n {
				if i != j {
					dx, dy := points[i][0]-points[j][0], points[i][1]-points[j][1]
					near[i*n+j] = 1 / (1 + dx*dx + dy*dy)
					total += near[i*n+j]
				}
			}
		}
		pull, keep := 1.0, 0.8
		if step < exaggerated {
			pull, keep = 4, 0.5
		}
		next := make([][2]float64, n)
		for i := range n {
			var slope [2]float64
			for j := range n {
				w := 4 * (pull*p[i*n+j] - near[i*n+j]/total) * near[i*n+j]
				slope[0] += w * (points[i][0] - points[j][0])
				slope[1] += w * (points[i][1] - points[j][1])
			}
			for a := range 2 {
				moved[i][a] = keep*moved[i][a] - speed*slope[a]
				next[i][a] = points[i][a] + moved[i][a]
			}
		}
		points = next
	}
	return points, true
}

// affinities are t-SNE's p_ij: each row's neighbours weigh as a normal distribution whose entropy is that of
// perplexity equal neighbours, made symmetric, all together 1.
func affinities(rows [][]float64, perplexity float64) []float64 {
	n := len(rows)
	p := make([]float64, n*n)
	square, weight := make([]float64, n), make([]float64, n)
	for i := range rows {
		nearest := math.Inf(1)
		for j := range rows {
			d := floats.Distance(rows[i], rows[j], 2)
			if square[j] = d * d; j != i {
				nearest = min(nearest, square[j])
			}
		}
		low, high := 0.0, math.Inf(1) // of 1/(2σ²)
		for beta, tries := 1.0, 0; tries < 200; tries++ {
			sum, entropy := 0.0, 0.0
			for j := range rows {
				weight[j] = 0
				if j != i {
					weight[j] = math.Exp(-beta * (square[j] - nearest))
					sum += weight[j]
				}
			}
			for j, w := range weight {
				if weight[j] = w / sum; w > 0 {
					entropy -= weight[j] * math.Log(weight[j])
				}
			}
			if entropy > math.Log(perplexity) {
				low = beta
			} else {
				high = beta
			}
			if beta = (low + high) / 2; math.IsInf(high, 1) {
				beta = 2 * low
			}
		}
		for j, w := range weight {
			p[i*n+j] += w / float64(2*n)
			p[j*n+i] += w / float64(2*n)
		}
	}
	return p
}
