package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

// size is the shape of a linear layer over m rows.
type size struct{ m, k, n int }

var sizes = [...]size{
	{1, 1, 1}, {1, 132, 21}, {21, 132, 132}, {21, 1, 5}, {7, 13, 1}, {3, 5, 7}, {2, 6, 6}, {64, 64, 64}, {65, 33, 20},
	{5, 264, 21}, {130, 20, 6}, {2000, 20, 6}, {2000, 6, 20}, {300, 264, 132},
}

// onOff is a case of each size with a switch off and on.
func onOff(label string, build func(s size, on bool) func(d draw) program) (list []contract) {
	for _, s := range sizes {
		for _, on := range []bool{false, true} {
			name := fmt.Sprintf("%dx%dx%d", s.m, s.k, s.n)
			if on {
				name += "-" + label
			}
			list = append(list, against(name, build(s, on)))
		}
	}
	return list
}

func matMul() kernel {
	return kernel{
		call: backend.MatMul{}, writes: []string{"Y"}, cases: matMulCases(),
		optional: []string{"Bias"},
	}
}

func matMulCases() []contract {
	return onOff("bias", func(s size, on bool) func(d draw) program {
		return func(d draw) program {
			x, w := d.normal(s.m*s.k, 1), d.normal(s.n*s.k, 1)
			var bias []float32
			if on {
				bias = d.normal(s.n, 1)
			}
			return func(b *bench) {
				b.MatMul(backend.MatMul{
					Y: b.out("Y", forward, s.m*s.n, nil), X: b.in("X", x), W: b.in("W", w), Bias: b.in("Bias", bias),
					M: s.m, K: s.k, N: s.n,
				})
			}
		}
	})
}

func matMulInput() kernel {
	return kernel{
		call: backend.MatMulInput{}, writes: []string{"DX"}, cases: matMulInputCases(),
	}
}

func matMulInputCases() []contract {
	return onOff("accumulate", func(s size, on bool) func(d draw) program {
		return func(d draw) program {
			dy, w, before := d.normal(s.m*s.n, 1), d.normal(s.n*s.k, 1), d.normal(s.m*s.k, 0.5)
			return func(b *bench) {
				a := backend.MatMulInput{DY: b.in("DY", dy), W: b.in("W", w), M: s.m, K: s.k, N: s.n, Accumulate: on}
				if on {
					a.DX = b.add("DX", gradient, before, nil)
				} else {
					a.DX = b.out("DX", gradient, s.m*s.k, nil)
				}
				b.MatMulInput(a)
			}
		}
	})
}

func matMulWeight() kernel {
	return kernel{
		call: backend.MatMulWeight{}, writes: []string{"DW", "DBias"}, cases: matMulWeightCases(),
		optional: []string{"DBias"},
	}
}

func matMulWeightCases() []contract {
	return onOff("bias", func(s size, on bool) func(d draw) program {
		return func(d draw) program {
			width := s.n
			if on {
				width += s.k % 5 // numbers that nothing reads
			}
			dy, x := d.normal(s.m*width, 1), d.normal(s.m*s.k, 1)
			dw, db := d.normal(s.n*s.k, 0.5), d.normal(s.n, 0.5)
			return func(b *bench) {
				a := backend.MatMulWeight{DW: b.add("DW", gradient, dw, nil), DY: b.in("DY", dy), X: b.in("X", x),
					M: s.m, K: s.k, N: s.n, Width: width}
				if on {
					a.DBias = b.add("DBias", gradient, db, nil)
				}
				b.MatMulWeight(a)
			}
		}
	})
}
