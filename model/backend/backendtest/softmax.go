package backendtest

import (
	"math"

	"mhacsp/model/backend"
)

// soft holds the inputs of a softmax attention.
type soft struct {
	arena
	n, heads      int
	q, k, v, turn []float32
}

// softCases gives a kernel arenas of every length, heads of several widths, turned and not, and scores near 0 or far.
func softCases(k kernel, build func(d draw, x soft) program) kernel {
	for _, s := range []struct {
		arena
		n, heads int
		turn     bool
		spread   float64 // of q and k
	}{
		{layOut("one", lengths[:1], 0, 1), 1, 1, false, 1}, {layOut("two", []int{2}, 0, 1), 6, 3, true, 1},
		{layOut("short", []int{3, 1, 2}, 0, 3), 20, 4, false, 1},
		{layOut("all", lengths[:], 0, len(lengths)), 64, 4, false, 1},
		{layOut("all", lengths[:], 0, len(lengths)), 24, 2, true, 1},
		{layOut("odd", []int{65, 3}, 0, 2), 15, 3, false, 1},
		{layOut("part", []int{64, 5, 63, 2}, 1, 3), 32, 4, true, 1},
		{layOut("part", []int{5, 128}, 1, 2), 64, 4, false, 1},
		{layOut("steep", []int{63, 20}, 0, 2), 16, 2, false, 4}, {layOut("wide", []int{30}, 0, 1), 264, 2, false, 1},
		{layOut("widest", []int{9, 3}, 0, 2), backend.SoftmaxWidest, 1, true, 1},
		{layOut("none", []int{3, 4}, 1, 1), 8, 2, false, 1},
	} {
		k.add("%s-%dx%d-turn=%v", []any{s.label, s.n, s.heads, s.turn}, func(d draw) program {
			x := soft{arena: s.arena, n: s.n, heads: s.heads}
			size := x.rows * s.n
			x.q, x.k, x.v = d.normal(size, s.spread), d.normal(size, s.spread), d.normal(size, 1)
			if s.turn {
				x.turn = turns(s.whole().longest(), s.n/s.heads)
			}
			return build(d, x)
		})
	}
	return k
}

// turns are the cosines and sines of the angles t·100^(−2c/d).
func turns(positions, d int) []float32 {
	x := make([]float32, positions*d)
	for t := range positions {
		for c := range d / 2 {
			sin, cos := math.Sincos(float64(t) * math.Pow(100, -2*float64(c)/float64(d)))
			x[t*d+c], x[t*d+d/2+c] = float32(cos), float32(sin)
		}
	}
	return x
}

func (x soft) inputs(b *bench) backend.Softmax {
	return backend.Softmax{Seq: x.seq(b), N: x.n, Heads: x.heads, Q: b.in("Q", x.q), K: b.in("K", x.k),
		V: b.in("V", x.v), Turn: b.in("Turn", x.turn)}
}

func (x soft) forward(b *bench) {
	b.SoftmaxForward(backend.SoftmaxForward{Softmax: x.inputs(b), O: x.out(b, "O", forward, x.n, eachStep(zero)),
		Log: x.out(b, "Log", forward, x.heads, eachStep(zero))})
}

func softmaxForward() kernel {
	k := kernel{call: backend.SoftmaxForward{}, writes: "O Log", optional: "Turn", unsized: "Turn"}
	return softCases(k, func(_ draw, x soft) program { return x.forward })
}

func softmaxBackward() kernel {
	k := kernel{call: backend.SoftmaxBackward{}, writes: "DQ DK DV", optional: "Turn", unsized: "Turn"}
	return softCases(k, func(d draw, x soft) program {
		whole := x
		whole.arena = x.whole()
		saved := d.saved(whole.forward)
		do := d.normal(x.rows*x.n, 1)
		steps := x.roles(x.n, eachStep(zero))
		return func(b *bench) {
			b.SoftmaxBackward(backend.SoftmaxBackward{Softmax: x.inputs(b), DO: b.in("DO", do),
				O: b.in("O", saved["O"]), Log: b.in("Log", saved["Log"]), DQ: b.out("DQ", gradient, len(do), steps),
				DK: b.out("DK", gradient, len(do), steps), DV: b.out("DV", gradient, len(do), steps)})
		}
	})
}

func softmaxMatrices() kernel {
	k := kernel{call: backend.SoftmaxMatrices{}, writes: "Weights", optional: "Turn", unsized: "Turn"}
	return softCases(k, func(_ draw, x soft) program {
		size, lower := x.squares(x.heads, false)
		return func(b *bench) {
			b.SoftmaxMatrices(backend.SoftmaxMatrices{Softmax: x.inputs(b), T: size,
				Weights: b.out("Weights", forward, len(lower), lower)})
		}
	})
}
