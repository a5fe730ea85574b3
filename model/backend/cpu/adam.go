package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
	"mhacsp/model/backend/reference"
)

type adamJob struct {
	p, m, v, g           []float32
	beta1, beta2, eps    float32
	rate, unbias         float32
	decay, shrink, scale float32
}

func (j *adamJob) piece(_, i int) {
	from, to := i*flatPiece, min((i+1)*flatPiece, len(j.p))
	vec.Adam(j.p[from:to], j.m[from:to], j.v[from:to], j.g[from:to],
		j.beta1, j.beta2, j.eps, j.rate, j.unbias, j.decay, j.shrink, j.scale)
}

// Adam is one update of all parameters.
func (f *Fast) Adam(a backend.Adam) {
	a.Check()
	scale, ok := reference.GradientScale[float32](a)
	if !ok {
		return
	}
	j := jobOf[adamJob](f)
	b1, b2, t := float64(a.Beta1), float64(a.Beta2), float64(a.Step)
	*j = adamJob{p: data(a.Param), m: data(a.M), v: data(a.V), g: data(a.Grad), beta1: a.Beta1, beta2: a.Beta2,
		eps: a.Eps, scale: float32(scale), rate: float32(float64(a.Rate) / (1 - math.Pow(b1, t))),
		unbias: float32(1 / math.Sqrt(1-math.Pow(b2, t)))}
	if a.Decoupled {
		j.shrink = a.Rate * a.Decay
	} else {
		j.decay = a.Decay
	}
	f.pool.run(j, flatPieces(len(j.p)))
}
