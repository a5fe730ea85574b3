package reference

import (
	"math"

	"mhacsp/model/backend"
)

// activation is f(x) and its slope.
func activation[T Float](f backend.Activation, x T) (y, slope T) {
	switch f {
	case backend.ReLU:
		if x > 0 {
			return x, 1
		}
		return 0, 0
	case backend.GELU:
		below := T(0.5 * math.Erfc(-float64(x)/math.Sqrt2))
		return x * below, below + x*exp(-x*x/2)/sqrt(T(2*math.Pi))
	}
	s := Sigmoid(x)
	return x * s, s * (1 + x*(1-s))
}

// ActivateForward is y = f(x), or y = f(x)·times; y gains it with Add.
func (*Backend[T]) ActivateForward(a backend.ActivateForward) {
	a.Check()
	y, x, times := Data[T](a.Y), Data[T](a.X), Data[T](a.Times)
	for i, v := range x[:a.P*a.N] {
		v, _ = activation(a.F, v)
		if times != nil {
			v *= times[i]
		}
		if a.Add {
			v += y[i]
		}
		y[i] = v
	}
}

// ActivateBackward is dx = dy·times·f′(x), dtimes = dy·f(x).
func (*Backend[T]) ActivateBackward(a backend.ActivateBackward) {
	a.Check()
	dx, dtimes, dy := Data[T](a.DX), Data[T](a.DTimes), Data[T](a.DY)
	x, times := Data[T](a.X), Data[T](a.Times)
	for i, v := range x[:a.P*a.N] {
		y, slope := activation(a.F, v)
		dx[i] = dy[i] * slope
		if times != nil {
			dx[i] *= times[i]
			dtimes[i] = dy[i] * y
		}
	}
}
