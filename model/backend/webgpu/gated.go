//go:build cgo || js

package webgpu

import (
	"fmt"

	"mhacsp/model/backend"
)

// The time loops of LSTM and GRU: what imports shared/gated_forward.wgsl and shared/gated_backward.wgsl.

// transposed is w [m, n], transposed, for one call.
func (b *Backend) transposed(w backend.Vec, m, n int) backend.Vec {
	out := b.temporary("transposed", m*n)
	b.each("transpose", m*n, args{{"M", m}, {"N", n}}, on{{"out", out}, {"source", w}})
	return out
}

// gated runs a time loop of n units, whose products have that many terms, in one dispatch where turns are few enough.
func (b *Backend) gated(kernel string, back bool, seq backend.Sequences, at backend.Index, n, terms int, bind on) {
	longest := b.longest(seq)
	if longest == 0 {
		return
	}
	slices := max(1, loopWorkgroup/n)
	blocks := groupOf(n, loopWorkgroup)
	turns := blocks*(groupOf(terms, slices)+slices+terms/n*blocks+2) + 1
	if b.info.Software && turns > b.turnsAllowed() {
		b.fail(kernel, fmt.Errorf("width %d is too much for the software adapter %q, which leaves long loops early; "+
			"compute on the CPU", n, b.info.Adapter))
		return
	}
	steps := b.stepsPerCall(longest, turns, seq.Hi-seq.Lo)
	start, end, first := b.place(seq.Start), b.place(seq.End), b.place(at)
	calls := groupOf(longest, steps)
	for i := range calls {
		if back {
			i = calls - 1 - i
		}
		b.grid(kernel, seq.Hi-seq.Lo, 1, args{
			{"start", start}, {"end", end}, {"at", first}, {"lo", seq.Lo}, {"N", n}, {"slices", slices},
			{"skip", i * steps}, {"steps", steps},
		}, bind)
	}
}
