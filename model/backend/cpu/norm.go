package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type normJob struct {
	args                                   backend.NormForward
	y, sum, mean, inv, x, plus, gain, bias []float32
}

// NormForward is y = (x − mean)·inv ⊙ gain + bias, x = X + Plus.
func (f *Fast) NormForward(a backend.NormForward) {
	a.Check()
	j := jobOf[normJob](f)
	j.args, j.y, j.sum, j.mean, j.inv = a, data(a.Y), data(a.Sum), data(a.Mean), data(a.Inv)
	j.x, j.plus, j.gain, j.bias = data(a.X), data(a.Plus), data(a.Gain), data(a.Bias)
	f.pool.run(j, elementPieces(a.P))
}

func (j *normJob) piece(_, i int) {
	n := j.args.N
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		x, y := j.x[n*p:][:n], j.y[n*p:][:n]
		if j.plus != nil {
			sum := j.sum[n*p:][:n]
			copy(sum, x)
			vec.Add(sum, j.plus[n*p:])
			x = sum
		}
		if j.bias == nil {
			j.inv[p] = scaleOf(vec.SumSquares(x), n, j.args.Eps)
			vec.Gain(y, x, j.gain, j.inv[p])
			continue
		}
		j.mean[p] = vec.Sum(x) / float32(n)
		vec.Shift(y, x, -j.mean[p])
		j.inv[p] = scaleOf(vec.SumSquares(y), n, j.args.Eps)
		vec.GainShift(y, y, j.gain, j.bias, j.inv[p])
	}
}

// scaleOf is 1/sqrt(squares/n + ε).
func scaleOf(squares float64, n int, eps float32) float32 {
	return float32(1 / math.Sqrt(squares/float64(n)+float64(eps)))
}

// unnormJob takes some rows back a piece, with sums of its own for gain and bias; the sums are added in order.
type unnormJob struct {
	rowScratch
	args                       backend.NormBackward
	dx, dy, x, mean, inv, gain []float32
	gains, biases              []float32 // [pieces, N]
}

// NormBackward is the backward pass of NormForward.
func (f *Fast) NormBackward(a backend.NormBackward) {
	a.Check()
	j, pieces := jobOf[unnormJob](f), elementPieces(a.P)
	j.args, j.dx, j.dy, j.x = a, data(a.DX), data(a.DY), data(a.X)
	j.mean, j.inv, j.gain = data(a.Mean), data(a.Inv), data(a.Gain)
	j.rowScratch.shape(f.pool.workers, 2*a.N)
	grow(&j.gains, pieces*a.N)
	grow(&j.biases, pieces*a.N)
	f.pool.run(j, pieces)
	f.sum(data(a.DGain)[:a.N], j.gains, pieces, a.N)
	if j.mean != nil {
		f.sum(data(a.DBias)[:a.N], j.biases, pieces, a.N)
	}
}

func (j *unnormJob) piece(worker, i int) {
	n := j.args.N
	gains, biases := j.gains[i*n:][:n], j.biases[i*n:][:n]
	clear(gains)
	clear(biases)
	off, g := j.rows[worker][:n], j.rows[worker][n:2*n]
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		dx, dy, x, inv := j.dx[n*p:][:n], j.dy[n*p:][:n], j.x[n*p:][:n], j.inv[p]
		if j.mean != nil {
			vec.Shift(off, x, -j.mean[p])
			x = off
			vec.Add(biases, dy)
		}
		vec.AddProduct(gains, dy, x, inv)
		vec.Gain(g, dy, j.gain, inv)
		var meanG float32
		if j.mean != nil {
			meanG = vec.Sum(g) / float32(n)
		}
		if !j.args.Accumulate {
			clear(dx)
		}
		vec.Unnorm(dx, g, x, 1, -meanG, -inv*inv*vec.Dot(g, x)/float32(n))
	}
}
