//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// ConvForward goes along every sequence, in one dispatch unless its turns are too many.
func (b *Backend) ConvForward(a backend.ConvForward) {
	a.Check()
	b.convolve("conv_forward", a.Conv, on{{"y", a.Y}, {"x", a.X}, {"weight", a.Weight}, {"ints", indexed}})
}

// ConvBackward goes back along every sequence, and then sums the weights' gradients over the sequences.
func (b *Backend) ConvBackward(a backend.ConvBackward) {
	a.Check()
	sequences, n := a.Seq.Hi-a.Seq.Lo, backend.ConvTaps*a.N
	if sequences == 0 {
		return
	}
	b.before(a.DWeight) // where a sum waits for the same place
	parts := b.partsOf(1, sequences*n)
	b.convolve("conv_backward", a.Conv,
		on{{"dx", a.DX}, {"parts", parts}, {"x", a.X}, {"weight", a.Weight}, {"dy", a.DY}, {"ints", indexed}})
	b.sum(a.DWeight, parts, 0, n, sequences)
}

// convolve runs a kernel over all channels of all sequences, the last steps first, which one direction needs.
func (b *Backend) convolve(kernel string, a backend.Conv, bind on) {
	start, end, longest := b.place(a.Seq.Start), b.place(a.Seq.End), b.longest(a.Seq)
	if longest == 0 {
		return
	}
	steps := b.stepsPerCall(longest, 1, (a.Seq.Hi-a.Seq.Lo)*groupOf(a.N, lanes))
	for skip := (longest - 1) / steps * steps; skip >= 0; skip -= steps {
		b.tiles(kernel, a.N, 1, a.Seq.Hi-a.Seq.Lo, args{
			{"start", start}, {"end", end}, {"lo", a.Seq.Lo}, {"N", a.N}, {"width", a.Width}, {"column", a.From},
			{"skip", skip}, {"steps", steps},
		}, bind)
	}
}
