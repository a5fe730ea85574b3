package tune

import (
	"math"
	"slices"
)

// Rules of a search.
const (
	settling = 4    // steps before the first measurement, which say how many make one
	rounds   = 6    // measurements of each form
	shortest = 2    // steps of a measurement
	longest  = 64   // and on a coarse clock
	grain    = 20   // ticks of the clock that a measurement takes at least
	gain     = 1.05 // how many times faster than the first form another one must be
)

// Search finds for each knob, one after another, the form in which steps take the least time. A knob is a choice among
// forms of kernels, of which the first needs no measurement: it is good everywhere, if not the fastest. A search hears
// of steps that are made anyway, and knows no device and no clock. Steps may be under way while further ones begin.
type Search struct {
	Best   []int       // the form of each knob that is decided, else the first
	Knob   int         // that is being decided; those before it are
	tick   float64     // of the clock, s
	out    [][]bool    // forms that are not to be tried
	times  [][]float64 // see Seconds
	length int         // steps of a measurement
	plan   []block     // measurements of the knob
	at     int         // the first of them that was not begun, or not to its end
	flight []*block    // of each step that is under way; nil: of none
}

// block is a measurement: some steps, one after another.
type block struct {
	form, begun int
	seconds     float64
	work        [units]float64
	lost        bool // of one of them no time is known
}

// units are the measures of work: steps, tokens, and tokens of the longest sequence. Which of them explains the times
// best depends on how many sequences the device works on at a time.
const units = 3

// NewSearch looks for the best forms of knobs, each of which has that many, two at least, on a clock whose tick is so
// many seconds; 0: a fine one.
func NewSearch(forms []int, tick float64) *Search {
	s := &Search{tick: tick, Best: make([]int, len(forms)), Knob: -1, length: settling, plan: make([]block, 1)}
	for _, n := range forms {
		s.out, s.times = append(s.out, make([]bool, n)), append(s.times, make([]float64, n))
	}
	return s
}

// Done reports whether all knobs are decided.
func (s *Search) Done() bool { return s.Knob == len(s.out) }

// Seconds are a step's in a form of a knob that is decided, at the median; 0: it was not measured.
func (s *Search) Seconds(knob, form int) float64 { return s.times[knob][form] }

// Refuse takes a form out. The first one of a knob stays.
func (s *Search) Refuse(knob, form int) { s.out[knob][form] = form > 0 }

// Next begins a step and gives the form of the knob that is being decided; the others have theirs in Best.
func (s *Search) Next() (knob, form int) {
	if s.Done() {
		return 0, s.Best[0]
	}
	knob = max(0, s.Knob)
	for s.at < len(s.plan) && s.out[knob][s.plan[s.at].form] {
		s.at++
	}
	var b *block
	if s.at < len(s.plan) {
		b = &s.plan[s.at]
		form = b.form
		if b.begun++; b.begun == s.length {
			s.at++
		}
	}
	s.flight = append(s.flight, b)
	return knob, form
}

// Add takes in the first of the steps that are under way: its seconds and its work. Seconds that are not above 0 are
// of no worth, nor is the measurement then.
func (s *Search) Add(seconds float64, tokens, longest int) {
	if s.Done() || len(s.flight) == 0 {
		return
	}
	b := s.flight[0]
	s.flight = append(s.flight[:0], s.flight[1:]...)
	if b != nil {
		b.lost = b.lost || !(seconds > 0) || math.IsInf(seconds, 0)
		b.seconds += seconds
		for u, w := range [units]int{1, tokens, longest} {
			b.work[u] += float64(max(1, w))
		}
	}
	if s.at == len(s.plan) && !slices.ContainsFunc(s.flight, func(b *block) bool { return b != nil }) {
		s.next()
	}
}

// next decides the knob, all of whose steps are here, and begins with another. Every other round has the opposite
// order, so that a drift weighs on all forms alike.
func (s *Search) next() {
	if s.Knob < 0 {
		if first := s.plan[0]; !first.lost {
			s.length = int(max(shortest, min(longest, math.Ceil(grain*s.tick*settling/first.seconds))))
		}
	} else {
		s.Best[s.Knob] = s.decide()
	}
	s.plan, s.at = nil, 0
	if s.Knob++; s.Done() {
		return
	}
	for round := range rounds {
		for f := range s.out[s.Knob] {
			if round%2 == 1 {
				f = len(s.out[s.Knob]) - 1 - f
			}
			s.plan = append(s.plan, block{form: f})
		}
	}
}

// decide is the form to take: the fastest where it gains more than a little and more than noise, else the first. The
// measure of work is the one by which the first form's measurements lie closest together.
func (s *Search) decide() (best int) {
	unit, least := 0, math.Inf(1)
	for u := range units {
		if x := s.rates(0, u); len(x) > 0 && high(x)/low(x) < least {
			unit, least = u, high(x)/low(x)
		}
	}
	first := s.rates(0, unit)
	if len(first) < rounds/2 {
		return 0
	}
	var steps, work float64
	for _, b := range s.plan {
		steps, work = steps+b.work[0], work+b.work[unit]
	}
	fastest := middle(first) / gain
	for f := range s.out[s.Knob] {
		x := s.rates(f, unit)
		if s.out[s.Knob][f] || len(x) < rounds/2 {
			continue
		}
		s.times[s.Knob][f] = middle(x) * work / steps
		if middle(x) < fastest && high(x) < low(first) {
			best, fastest = f, middle(x)
		}
	}
	return best
}

// rates are the seconds a unit of work of a form's measurements, in ascending order.
func (s *Search) rates(form, unit int) (list []float64) {
	for _, b := range s.plan {
		if b.form == form && b.begun == s.length && !b.lost {
			list = append(list, b.seconds/b.work[unit])
		}
	}
	slices.Sort(list)
	return list
}

// low, middle and high are the quartiles of ascending numbers: of six, one lies below the first and above the last.
func low(x []float64) float64    { return x[len(x)/4] }
func middle(x []float64) float64 { return (x[(len(x)-1)/2] + x[len(x)/2]) / 2 }
func high(x []float64) float64   { return x[len(x)*3/4] }
