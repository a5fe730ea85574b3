package session

import (
	"math"
	"sort"
)

// principal are the principal components of the rows of a matrix [rows, columns]: scores[k][i] is row i's
// coordinate in component k, variance[k] the component's share of the variance, falling. A component's sign is such
// that its greatest coordinate is positive.
//
// The eigenvectors come by Jacobi's rotations from the Gram matrix of the rows or of the columns, whichever is the
// smaller; gonum's singular value decomposition, with which the test compares, would take half of the trainer's room.
func principal(data []float32, rows, columns int) (scores [][]float64, variance []float64) {
	x, n := centred(data, rows, columns), min(rows, columns)
	gram := make([][]float64, n)
	for i := range gram {
		gram[i] = make([]float64, n)
		for k := range gram {
			gram[i][k] = inner(x, i, k, rows <= columns)
		}
	}
	values, vectors := jacobi(gram)
	order := make([]int, n)
	var total float64
	for i := range order {
		order[i] = i
		values[i] = max(values[i], 0)
		total += values[i]
	}
	sort.SliceStable(order, func(a, b int) bool { return values[order[a]] > values[order[b]] })
	for _, k := range order {
		score, peak := make([]float64, rows), 0.0
		for i := range score {
			if rows <= columns {
				score[i] = vectors[i][k] * math.Sqrt(values[k])
			} else {
				for j, v := range x[i] {
					score[i] += v * vectors[j][k]
				}
			}
			if math.Abs(score[i]) > math.Abs(peak) {
				peak = score[i]
			}
		}
		share := 0.0
		if total > 0 {
			share = values[k] / total
		}
		for i := range score {
			score[i] *= math.Copysign(1, peak)
		}
		scores, variance = append(scores, score), append(variance, share)
	}
	return scores, variance
}

// inner is an element of the Gram matrix of the rows, or of the columns.
func inner(x [][]float64, i, k int, rows bool) (sum float64) {
	if rows {
		for j := range x[i] {
			sum += x[i][j] * x[k][j]
		}
		return sum
	}
	for _, row := range x {
		sum += row[i] * row[k]
	}
	return sum
}

// centred are the rows less their mean.
func centred(data []float32, rows, columns int) [][]float64 {
	x := make([][]float64, rows)
	mean := make([]float64, columns)
	for i := range x {
		x[i] = make([]float64, columns)
		for j := range x[i] {
			x[i][j] = float64(data[i*columns+j])
			mean[j] += x[i][j] / float64(rows)
		}
	}
	for i := range x {
		for j := range mean {
			x[i][j] -= mean[j]
		}
	}
	return x
}

// jacobi diagonalises the symmetric matrix a, which it overwrites: column k of vectors belongs to values[k].
func jacobi(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	vectors = make([][]float64, n)
	for i := range vectors {
		vectors[i] = make([]float64, n)
		vectors[i][i] = 1
	}
	const sweeps = 30 // six to ten are usual
	for range sweeps {
		var off, all float64
		for i := range a {
			for j := range a {
				all += a[i][j] * a[i][j]
				if i != j {
					off += a[i][j] * a[i][j]
				}
			}
		}
		if off <= 1e-28*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, vectors, p, q)
			}
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = a[i][i]
	}
	return values, vectors
}

// rotate makes a[p][q] zero.
func rotate(a, vectors [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	ratio := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := math.Copysign(1, ratio) / (math.Abs(ratio) + math.Sqrt(ratio*ratio+1))
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for i := range a {
		a[i][p], a[i][q] = c*a[i][p]-s*a[i][q], s*a[i][p]+c*a[i][q]
	}
	for i := range a {
		a[p][i], a[q][i] = c*a[p][i]-s*a[q][i], s*a[p][i]+c*a[q][i]
		vectors[i][p], vectors[i][q] = c*vectors[i][p]-s*vectors[i][q], s*vectors[i][p]+c*vectors[i][q]
	}
}
