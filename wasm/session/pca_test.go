package session

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"mhacsp/tasks/assert"
)

// TestPrincipal compares with gonum, sign by sign of the coordinates' products.
func TestPrincipal(t *testing.T) {
	for _, size := range [][2]int{{21, 116}, {22, 4}, {10, 132}, {3, 1}} {
		rows, columns := size[0], size[1]
		r := rand.New(rand.NewPCG(1, 2))
		data, wide := make([]float32, rows*columns), make([]float64, rows*columns)
		for i := range data {
			data[i] = float32(r.NormFloat64() * math.Pow(1.3, float64(i%columns%7)))
			wide[i] = float64(data[i])
		}
		scores, variance := principal(data, rows, columns)
		var pc stat.PC
		m := mat.NewDense(rows, columns, wide)
		assert.Need(t, pc.PrincipalComponents(m, nil), "gonum found no components")
		vars := pc.VarsTo(nil)
		var total float64
		for _, v := range vars {
			total += v
		}
		var vectors, projected mat.Dense
		pc.VectorsTo(&vectors)
		centred := mat.DenseCopyOf(m)
		for j := range columns {
			mean := stat.Mean(mat.Col(nil, j, m), nil)
			for i := range rows {
				centred.Set(i, j, centred.At(i, j)-mean)
			}
		}
		projected.Mul(centred, &vectors)
		for k := range min(rows-1, columns) {
			share := vars[k] / total
			assert.True(t, math.Abs(variance[k]-share) <= 1e-10,
				"%v: component %d has share %v, gonum %v", size, k, variance[k], share)
			sign := math.Copysign(1, scores[k][0]*projected.At(0, k))
			for i := range rows {
				want := sign * projected.At(i, k)
				assert.True(t, math.Abs(scores[k][i]-want) <= 1e-6,
					"%v: row %d component %d: %v, gonum %v", size, i, k, scores[k][i], want)
			}
		}
	}
	scores, variance := principal(make([]float32, 12), 4, 3)
	assert.True(t, variance[0] == 0 && scores[0][0] == 0, "of zeros: %v, %v", scores, variance)
}
