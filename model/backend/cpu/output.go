package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type outputJob struct {
	args                backend.OutputForward
	y, inv, z, h, scale []float32 // scale = σ(gate)
	zrow, hrow          []int32
	queue               []vec.Queue // a worker's
}

func (j *outputJob) piece(worker, i int) {
	n, eps, q := j.args.N, j.args.Eps, &j.queue[worker]
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		y, inv := j.y[2*n*p:][:2*n], j.inv[n*p:][:n]
		if j.zrow[p] < 0 {
			q.Clear(y)
			q.Clear(inv)
			continue
		}
		z := j.z[2*n*int(j.zrow[p]):][:2*n]
		if j.args.Gate.Given() {
			q.Copy(y, z)
			q.AxpyComplex(n, y, j.scale, j.h[2*n*int(j.hrow[p]):])
			z = y
		}
		q.Unit(n, y, inv, z, eps)
	}
	q.Run()
}

// OutputForward is Y = z/sqrt(|z|²+ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow].
func (f *Fast) OutputForward(a backend.OutputForward) {
	a.Check()
	j := jobOf[outputJob](f)
	j.args, j.y, j.inv, j.z, j.h = a, data(a.Y), data(a.Inv), data(a.Z), data(a.H)
	j.zrow, j.hrow = ints(a.ZRow), ints(a.HRow)
	j.scale, j.queue = gates(j.scale, a.Gate), forWorkers(j.queue, f.pool.workers)
	f.pool.run(j, elementPieces(a.P))
}

// gates is σ(gate), in dst's memory where it is large enough.
func gates(dst []float32, gate backend.Vec) []float32 {
	x := data(gate)
	dst = grow(&dst, len(x))
	vec.Sigmoid(dst, x)
	return dst
}

type unoutputJob struct {
	rowScratch
	args                         backend.OutputBackward
	dz, dh, dy, y, inv, h, scale []float32
	shares                       []float32 // [pieces, N]: each piece's Σ Re(conj(dz) h)
	zrow, hrow                   []int32
	queue                        []vec.Queue // a worker's
}

func (j *unoutputJob) piece(worker, i int) {
	n, q := j.args.N, &j.queue[worker]
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		if j.zrow[p] < 0 {
			continue
		}
		dy, y, inv := j.dy[2*n*p:][:2*n], j.y[2*n*p:][:2*n], j.inv[n*p:][:n]
		dz := j.dz[2*n*int(j.zrow[p]):][:2*n]
		if !j.args.Gate.Given() {
			q.UnitBackward(n, dz, dy, y, inv)
			continue
		}
		at, row := 2*n*int(j.hrow[p]), j.rows[worker][:2*n]
		q.Clear(row)
		q.UnitBackward(n, row, dy, y, inv)
		q.Add(dz, row)
		q.AxpyComplex(n, j.dh[at:], j.scale, row)
		q.AddInner(n, j.shares[i*n:], row, j.h[at:])
	}
	q.Run()
}

// OutputBackward is the backward pass of OutputForward.
func (f *Fast) OutputBackward(a backend.OutputBackward) {
	a.Check()
	j, pieces := jobOf[unoutputJob](f), elementPieces(a.P)
	j.args, j.dz, j.dh, j.dy = a, data(a.DZ), data(a.DH), data(a.DY)
	j.y, j.inv, j.h = data(a.Y), data(a.Inv), data(a.H)
	j.zrow, j.hrow, j.queue = ints(a.ZRow), ints(a.HRow), forWorkers(j.queue, f.pool.workers)
	if !a.Gate.Given() {
		f.pool.run(j, pieces)
		return
	}
	j.rowScratch.shape(f.pool.workers, 2*a.N)
	j.scale = gates(j.scale, a.Gate)
	clear(grow(&j.shares, pieces*a.N))
	f.pool.run(j, pieces)
	dgate := data(a.DGate)[:a.N]
	for k, g := range j.scale[:a.N] {
		for i := range pieces {
			dgate[k] += g * (1 - g) * j.shares[i*a.N+k]
		}
	}
}
