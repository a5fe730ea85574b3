//go:build cgo || js

package webgpu

import "mhacsp/model/backend"

// SlotsForward goes along every sequence, in one dispatch unless its turns are too many.
func (b *Backend) SlotsForward(a backend.SlotsForward) {
	a.Check()
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	longest := b.longest(a.Seq)
	steps := b.stepsPerCall(longest, 1, (a.Seq.Hi-a.Seq.Lo)*groupOf(a.N, lanes))
	for skip := 0; skip < longest; skip += steps {
		b.tiles("slots_forward", a.N, 1, a.Seq.Hi-a.Seq.Lo, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"N", a.N}, {"skip", skip}, {"steps", steps},
			{"given", a.Init.Given()}, {"onward", a.Continue || skip > 0}, {"normalise", a.Normalise}, {"eps", a.Eps},
		}, on{{"state", a.State}, {"omega", a.Omega}, {"drive", a.In}, {"init", a.Init}, {"ints", indexed}})
	}
}

// SlotsBackward goes back along every sequence, and then sums by row of In, and over the sequences for the rates.
func (b *Backend) SlotsBackward(a backend.SlotsBackward) {
	a.Check()
	sequences := a.Seq.Hi - a.Seq.Lo
	if sequences == 0 {
		return
	}
	var rates backend.Vec
	if a.DOmega.Given() {
		b.before(a.DOmega) // where a sum waits for the same place
		rates = b.partsOf(1, sequences*a.N)
	}
	start, end, at := b.place(a.Seq.Start), b.place(a.Seq.End), b.place(a.At)
	longest := b.longest(a.Seq)
	steps := b.stepsPerCall(longest, 1, sequences*groupOf(a.N, lanes))
	for skip := (longest - 1) / steps * steps; skip >= 0; skip -= steps {
		b.tiles("slots_backward", a.N, 1, sequences, args{
			{"start", start}, {"end", end}, {"at", at}, {"lo", a.Seq.Lo}, {"N", a.N}, {"skip", skip}, {"steps", steps},
			{"init", a.DInit.Given()}, {"normalise", a.Normalise}, {"rate", a.DOmega.Given()}, {"eps", a.Eps},
		}, on{
			{"dstate", a.DState}, {"dinit", a.DInit}, {"omega", a.Omega}, {"state", a.State}, {"drive", a.In},
			{"rates", rates}, {"ints", indexed},
		})
	}
	if a.DOmega.Given() {
		b.sum(a.DOmega, rates, 0, a.N, sequences)
	}
	columns, wide := quads(2 * a.N)
	b.gathered("rowsum", wide, columns, b.byRow(a.Seq, a.At, a.M), columns, // of step r row r + 1
		on{{"dst", a.TIn}, {"src", a.DState}, {"ints", indexed}})
}
