package backendtest

import (
	"fmt"

	"mhacsp/model/backend"
)

// convolution is one setting of the short convolution.
type convolution struct {
	arena
	n, width, from int
}

func (c convolution) String() string {
	return fmt.Sprintf("%s-n=%d-at-%d-of-%d", c.label, c.n, c.from, c.width)
}

func convolutions() (list []convolution) {
	for i, t := range lengths {
		n := []int{1, 6, 20}[i%3]
		list = append(list, convolution{alone(t), n, n, 0})
	}
	mixed := layOut("mixed", []int{128, 1, 64, 2, 65, 3, 63, 4, 5}, 0, 9)
	inner, none := mixed.part("inner", 2, 6), mixed.part("none", 3, 3)
	return append(list, convolution{mixed, 64, 256, 64}, convolution{mixed, 7, 20, 5},
		convolution{inner, 128, 256, 128}, convolution{inner, 264, 300, 3}, convolution{many, 20, 40, 0},
		convolution{none, 20, 20, 0})
}

// block is the roles of the convolution's columns of [rows, width]; other columns stay.
func (c convolution) block(t, steps, col int) role {
	if col < c.from || col >= c.from+c.n {
		return kept
	}
	return writtenIf(t < steps, zero)
}

// draw gives each case's inputs.
func (c convolution) draw(d draw) (x, weight []float32) {
	return d.normal(c.rows*c.n, 1), d.normal(backend.ConvTaps*c.n, 0.7)
}

func (c convolution) inputs(b *bench, x, weight []float32) backend.Conv {
	return backend.Conv{Seq: c.seq(b), N: c.n, X: b.in("X", x), Weight: b.in("Weight", weight), Width: c.width,
		From: c.from}
}

func convForward() kernel {
	k := kernel{call: backend.ConvForward{}, writes: "Y"}
	return casesOf(k, convolutions(), func(c convolution, d draw) program {
		x, weight := c.draw(d)
		return func(b *bench) {
			b.ConvForward(backend.ConvForward{Conv: c.inputs(b, x, weight),
				Y: c.out(b, "Y", forward, c.width, c.block)})
		}
	})
}

func convBackward() kernel {
	k := kernel{call: backend.ConvBackward{}, writes: "DX DWeight"}
	return casesOf(k, convolutions(), func(c convolution, d draw) program {
		x, weight := c.draw(d)
		dy, dweight := d.normal(c.rows*c.width, 1), d.normal(len(weight), 0.1)
		return func(b *bench) {
			b.ConvBackward(backend.ConvBackward{Conv: c.inputs(b, x, weight),
				DX:      c.out(b, "DX", gradient, c.n, eachStep(zero)),
				DWeight: b.add("DWeight", gradient, dweight, c.sums(len(weight))), DY: b.in("DY", dy)})
		}
	})
}
