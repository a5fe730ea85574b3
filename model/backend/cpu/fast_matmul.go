package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// rowsPerPiece is how many rows of a product one piece computes: enough to pay for the panel's way through the
// cache, few enough for every core to have some.
const rowsPerPiece = 64

// productJob is C (+)= A·panel in pieces of rows; with a bias C starts from it.
type productJob struct {
	panel    vec.Panel
	c, a     []float32
	ldc, lda int
	rows     int
	bias     []float32
	add      bool
}

func (j *productJob) piece(_, i int) {
	from := i * rowsPerPiece
	to := min(from+rowsPerPiece, j.rows)
	c := j.c[from*j.ldc:]
	if j.bias != nil {
		for r := range to - from {
			copy(c[r*j.ldc:][:j.panel.N()], j.bias)
		}
	}
	j.panel.MulRows(c, j.ldc, j.a[from*j.lda:], j.lda, to-from, j.add || j.bias != nil)
}

func (j *productJob) run(p *pool) { p.run(j, (j.rows+rowsPerPiece-1)/rowsPerPiece) }

// MatMul is Y = X·Wᵀ + Bias.
func (f *Fast) MatMul(a backend.MatMul) {
	a.Check()
	j := &f.product
	j.panel.PackT(Data[float32](a.W), a.K, a.K, a.N)
	j.c, j.ldc, j.a, j.lda, j.rows = Data[float32](a.Y), a.N, Data[float32](a.X), a.K, a.M
	j.bias, j.add = Data[float32](a.Bias), false
	if j.bias != nil {
		j.bias = j.bias[:a.N]
	}
	j.run(&f.pool)
}

// MatMulInput is DX (+)= DY·W.
func (f *Fast) MatMulInput(a backend.MatMulInput) {
	a.Check()
	j := &f.product
	j.panel.Pack(Data[float32](a.W), a.K, a.N, a.K)
	j.c, j.ldc, j.a, j.lda, j.rows = Data[float32](a.DX), a.K, Data[float32](a.DY), a.N, a.M
	j.bias, j.add = nil, a.Accumulate
	j.run(&f.pool)
}

// weightParts is the number of pieces of a weight gradient: bands of output rows, each summed over all positions.
const weightParts = 4

// weightJob is DW += DYᵀ·X in bands of DW's rows.
type weightJob struct {
	dw, db, dy, x []float32
	m, k, n       int
	scratch       []vec.TNScratch
}

func (j *weightJob) piece(worker, i int) {
	from, to := spread(j.n, weightParts, i)
	if from == to {
		return
	}
	vec.MulTN(j.dw[from*j.k:], j.k, j.dy[from:], j.n, j.x, j.k, j.m, to-from, j.k, true, &j.scratch[worker])
	if j.db == nil {
		return
	}
	db := j.db[from:to]
	for r := range j.m {
		vec.Add(db, j.dy[r*j.n+from:][:to-from])
	}
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (f *Fast) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	j := &f.weight
	j.dw, j.db, j.dy, j.x = Data[float32](a.DW), Data[float32](a.DBias), Data[float32](a.DY), Data[float32](a.X)
	j.m, j.k, j.n = a.M, a.K, a.N
	if len(j.scratch) < f.pool.workers {
		j.scratch = make([]vec.TNScratch, f.pool.workers)
	}
	f.pool.run(j, weightParts)
}
