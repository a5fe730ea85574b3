package cpu

import (
	"math"

	"mhacsp/model/backend"
	"mhacsp/model/backend/cpu/vec"
)

type adamJob struct {
	p, m, v, g []float32
	coef       vec.AdamCoef
}

func (j *adamJob) piece(_, i int) {
	from, to := i*flatPiece, min((i+1)*flatPiece, len(j.p))
	vec.Adam(j.p[from:to], j.m[from:to], j.v[from:to], j.g[from:to], &j.coef)
}

// Adam is one update of all parameters.
func (f *Fast) Adam(a backend.Adam) {
	a.Check()
	scale, ok := gradientScale[float32](a)
	if !ok {
		return
	}
	j := jobOf[adamJob](f)
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
