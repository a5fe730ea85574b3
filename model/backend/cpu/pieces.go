package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/reference"
)

// elementRows is how many rows of an elementwise kernel one piece takes.
const elementRows = 64

func elementPieces(rows int) int { return (rows + elementRows - 1) / elementRows }

func elementRange(i, rows int) (from, to int) { return i * elementRows, min((i+1)*elementRows, rows) }

// rowScratch is a few rows of memory for every worker.
type rowScratch struct{ rows [][]float32 }

func (s *rowScratch) shape(workers, n int) {
	if len(s.rows) < workers || len(s.rows[0]) < n {
		s.rows = make([][]float32, workers)
		for i := range s.rows {
			s.rows[i] = make([]float32, n)
		}
	}
}

// forWorkers has one for each worker: x, where it is long enough.
func forWorkers[T any](x []T, workers int) []T {
	if len(x) < workers {
		return make([]T, workers)
	}
	return x
}

// flatPiece is how many elements of a flat array one piece takes.
const flatPiece = 1 << 14

func flatPieces(n int) int { return (n + flatPiece - 1) / flatPiece }

func data(v backend.Vec) []float32 { return reference.Data[float32](v) }

func ints(x backend.Index) []int32 { return reference.IntData(x) }
