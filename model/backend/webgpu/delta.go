//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// deltaKey is a kernel of the gated delta rule, with an invocation for each number of a value, in eights.
func deltaKey(kernel string, a backend.Delta) pipelineKey {
	return pipelineKey{kernel: kernel, lanes: groupOf(a.D, 8) * 8, keys: a.K}
}

// deltaSteps is how many steps a dispatch of that many workgroups takes, of which each makes that many turns: whole
// multiples of DeltaEvery.
func (b *Backend) deltaSteps(longest, turns, workgroups int) int {
	whole := groupOf(longest, backend.DeltaEvery)
	return backend.DeltaEvery * b.stepsPerCall(whole, backend.DeltaEvery*turns, workgroups)
}

// DeltaForward goes along every sequence, a workgroup a head of one.
func (b *Backend) DeltaForward(a backend.DeltaForward) {
	a.Check()
	start, end, longest := b.place(a.Seq.Start), b.place(a.Seq.End), b.longest(a.Seq)
	steps := b.deltaSteps(longest, 3*a.K+1, a.H*(a.Seq.Hi-a.Seq.Lo))
	for skip := 0; skip < longest; skip += steps {
		b.formed(deltaKey("delta_forward", a.Delta), a.H, a.Seq.Hi-a.Seq.Lo, 1, args{
			{"start", start}, {"end", end}, {"lo", a.Seq.Lo}, {"H", a.H}, {"D", a.D}, {"skip", skip},
			{"steps", steps}, {"scale", a.Scale}, {"eps", a.Eps},
		}, on{
			{"o", a.O}, {"gates", a.Gates}, {"saved", a.Saved}, {"x", a.X}, {"a", a.A}, {"b", a.B}, {"rate", a.Rate},
			{"ints", indexed},
		})
	}
}

// deltaRoom is how many numbers the states take that one dispatch of the way back makes again: 64 MiB.
const deltaRoom = 1 << 24

// DeltaBackward goes back along every sequence, some sequences at a time.
func (b *Backend) DeltaBackward(a backend.DeltaBackward) {
	a.Check()
	sequences := a.Seq.Hi - a.Seq.Lo
	if sequences == 0 {
		return
	}
	b.before(a.DRate) // where a sum waits for the same place
	rates := b.partsOf(1, sequences*a.H)
	states := (backend.DeltaEvery + 1) * a.Entry()
	most := min(sequences, max(1, deltaRoom/states))
	room, dgates := b.temporary("delta room", most*states), b.temporary("delta gates", 2*a.Seq.Rows*a.H)
	start, end, longest := b.place(a.Seq.Start), b.place(a.Seq.End), b.longest(a.Seq)
	tiles := groupOf(a.K, 8)
	steps := b.deltaSteps(longest, 6*a.K+(tiles+1)*(a.D+1)+4, a.H*most)
	for lo := a.Seq.Lo; lo < a.Seq.Hi; lo += most {
		for skip := (longest - 1) / steps * steps; skip >= 0; skip -= steps {
			b.formed(deltaKey("delta_backward", a.Delta), a.H, min(most, a.Seq.Hi-lo), 1, args{
				{"start", start}, {"end", end}, {"lo", lo}, {"H", a.H}, {"D", a.D}, {"skip", skip}, {"steps", steps},
			}, on{
				{"dx", a.DX}, {"dgates", dgates}, {"room", room}, {"x", a.X}, {"gates", a.Gates}, {"saved", a.Saved},
				{"dout", a.DO}, {"ints", indexed},
			})
		}
	}
	steps = b.stepsPerCall(longest, groupOf(sequences*a.H, widest), groupOf(sequences*a.H, lanes))
	for skip := 0; skip < longest; skip += steps {
		b.each("delta_gates", sequences*a.H, args{
			{"start", start}, {"end", end}, {"lo", a.Seq.Lo}, {"H", a.H}, {"pairs", sequences * a.H},
			{"skip", skip}, {"steps", steps}, {"scale", a.Scale},
		}, on{
			{"da", a.DA}, {"db", a.DB}, {"parts", rates}, {"dgates", dgates}, {"gates", a.Gates}, {"a", a.A},
			{"rate", a.Rate}, {"ints", indexed},
		})
	}
	b.sum(a.DRate, rates, 0, a.H, sequences)
}
