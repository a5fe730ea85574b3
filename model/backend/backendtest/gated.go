package backendtest

import (
	"fmt"
	"math"
)

// gated is one setting of the time loop of an LSTM or a GRU.
type gated struct {
	arena
	n     int
	byRow bool // Pre has a row per arena row, as in a second layer; otherwise one per token
}

func (c gated) String() string { return fmt.Sprintf("%s-n=%d", c.label, c.n) + option(c.byRow, "rows") }

func gatings() (list []gated) {
	for i, t := range lengths {
		for k, n := range []int{1, 6, 20} {
			list = append(list, gated{alone(t), n, (i+k)%2 == 0})
		}
	}
	return append(list,
		gated{mixed, 84, false}, gated{mixed, 97, true}, gated{inner, 84, true}, gated{inner, 5, false},
		gated{many, 20, false}, gated{none, 20, false},
		// Wider than the workgroups of a GPU's kernels.
		gated{inner, 264, true}, gated{layOut("few", []int{5, 1, 17}, 0, 3), 530, false})
}

// gates holds the inputs of a time loop with that many gates.
type gates struct {
	gated
	gates  int
	m      int
	at     []int32
	pre, w []float32
}

func (c gated) draw(d draw, count int) gates {
	x := gates{gated: c, gates: count}
	x.m, x.at = c.at(d, c.byRow)
	x.pre, x.w = d.normal(count*x.m*c.n, 1), d.normal(count*c.n*c.n, 0.7/math.Sqrt(float64(c.n)))
	return x
}

// past draws what a backward pass reads: what the forward pass saved, of every sequence; the call may cover fewer.
func (c gated) past(d draw, count int, forward func(gates, *bench)) (x gates, saved map[string][]float32) {
	x = c.draw(d, count)
	x.arena = c.whole()
	saved = d.saved(func(b *bench) { forward(x, b) })
	x.arena = c.arena
	return x, saved
}
