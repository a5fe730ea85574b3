package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// A piece of a product computes some blocks of rows: a block pays for the panel's way through the cache, and while one
// is computed the next one's rows come. So there are few pieces, but enough for cores that are not equally fast.
const (
	rowsPerBlock    = 64
	piecesPerWorker = 4
)

// productJob is C (+)= A·panel in pieces of rows; with a bias C starts from it.
type productJob struct {
	panel vec.Panel // [K, N]
	c, a  []float32 // [rows, N], [rows, K]
	rows  int
	bias  []float32 // [N] or nil
	add   bool

	blocks, pieces int
}

func (j *productJob) piece(_, i int) {
	from, to := spread(j.blocks, j.pieces, i)
	from, to = from*rowsPerBlock, min(to*rowsPerBlock, j.rows)
	k, n := j.panel.K, j.panel.N
	if j.bias != nil {
		affine(&j.panel, j.c[from*n:to*n], j.a[from*k:], j.bias)
		return
	}
	j.panel.MulRows(j.c[from*n:], n, j.a[from*k:], k, to-from, j.add)
}

// affine is Y = X·W + Bias over whole rows.
func affine(w *vec.Panel, y, x, bias []float32) { w.MulRowsBias(y, w.N, x, w.K, len(y)/w.N, bias) }

func (j *productJob) run(p *pool) {
	j.blocks = (j.rows + rowsPerBlock - 1) / rowsPerBlock
	j.pieces = min(j.blocks, piecesPerWorker*p.workers)
	p.run(j, j.pieces)
}

// MatMul is Y = X·Wᵀ + Bias.
func (f *Fast) MatMul(a backend.MatMul) {
	a.Check()
	j := jobOf[productJob](f)
	j.panel.PackT(data(a.W), a.K, a.K, a.N)
	j.c, j.a, j.rows, j.bias, j.add = data(a.Y), data(a.X), a.M, data(a.Bias), false
	j.run(&f.pool)
}

// MatMulInput is DX (+)= DY·W.
func (f *Fast) MatMulInput(a backend.MatMulInput) {
	a.Check()
	j := jobOf[productJob](f)
	j.panel.Pack(data(a.W), a.K, a.N, a.K)
	j.c, j.a, j.rows, j.bias, j.add = data(a.DX), data(a.DY), a.M, nil, a.Accumulate
	j.run(&f.pool)
}

// A weight gradient sums over positions. The positions are cut into pieces that each make a sum of their own, and
// the sums are added in order: a piece then packs its positions once, however many there are.
const (
	weightRows     = 384 // positions of a piece, at least
	weightMaxParts = 8
)

func weightParts(rows int) int { return max(1, min(rows/weightRows, weightMaxParts)) }

// weightJob is DW += DYᵀ·X. A product Aᵀ·B packs B, in order, and reads A by columns, which waits for each of its
// rows: so the wider of the two is packed, and where that is DY the sums are those of DWᵀ.
type weightJob struct {
	dy, x   []float32
	m, k, n int
	width   int // of dy's rows
	bias    bool
	flip    bool // DY is the wider one
	parts   int
	sums    []float32 // [parts, N, K], then [parts, N] for the bias
	scratch []vec.TNScratch
	queue   []vec.Queue // a worker's
}

func (j *weightJob) piece(worker, i int) {
	from, to := spread(j.m, j.parts, i)
	size := j.n * j.k
	sums, dy, x := j.sums[i*size:][:size], j.dy[from*j.width:], j.x[from*j.k:]
	var db []float32
	if j.bias {
		db = j.sums[j.parts*size+i*j.n:][:j.n]
	}
	if j.flip {
		j.scratch[worker].MulTN(sums, j.n, x, j.k, dy, j.width, to-from, j.k, j.n, false, db)
		return
	}
	j.scratch[worker].MulTN(sums, j.k, dy, j.width, x, j.k, to-from, j.n, j.k, false, nil)
	if !j.bias {
		return
	}
	clear(db)
	j.queue[worker].AddRows(db, j.dy[from*j.width:], j.width, to-from)
	j.queue[worker].Run()
}

// MatMulWeight is DW += DYᵀ·X, DBias += column sums of DY.
func (f *Fast) MatMulWeight(a backend.MatMulWeight) {
	a.Check()
	j, dw, db := jobOf[weightJob](f), data(a.DW), data(a.DBias)
	j.dy, j.x, j.m, j.k, j.n, j.width = data(a.DY), data(a.X), a.M, a.K, a.N, a.Row()
	j.bias, j.flip, j.parts = db != nil, j.n > j.k, weightParts(j.m)
	size := j.n * j.k
	grow(&j.sums, j.parts*(size+j.n))
	j.scratch, j.queue = forWorkers(j.scratch, f.pool.workers), forWorkers(j.queue, f.pool.workers)
	f.pool.run(j, j.parts)
	if j.flip {
		f.sum(j.sums[:size], j.sums[size:], j.parts-1, size)
		for r := range j.n {
			for c := range j.k {
				dw[r*j.k+c] += j.sums[c*j.n+r]
			}
		}
	} else {
		f.sum(dw[:size], j.sums, j.parts, size)
	}
	for i := 0; j.bias && i < j.parts; i++ {
		vec.Add(db[:j.n], j.sums[j.parts*size+i*j.n:][:j.n])
	}
}

// reduceJob adds parts arrays of dst's length, step apart in sums, to dst: every element part after part.
type reduceJob struct {
	dst, sums   []float32
	parts, step int
}

// reducePiece is how many elements one piece adds up; they stay in the first-level cache.
const reducePiece = 4096

func (j *reduceJob) piece(_, i int) {
	from, to := i*reducePiece, min((i+1)*reducePiece, len(j.dst))
	for p := range j.parts {
		vec.Add(j.dst[from:to], j.sums[p*j.step+from:][:to-from])
	}
}

// sum adds parts arrays of dst's length, step apart in sums, to dst.
func (f *Fast) sum(dst, sums []float32, parts, step int) {
	r := jobOf[reduceJob](f)
	*r = reduceJob{dst, sums, parts, step}
	f.pool.run(r, (len(dst)+reducePiece-1)/reducePiece)
}
