package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// elementRows is how many rows of an elementwise kernel one piece takes.
const elementRows = 64

func elementPieces(rows int) int { return (rows + elementRows - 1) / elementRows }

func elementRange(i, rows int) (from, to int) {
	return i * elementRows, min((i+1)*elementRows, rows)
}

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

type angleJob struct {
	rowScratch
	n, m, hold     int
	v, rot, pre, u []float32
}

func (j *angleJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	theta, cos, sin := w[:n], w[n:2*n], w[2*n:3*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.PiTanhSinCos(theta, cos, sin, j.pre[m*n:][:n])
		u, re, im := j.u[m*n:][:n], j.v[2*m*n:][:n], j.v[(2*m+1)*n:][:n]
		for k, x := range u {
			re[k], im[k] = x*cos[k], x*sin[k]
		}
		if j.rot == nil {
			continue
		}
		rot := j.rot[2*m*n:][:2*n]
		copy(rot, cos)
		copy(rot[n:], sin)
		for k := n - j.hold; k < n; k++ {
			rot[k], rot[n+k] = 1, 0
		}
	}
}

// AngleForward is θ = π·tanh(Pre), V = U ⊙ e^{iθ}.
func (f *Fast) AngleForward(a backend.AngleForward) {
	a.Check()
	j := &f.angle
	j.shape(f.pool.workers, 3*a.N)
	j.n, j.m, j.hold = a.N, a.M, a.N-a.Turn
	j.v, j.rot, j.pre, j.u = Data[float32](a.V), Data[float32](a.Rot), Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}

type unangleJob struct {
	rowScratch
	n, m                         int
	add                          bool
	dpre, du, dv, dtheta, pre, u []float32
}

func (j *unangleJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	theta, cos, sin := w[:n], w[n:2*n], w[2*n:3*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.PiTanhSinCos(theta, cos, sin, j.pre[m*n:][:n])
		u, re, im := j.u[m*n:][:n], j.dv[2*m*n:][:n], j.dv[(2*m+1)*n:][:n]
		dpre, du := j.dpre[m*n:][:n], j.du[m*n:][:n]
		for k := range u {
			g := u[k] * (cos[k]*im[k] - sin[k]*re[k])
			if j.dtheta != nil {
				g += j.dtheta[m*n+k]
			}
			g *= math.Pi - theta[k]*theta[k]/math.Pi
			if j.add {
				g += dpre[k]
			}
			dpre[k] = g
			du[k] = cos[k]*re[k] + sin[k]*im[k]
		}
	}
}

// AngleBackward is the backward pass of AngleForward.
func (f *Fast) AngleBackward(a backend.AngleBackward) {
	a.Check()
	j := &f.unangle
	j.shape(f.pool.workers, 3*a.N)
	j.n, j.m, j.add = a.N, a.M, a.AddPre
	j.dpre, j.du, j.dv, j.dtheta = Data[float32](a.DPre), Data[float32](a.DU), Data[float32](a.DV), Data[float32](a.DTheta)
	j.pre, j.u = Data[float32](a.Pre), Data[float32](a.U)
	f.pool.run(j, elementPieces(a.M))
}

type gateJob struct {
	rowScratch
	n, m       int
	in, pre, r []float32
}

func (j *gateJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	sin, cos := w[:n], w[n:2*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.SinCos(sin, cos, j.pre[m*n:][:n])
		in, r := j.in[2*m*n:][:2*n], j.r[2*m*n:][:2*n]
		for k, s := range sin {
			gamma := (1 + s) / 2
			in[k], in[n+k] = gamma*r[k], gamma*r[n+k]
		}
	}
}

// GateForward is In = γ ⊙ R, γ = (1 + sin Pre)/2.
func (f *Fast) GateForward(a backend.GateForward) {
	a.Check()
	j := &f.gate
	j.shape(f.pool.workers, 2*a.N)
	j.n, j.m, j.in, j.pre, j.r = a.N, a.M, Data[float32](a.In), Data[float32](a.Pre), Data[float32](a.R)
	f.pool.run(j, elementPieces(a.M))
}

type ungateJob struct {
	rowScratch
	n, m                  int
	dpre, dr, din, pre, r []float32
}

func (j *ungateJob) piece(worker, i int) {
	n, w := j.n, j.rows[worker]
	sin, cos := w[:n], w[n:2*n]
	from, to := elementRange(i, j.m)
	for m := from; m < to; m++ {
		vec.SinCos(sin, cos, j.pre[m*n:][:n])
		dr, din, r, dpre := j.dr[2*m*n:][:2*n], j.din[2*m*n:][:2*n], j.r[2*m*n:][:2*n], j.dpre[m*n:][:n]
		for k, s := range sin {
			gamma := (1 + s) / 2
			dpre[k] = cos[k] / 2 * (din[k]*r[k] + din[n+k]*r[n+k])
			dr[k], dr[n+k] = gamma*din[k], gamma*din[n+k]
		}
	}
}

// GateBackward is the backward pass of GateForward.
func (f *Fast) GateBackward(a backend.GateBackward) {
	a.Check()
	j := &f.ungate
	j.shape(f.pool.workers, 2*a.N)
	j.n, j.m = a.N, a.M
	j.dpre, j.dr, j.din, j.pre, j.r = Data[float32](a.DPre), Data[float32](a.DR), Data[float32](a.DIn), Data[float32](a.Pre), Data[float32](a.R)
	f.pool.run(j, elementPieces(a.M))
}

// scatterParts is the number of pieces of a Scatter: bands of columns, so that every sum runs over the rows in order.
const scatterParts = 4

type scatterJob struct {
	dst, src           []float32
	at                 []int32
	rows, width, table int
}

func (j *scatterJob) piece(_, i int) {
	from, to := spread(j.width, scatterParts, i)
	for v := range j.table {
		clear(j.dst[v*j.width+from : v*j.width+to])
	}
	for r, v := range j.at[:j.rows] {
		if v >= 0 {
			vec.Add(j.dst[int(v)*j.width+from:int(v)*j.width+to], j.src[r*j.width+from:r*j.width+to])
		}
	}
}

// Scatter is Dst[v] = Σ over rows r with At[r] = v of Src[r].
func (f *Fast) Scatter(a backend.Scatter) {
	a.Check()
	j := &f.scatter
	j.dst, j.src, j.at, j.rows, j.width, j.table = Data[float32](a.Dst), Data[float32](a.Src), intData(a.At), a.Rows, a.Width, a.Table
	f.pool.run(j, scatterParts)
}

type outputJob struct {
	args                backend.OutputForward
	y, inv, z, h, scale []float32 // scale = σ(gate)
	zrow, hrow          []int32
}

func (j *outputJob) piece(_, i int) {
	n, eps := j.args.N, j.args.Eps
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		y, inv := j.y[2*n*p:][:2*n], j.inv[n*p:][:n]
		if j.zrow[p] < 0 {
			clear(y)
			clear(inv)
			continue
		}
		z := j.z[2*n*int(j.zrow[p]):][:2*n]
		if j.args.Gate.Given() {
			copy(y, z)
			vec.AxpyComplex(n, y, j.scale, j.h[2*n*int(j.hrow[p]):])
			z = y
		}
		vec.Unit(n, y, inv, z, eps)
	}
}

// OutputForward is Y = z/sqrt(|z|²+ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow].
func (f *Fast) OutputForward(a backend.OutputForward) {
	a.Check()
	j := &f.output
	j.args, j.y, j.inv, j.z, j.h = a, Data[float32](a.Y), Data[float32](a.Inv), Data[float32](a.Z), Data[float32](a.H)
	j.zrow, j.hrow = intData(a.ZRow), intData(a.HRow)
	j.scale = gates(j.scale, a.Gate)
	f.pool.run(j, elementPieces(a.P))
}

// gates is σ(gate), in dst's memory where it is large enough.
func gates(dst []float32, gate backend.Vec) []float32 {
	x := Data[float32](gate)
	if cap(dst) < len(x) {
		dst = make([]float32, len(x))
	}
	dst = dst[:len(x)]
	vec.Sigmoid(dst, x)
	return dst
}

type unoutputJob struct {
	rowScratch
	args                         backend.OutputBackward
	dz, dh, dy, y, inv, h, scale []float32
	shares                       []float32 // [pieces, N]: each piece's Σ Re(conj(dz) h)
	zrow, hrow                   []int32
}

func (j *unoutputJob) piece(worker, i int) {
	n := j.args.N
	from, to := elementRange(i, j.args.P)
	for p := from; p < to; p++ {
		if j.zrow[p] < 0 {
			continue
		}
		dy, y, inv := j.dy[2*n*p:][:2*n], j.y[2*n*p:][:2*n], j.inv[n*p:][:n]
		dz := j.dz[2*n*int(j.zrow[p]):][:2*n]
		if !j.args.Gate.Given() {
			vec.UnitBackward(n, dz, dy, y, inv)
			continue
		}
		at, row := 2*n*int(j.hrow[p]), j.rows[worker][:2*n]
		clear(row)
		vec.UnitBackward(n, row, dy, y, inv)
		vec.Add(dz, row)
		vec.AxpyComplex(n, j.dh[at:], j.scale, row)
		vec.AddInner(n, j.shares[i*n:], row, j.h[at:])
	}
}

// OutputBackward is the backward pass of OutputForward.
func (f *Fast) OutputBackward(a backend.OutputBackward) {
	a.Check()
	j, pieces := &f.unoutput, elementPieces(a.P)
	j.args, j.dz, j.dh, j.dy = a, Data[float32](a.DZ), Data[float32](a.DH), Data[float32](a.DY)
	j.y, j.inv, j.h = Data[float32](a.Y), Data[float32](a.Inv), Data[float32](a.H)
	j.zrow, j.hrow = intData(a.ZRow), intData(a.HRow)
	if !a.Gate.Given() {
		f.pool.run(j, pieces)
		return
	}
	j.rowScratch.shape(f.pool.workers, 2*a.N)
	j.scale = gates(j.scale, a.Gate)
	if cap(j.shares) < pieces*a.N {
		j.shares = make([]float32, pieces*a.N)
	}
	j.shares = j.shares[:pieces*a.N]
	clear(j.shares)
	f.pool.run(j, pieces)
	dgate := Data[float32](a.DGate)[:a.N]
	for k, g := range j.scale {
		for i := range pieces {
			dgate[k] += g * (1 - g) * j.shares[i*a.N+k]
		}
	}
}

type entropyJob struct {
	args                               backend.CrossEntropy
	d, logits, rowLoss, weight, shares []float32
	target                             []int32
}

func (j *entropyJob) piece(_, i int) {
	c := j.args.C
	from, to := elementRange(i, j.args.P)
	var total float32
	for p := from; p < to; p++ {
		x, g, t := j.logits[p*c:][:c], j.d[p*c:][:c], j.target[p]
		top := vec.Max(x)
		for k, v := range x {
			g[k] = v - top
		}
		vec.Exp(g, g)
		sum, scale := vec.Sum(g), j.args.Scale*j.weight[p]
		vec.Scale(g, scale/sum)
		g[t] -= scale
		j.rowLoss[p] = top + float32(math.Log(float64(sum))) - x[t]
		total += scale * j.rowLoss[p]
	}
	j.shares[i] = total
}

// CrossEntropy is the weighted mean of logsumexp(logits) − logits[target], with its gradient.
func (f *Fast) CrossEntropy(a backend.CrossEntropy) {
	a.Check()
	j, pieces := &f.entropy, elementPieces(a.P)
	j.args, j.d, j.logits = a, Data[float32](a.DLogits), Data[float32](a.Logits)
	j.rowLoss, j.weight, j.target = Data[float32](a.RowLoss), Data[float32](a.Weight), intData(a.Target)
	if len(j.shares) < pieces {
		j.shares = make([]float32, pieces)
	}
	f.pool.run(j, pieces)
	Data[float32](a.Loss)[0] = vec.Sum(j.shares[:pieces])
}

// flatPiece is how many elements of a flat array one piece takes.
const flatPiece = 1 << 14

func flatPieces(n int) int { return (n + flatPiece - 1) / flatPiece }

type squaresJob struct {
	x      []float32
	shares []float64
}

func (j *squaresJob) piece(_, i int) {
	j.shares[i] = vec.SumSquares(j.x[i*flatPiece : min((i+1)*flatPiece, len(j.x))])
}

// SumSquares is Σ x².
func (f *Fast) SumSquares(a backend.SumSquares) {
	a.Check()
	j := &f.squares
	j.x = Data[float32](a.X)
	pieces := flatPieces(len(j.x))
	if len(j.shares) < pieces {
		j.shares = make([]float64, pieces)
	}
	f.pool.run(j, pieces)
	var sum float64
	for _, s := range j.shares[:pieces] {
		sum += s
	}
	Data[float32](a.Out)[0] = float32(sum)
}

type adamJob struct {
	p, m, v, g []float32
	coef       vec.AdamCoef
}

func (j *adamJob) piece(_, i int) {
	from, to := i*flatPiece, min((i+1)*flatPiece, len(j.p))
	vec.Adam(j.p[from:to], j.m[from:to], j.v[from:to], j.g[from:to], j.coef)
}

// Adam is one update of all parameters.
func (f *Fast) Adam(a backend.Adam) {
	a.Check()
	scale, ok := gradientScale(float64(Data[float32](a.Norm2)[0]), float64(a.Clip))
	if !ok {
		return
	}
	j := &f.adam
	j.p, j.m, j.v, j.g = Data[float32](a.Param), Data[float32](a.M), Data[float32](a.V), Data[float32](a.Grad)
	b1, b2 := float64(a.Beta1), float64(a.Beta2)
	j.coef = vec.AdamCoef{
		Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Eps, GradScale: float32(scale),
		StepSize:     float32(float64(a.Rate) / (1 - math.Pow(b1, float64(a.Step)))),
		InvSqrtBias2: float32(1 / math.Sqrt(1-math.Pow(b2, float64(a.Step)))),
	}
	if a.Decoupled {
		j.coef.Decoupled = a.Rate * a.Decay
	} else {
		j.coef.WeightDecay = a.Decay
	}
	f.pool.run(j, flatPieces(len(j.p)))
}

type zeroJob struct{ x []float32 }

func (j *zeroJob) piece(_, i int) { clear(j.x[i*flatPiece : min((i+1)*flatPiece, len(j.x))]) }

// Zero clears a window.
func (f *Fast) Zero(v backend.Vec) {
	f.zero.x = Data[float32](v)
	f.pool.run(&f.zero, flatPieces(v.Len))
}

// Upload copies host numbers in.
func (f *Fast) Upload(dst backend.Vec, src []float32) {
	if copy(Data[float32](dst), src) < len(src) {
		panic("backend: Upload of more elements than the window holds")
	}
}

// Download copies numbers out.
func (f *Fast) Download(dst []float32, src backend.Vec) error {
	if copy(dst, Data[float32](src)) < len(dst) {
		panic("backend: Download of more elements than the window holds")
	}
	return nil
}
