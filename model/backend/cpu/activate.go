package cpu

import (
	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

// activate32 is the loop of a function, and the one that multiplies a gradient by its slope.
func activate32(f backend.Activation) (forward, backward func(y, x []float32)) {
	switch f {
	case backend.ReLU:
		return vec.ReLU, vec.ReLUBackward
	case backend.GELU:
		return vec.GELU, vec.GELUBackward
	}
	return vec.SiLU, vec.SiLUBackward
}

type activateJob struct {
	rowScratch
	f           backend.Activation
	add         bool
	y, x, times []float32
}

// ActivateForward is y = f(x), or y = f(x)·times; y gains it with Add.
func (f *Fast) ActivateForward(a backend.ActivateForward) {
	a.Check()
	n, j := a.P*a.N, jobOf[activateJob](f)
	j.f, j.add, j.y, j.x, j.times = a.F, a.Add, data(a.Y), data(a.X)[:n], data(a.Times)
	if a.Add {
		j.rowScratch.shape(f.pool.workers, flatPiece)
	}
	f.pool.run(j, flatPieces(n))
}

func (j *activateJob) piece(worker, i int) {
	from, to := i*flatPiece, min((i+1)*flatPiece, len(j.x))
	y := j.y[from:to]
	if j.add {
		y = j.rows[worker][:to-from]
	}
	if j.f == backend.SiLU && j.times != nil {
		vec.SiLUTimes(y, j.x[from:], j.times[from:])
	} else {
		forward, _ := activate32(j.f)
		forward(y, j.x[from:])
		if j.times != nil {
			vec.Gain(y, y, j.times[from:], 1)
		}
	}
	if j.add {
		vec.Add(j.y[from:to], y)
	}
}

type unactivateJob struct {
	f                        backend.Activation
	dx, dtimes, dy, x, times []float32
}

// ActivateBackward is dx = dy·times·f′(x), dtimes = dy·f(x).
func (f *Fast) ActivateBackward(a backend.ActivateBackward) {
	a.Check()
	n := a.P * a.N
	j := jobOf[unactivateJob](f)
	*j = unactivateJob{a.F, data(a.DX), data(a.DTimes), data(a.DY), data(a.X)[:n], data(a.Times)}
	f.pool.run(j, flatPieces(n))
}

func (j *unactivateJob) piece(_, i int) {
	from, to := i*flatPiece, min((i+1)*flatPiece, len(j.x))
	dx, x := j.dx[from:to], j.x[from:to]
	if j.f == backend.SiLU && j.times != nil {
		vec.SiLUTimesBackward(dx, j.dtimes[from:], j.dy[from:], x, j.times[from:])
		return
	}
	forward, backward := activate32(j.f)
	copy(dx, j.dy[from:to])
	backward(dx, x)
	if j.times != nil {
		vec.Gain(dx, dx, j.times[from:], 1)
		forward(j.dtimes[from:to], x)
		vec.Gain(j.dtimes[from:to], j.dtimes[from:], j.dy[from:], 1)
	}
}
