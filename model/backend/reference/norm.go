package reference

import "mhacsp/model/backend"

// NormForward is y = (x − mean)·inv ⊙ gain + bias, x = X + Plus, inv = 1/sqrt(mean((x − mean)²) + ε) (SPEC §13).
func (*Backend[T]) NormForward(a backend.NormForward) {
	a.Check()
	n := a.N
	y, sum, mean, inv := Data[T](a.Y), Data[T](a.Sum), Data[T](a.Mean), Data[T](a.Inv)
	x, plus, gain, bias := Data[T](a.X), Data[T](a.Plus), Data[T](a.Gain), Data[T](a.Bias)
	for p := range a.P {
		xp, yp := x[n*p:][:n], y[n*p:][:n]
		if plus != nil {
			for i := range n {
				sum[n*p+i] = xp[i] + plus[n*p+i]
			}
			xp = sum[n*p:][:n]
		}
		var m, squares T
		if bias != nil {
			for _, v := range xp {
				m += v
			}
			m /= T(n)
			mean[p] = m
		}
		for _, v := range xp {
			squares += (v - m) * (v - m)
		}
		inv[p] = 1 / sqrt(squares/T(n)+T(a.Eps))
		for i, v := range xp {
			yp[i] = (v - m) * inv[p] * gain[i]
			if bias != nil {
				yp[i] += bias[i]
			}
		}
	}
}

// NormBackward is the backward pass of NormForward: with e = (x − mean)·inv and g = dy ⊙ gain,
// dx = inv (g − mean(g) − e mean(g ⊙ e)), without mean(g) where no mean is taken off.
func (*Backend[T]) NormBackward(a backend.NormBackward) {
	a.Check()
	n := a.N
	dx, dgain, dbias, dy := Data[T](a.DX), Data[T](a.DGain), Data[T](a.DBias), Data[T](a.DY)
	x, mean, inv, gain := Data[T](a.X), Data[T](a.Mean), Data[T](a.Inv), Data[T](a.Gain)
	for p := range a.P {
		xp, dxp, dyp := x[n*p:][:n], dx[n*p:][:n], dy[n*p:][:n]
		var m, meanG, meanGE T
		if mean != nil {
			m = mean[p]
		}
		for i, d := range dyp {
			e, g := (xp[i]-m)*inv[p], d*gain[i]
			meanG += g / T(n)
			meanGE += g * e / T(n)
			dgain[i] += d * e
			if mean != nil {
				dbias[i] += d
			}
		}
		if mean == nil {
			meanG = 0
		}
		for i, d := range dyp {
			e, g := (xp[i]-m)*inv[p], d*gain[i]
			if !a.Accumulate {
				dxp[i] = 0
			}
			dxp[i] += inv[p] * (g - meanG - e*meanGE)
		}
	}
}
