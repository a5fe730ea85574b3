package reference

import "mhacsp/model/backend"

// OutputForward is Y = z/sqrt(|z|²+ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow].
func (*Backend[T]) OutputForward(a backend.OutputForward) {
	a.Check()
	n := a.N
	y, inv, z, h, gate := Data[T](a.Y), Data[T](a.Inv), Data[T](a.Z), Data[T](a.H), Data[T](a.Gate)
	zrow, hrow := IntData(a.ZRow), IntData(a.HRow)
	for p := range a.P {
		yp, ip := y[2*n*p:][:2*n], inv[n*p:][:n]
		if zrow[p] < 0 {
			clear(yp)
			clear(ip)
			continue
		}
		zp := z[2*n*int(zrow[p]):][:2*n]
		for i := range n {
			re, im := zp[i], zp[n+i]
			if gate != nil {
				hp := h[2*n*int(hrow[p]):][:2*n]
				re += Sigmoid(gate[i]) * hp[i]
				im += Sigmoid(gate[i]) * hp[n+i]
			}
			ip[i] = 1 / sqrt(re*re+im*im+T(a.Eps))
			yp[i], yp[n+i] = re*ip[i], im*ip[i]
		}
	}
}

// OutputBackward is the backward pass of OutputForward.
func (*Backend[T]) OutputBackward(a backend.OutputBackward) {
	a.Check()
	n := a.N
	dz, dh, dgate := Data[T](a.DZ), Data[T](a.DH), Data[T](a.DGate)
	dy, y, inv, h, gate := Data[T](a.DY), Data[T](a.Y), Data[T](a.Inv), Data[T](a.H), Data[T](a.Gate)
	zrow, hrow := IntData(a.ZRow), IntData(a.HRow)
	for p := range a.P {
		if zrow[p] < 0 {
			continue
		}
		dyp, yp, ip, dzp := dy[2*n*p:][:2*n], y[2*n*p:][:2*n], inv[n*p:][:n], dz[2*n*int(zrow[p]):][:2*n]
		for i := range n {
			radial := yp[i]*dyp[i] + yp[n+i]*dyp[n+i]
			re, im := ip[i]*(dyp[i]-yp[i]*radial), ip[i]*(dyp[n+i]-yp[n+i]*radial)
			dzp[i] += re
			dzp[n+i] += im
			if gate != nil {
				at := 2 * n * int(hrow[p])
				s := Sigmoid(gate[i])
				dh[at+i] += s * re
				dh[at+n+i] += s * im
				dgate[i] += s * (1 - s) * (re*h[at+i] + im*h[at+n+i])
			}
		}
	}
}
