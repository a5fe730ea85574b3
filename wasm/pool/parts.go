package pool

import (
	"time"

	"mhacsp/model/sequence"
)

// Parts is how many parts a batch is cut into: a power of two, as large as leaves each part twice as many samples as
// there are parts. Each costs something in addition to its samples, and many parts are for machines with many cores.
func Parts(samples int) int {
	n := 1
	for samples >= 8*n*n {
		n *= 2
	}
	return n
}

// span is neighbouring parts [from, to) of a batch that has parts of them.
type span struct{ from, to, parts int }

// one is part number i of the same batch.
func (s span) one(i int) span { return span{i, i + 1, s.parts} }

// samples are those of the span of a batch of n.
func (s span) samples(n int) (from, to int) { return n * s.from / s.parts, n * s.to / s.parts }

// costs are about how long the parts of a batch take, next to one another: their tokens.
func costs(b *sequence.Batch, parts int) []float64 {
	list := make([]float64, parts)
	for i := range list {
		from, to := span{i, i + 1, parts}.samples(len(b.Prompts))
		for k := from; k < to; k++ {
			list[i] += float64(len(b.Prompts[k]))
			if b.Targets != nil {
				list[i] += float64(len(b.Targets[k]))
			}
		}
	}
	return list
}

func total(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// speed is how much cost somebody gets done in a second, of late; 0: not known.
type speed float64

// took takes in how long a share took.
func (s *speed) took(d time.Duration, cost float64) {
	now := speed(cost / max(d.Seconds(), 1e-6))
	if *s > 0 {
		now = *s + newest*(now-*s)
	}
	*s = now
}

// share deals parts out in order, so that all who work at these speeds are done at about the same time. What somebody
// gets may be empty.
func share(costs, speeds []float64) []span {
	each := total(costs) / total(speeds)
	list := make([]span, len(speeds))
	at, done, due := 0, 0.0, 0.0 // the next part, the costs before it, and where the present share ends
	for i, s := range speeds {
		due += each * s
		from := at
		for at < len(costs) && (i == len(speeds)-1 || done+costs[at]/2 <= due) {
			done += costs[at]
			at++
		}
		list[i] = span{from, at, len(costs)}
	}
	return list
}
