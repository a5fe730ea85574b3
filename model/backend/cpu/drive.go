package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// drivePanels are the drive's weights, repacked.
type drivePanels struct{ theta, gamma, input, delta vec.Panel }

// pack takes the weights [N, N], transposed for the way forward.
func (d *drivePanels) pack(w backend.DriveWeights, n int, transposed bool) {
	for _, x := range [...]struct {
		to   *vec.Panel
		from backend.Vec
	}{{&d.theta, w.Theta}, {&d.gamma, w.Gamma}, {&d.input, w.Input}, {&d.delta, w.Delta}} {
		if transposed {
			x.to.PackT(data(x.from), n, n, n)
		} else {
			x.to.Pack(data(x.from), n, n, n)
		}
	}
}

// drivenJob is the drive's way forward for some rows a piece: what lies between its products then stays in the cache.
type drivenJob struct {
	drivePanels
	rowScratch
	n, m, turn                               int
	u, preTheta, preGamma, v, rot, r, in, du []float32
	thetaBias, gammaBias, deltaBias          []float32
	queue                                    []vec.Queue // a worker's
}

// DriveForward is the drive of the recurrence (SPEC §2).
func (f *Fast) DriveForward(a backend.DriveForward) {
	a.Check()
	j, n, w := jobOf[drivenJob](f), a.N, a.Weights
	j.pack(w, n, true)
	j.thetaBias, j.gammaBias, j.deltaBias = data(w.ThetaBias), data(w.GammaBias), data(w.DeltaBias)
	j.shape(f.pool.workers, 2*n)
	j.queue = forWorkers(j.queue, f.pool.workers)
	j.n, j.m, j.turn = n, a.M, a.Turn
	j.u, j.preTheta, j.preGamma = data(a.U), data(a.PreTheta), data(a.PreGamma)
	j.v, j.rot, j.r, j.in, j.du = data(a.V), data(a.Rot), data(a.R), data(a.In), data(a.DeltaU)
	f.pool.run(j, elementPieces(a.M))
}

func (j *drivenJob) piece(worker, i int) {
	n, q := j.n, &j.queue[worker]
	from, to := elementRange(i, j.m)
	u := j.u[from*n : to*n]
	affine(&j.theta, j.preTheta[from*n:to*n], u, j.thetaBias)
	affine(&j.gamma, j.preGamma[from*n:to*n], u, j.gammaBias)
	affine(&j.delta, j.du[from*n:to*n], u, j.deltaBias)
	rot := func(m int) []float32 {
		if j.rot == nil {
			return j.rows[worker][:2*n]
		}
		return j.rot[2*m*n:][:2*n]
	}
	for m := from; m < to; m++ {
		q.Angle(n, j.v[2*m*n:], rot(m), j.preTheta[m*n:], j.u[m*n:])
	}
	q.Run()
	for m := from; m < to && j.rot != nil; m++ {
		for k := j.turn; k < n; k++ { // units that hold
			rot(m)[k], rot(m)[n+k] = 1, 0
		}
	}
	j.input.MulRows(j.r[2*from*n:], n, j.v[2*from*n:], n, 2*(to-from), false) // W_B acts on each plane
	for m := from; m < to; m++ {
		q.Gate(n, j.in[2*m*n:], j.preGamma[m*n:], j.r[2*m*n:])
	}
	q.Run()
}

// undrivenJob is the drive's way back for some rows a piece, a block of them at a time, and the piece's share of the
// weights' gradients: like weightJob, pieces have sums of their own, added up in order afterwards.
type undrivenJob struct {
	drivePanels
	n, m, parts                 int
	u, preTheta, preGamma, v, r []float32
	du, ddelta, dtheta, din     []float32
	state                       bool
	zeros                       []float32
	sums                        []float32 // [parts, 4N²+3N]: W_θ, W_γ, W_δu, W_B, then the biases of the first three
	workers                     []undriven
}

// undriven is a worker's memory for a block of rows.
type undriven struct {
	dPreTheta, dPreGamma []float32 // [block, N]
	dR, dV               []float32 // [block, 2N]
	products             vec.TNScratch
	queue                vec.Queue
}

// DriveBackward is the backward pass of DriveForward.
func (f *Fast) DriveBackward(a backend.DriveBackward) {
	a.Check()
	j, n := jobOf[undrivenJob](f), a.N
	j.pack(a.Weights, n, false)
	j.u, j.preTheta, j.preGamma = data(a.U), data(a.PreTheta), data(a.PreGamma)
	j.v, j.r, j.state = data(a.V), data(a.R), a.StateTheta
	j.du, j.ddelta, j.dtheta, j.din = data(a.DU), data(a.DDelta), data(a.DTheta), data(a.DIn)
	j.n, j.m, j.parts = n, a.M, weightParts(a.M)
	grow(&j.sums, j.parts*j.size())
	grow(&j.zeros, n)
	j.workers = forWorkers(j.workers, f.pool.workers)
	for i := range j.workers {
		b := &j.workers[i]
		b.dPreTheta, b.dPreGamma = grow(&b.dPreTheta, vec.TNBlock*n), grow(&b.dPreGamma, vec.TNBlock*n)
		b.dR, b.dV = grow(&b.dR, 2*vec.TNBlock*n), grow(&b.dV, 2*vec.TNBlock*n)
	}
	f.pool.run(j, j.parts)
	for i, dw := range [...]backend.Vec{a.Grads.Theta, a.Grads.Gamma, a.Grads.Delta, a.Grads.Input} {
		f.sum(data(dw)[:n*n], j.sums[i*n*n:], j.parts, j.size())
	}
	for i, db := range [...]backend.Vec{a.Grads.ThetaBias, a.Grads.GammaBias, a.Grads.DeltaBias} {
		f.sum(data(db)[:n], j.sums[4*n*n+i*n:], j.parts, j.size())
	}
}

// size is how much a part's sums take.
func (j *undrivenJob) size() int { return 4*j.n*j.n + 3*j.n }

func (j *undrivenJob) piece(worker, i int) {
	from, to := spread(j.m, j.parts, i)
	sums := j.sums[i*j.size():][:j.size()]
	clear(sums)
	for ; from < to; from += vec.TNBlock {
		j.block(&j.workers[worker], sums, from, min(from+vec.TNBlock, to))
	}
}

// block takes the rows from to to.
func (j *undrivenJob) block(b *undriven, sums []float32, from, to int) {
	n, rows := j.n, to-from
	dGamma, dTheta, dR, dV := b.dPreGamma[:rows*n], b.dPreTheta[:rows*n], b.dR[:2*rows*n], b.dV[:2*rows*n]
	for r := range rows {
		m := from + r
		b.queue.GateBackward(n, dGamma[r*n:], dR[2*r*n:], j.preGamma[m*n:], j.r[2*m*n:], j.din[2*m*n:])
	}
	b.queue.Run()
	j.input.MulRows(dV, n, dR, n, 2*rows, false)
	for r := range rows {
		m := from + r
		turned, old := j.dtheta[m*n:], j.zeros // the gradient that came to the angle, and to its pre-activation
		if j.state {
			turned, old = old, turned
		}
		b.queue.AngleBackward(n, dTheta[r*n:], j.du[m*n:], j.preTheta[m*n:], j.u[m*n:], dV[2*r*n:], turned, old)
	}
	b.queue.Run()
	u, du, dDelta := j.u[from*n:to*n], j.du[from*n:to*n], j.ddelta[from*n:to*n]
	j.theta.MulRows(du, n, dTheta, n, rows, true)
	j.gamma.MulRows(du, n, dGamma, n, rows, true)
	j.delta.MulRows(du, n, dDelta, n, rows, true)

	b.products.Pack(u, n, rows, n)
	for i, dy := range [...][]float32{dTheta, dGamma, dDelta} {
		b.products.AddTN(sums[i*n*n:], n, dy, n, n)
		b.queue.AddRows(sums[4*n*n+i*n:][:n], dy, n, rows)
	}
	b.queue.Run()
	b.products.MulTN(sums[3*n*n:], n, dR, n, j.v[2*from*n:2*to*n], n, 2*rows, n, n, true, nil)
}
