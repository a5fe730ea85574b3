package tune

import (
	"math"
	"slices"
)

// Knob is one choice among forms of kernels. The first one needs no measurement: it is good everywhere, if not the
// fastest.
type Knob struct {
	Name   string
	Values []string
}

// Work is what the time of a step may grow with.
type Work struct {
	Tokens  int // of all its sequences
	Longest int // of one sequence
}

// Rules of a search.
const (
	budget    = 40   // steps in all, where one step is enough for a measurement
	least     = 3    // measurements of a form that comes into question
	most      = 6    // and of any form
	gain      = 1.05 // how many times faster than the first form another one must be
	hopeless  = 1.4  // times the fastest: not measured again
	absurd    = 8    // times what is usual: no measurement, something came between
	patience  = 3    // absurd ones, one after another, until the search is given up; one less for a form
	settling  = 4    // steps in the first forms, from which the measure of a step's work is taken
	slowest   = 64   // steps that a measurement may take on a coarse clock
	grainTick = 20   // ticks of a coarse clock that a measurement takes at least
	mostBlind = 200  // steps whose time is of no worth, one after another, until the search is given up
	certain   = 2    // standard errors that a gain must have
)

// Search finds for each knob, one after another, the form in which steps take the least time. It is told of steps that
// are made anyway, and knows no device and no clock. Steps may be under way while further ones begin.
type Search struct {
	knobs []Knob
	tick  float64       // of the clock, s
	at    []int         // the best form of each knob so far
	rates [][][]float64 // of each form of each knob, in seconds a unit of work
	odd   [][]int       // absurd measurements of them, one after another
	out   [][]bool      // forms that are not to be tried

	before sums     // steps in the first forms, before the first knob
	each   []sample // the same, one by one
	unit   int      // which measure of work there is, see sample.units
	length int      // steps of a measurement

	knob    int
	arms    []int // forms of the knob in the order of this round; nil: not begun
	turn    int   // place in arms
	made    int   // steps of the measurement that were begun
	rounds  int   // that were begun
	closing bool  // the last round's measurements are waited for
	flight  []ticket
	block   sums // of the measurement whose steps come in
	ended   string
	blind   int // steps of no worth, one after another
	strange int // absurd measurements, one after another
}

// ticket is a step that is under way.
type ticket struct {
	knob, form int // form −1: of none
	last       bool
}

// sample is one measurement.
type sample struct {
	seconds float64
	work    Work
}

// sums are several.
type sums struct {
	sample
	n int
}

func (s *sums) add(x sample) {
	s.seconds += x.seconds
	s.work.Tokens += x.work.Tokens
	s.work.Longest += x.work.Longest
	s.n++
}

// units are the measures of work, of which the one that explains the times best is taken.
func (s sample) units() [3]float64 {
	return [3]float64{1, max(1, float64(s.work.Tokens)), max(1, float64(s.work.Longest))}
}

// NewSearch looks for the best forms of knobs on a clock whose tick is so many seconds; 0: a fine one.
func NewSearch(knobs []Knob, tick float64) *Search {
	s := &Search{knobs: knobs, tick: tick, at: make([]int, len(knobs)), length: 1}
	for _, k := range knobs {
		s.rates = append(s.rates, make([][]float64, len(k.Values)))
		s.odd = append(s.odd, make([]int, len(k.Values)))
		s.out = append(s.out, make([]bool, len(k.Values)))
	}
	return s
}

// Done tells whether all knobs are decided, or the search was given up.
func (s *Search) Done() bool { return s.ended != "" || s.knob >= len(s.knobs) }

// Ended says why the search was given up; empty: it was not.
func (s *Search) Ended() string { return s.ended }

// Decided is how many knobs are, from the first on.
func (s *Search) Decided() int { return s.knob }

// Best are the forms that were found. Those of a knob that is not decided are the first.
func (s *Search) Best() []int { return slices.Clone(s.at) }

// Times are seconds a step in each form at its median, for steps of the same work; 0 where it was not measured.
func (s *Search) Times() (list [][]float64) {
	typical := 1.0
	if n := float64(s.before.n); n > 0 {
		typical = s.before.units()[s.unit] / n
		if s.unit == 0 {
			typical = 1
		}
	}
	for k := range s.rates {
		row := make([]float64, len(s.rates[k]))
		for f, r := range s.rates[k] {
			row[f] = median(r) * typical
		}
		list = append(list, row)
	}
	return list
}

// GiveUp ends the search. What was found so far stays.
func (s *Search) GiveUp(why string) {
	if !s.Done() {
		s.ended = why
	}
}

// Refuse takes a form out. The first one of a knob stays.
func (s *Search) Refuse(knob, form int) {
	if form == 0 || s.out[knob][form] {
		return
	}
	s.out[knob][form] = true
	if i := slices.Index(s.arms, form); knob == s.knob && i >= 0 {
		s.arms = slices.Delete(s.arms, i, i+1)
		if i < s.turn {
			s.turn--
		} else if i == s.turn {
			s.made = 0
		}
	}
}

// Next begins a step and gives its forms, one of each knob.
func (s *Search) Next() []int {
	forms := slices.Clone(s.at)
	if s.Done() {
		return forms
	}
	if s.arms != nil && s.turn >= len(s.arms) {
		s.round()
	}
	x := ticket{s.knob, -1, false}
	if s.arms != nil && !s.closing {
		x.form = s.arms[s.turn]
		forms[s.knob] = x.form
		if s.made++; s.made == s.length {
			x.last = true
			s.made = 0
			s.turn++
		}
	}
	s.flight = append(s.flight, x)
	return forms
}

// Add takes in the first of the steps that are under way. Seconds that are not above 0 are of no worth.
func (s *Search) Add(seconds float64, w Work) {
	if s.Done() || len(s.flight) == 0 {
		return
	}
	x := s.flight[0]
	s.flight = slices.Delete(s.flight, 0, 1)
	good := seconds > 0 && !math.IsInf(seconds, 0)
	if s.blind++; good {
		s.blind = 0
	}
	if s.blind > mostBlind {
		s.GiveUp("the times of steps could not be taken")
		return
	}
	switch {
	case s.arms == nil:
		if good {
			s.settle(sample{seconds, w})
		}
		return
	case x.form >= 0 && x.knob == s.knob && !s.out[x.knob][x.form]:
		if good {
			s.block.add(sample{seconds, w})
		}
		if x.last {
			if s.block.n == s.length {
				s.measured(x.form, s.block.seconds/s.block.units()[s.unit]*s.perUnit())
			}
			s.block = sums{}
		}
	}
	if s.closing && !s.Done() && !slices.ContainsFunc(s.flight, func(t ticket) bool { return t.form >= 0 }) {
		s.at[s.knob] = s.decide()
		s.knob++
		s.enter()
	}
}

// perUnit makes a block's rate one of a step where steps are counted and not what is in them.
func (s *Search) perUnit() float64 {
	if s.unit == 0 {
		return 1 / float64(s.length)
	}
	return 1
}

// settle takes the first steps. Then it chooses the measure of work, the one whose rate varies least, and how many
// steps make a measurement.
func (s *Search) settle(x sample) {
	s.before.add(x)
	s.each = append(s.each, x)
	if s.before.n < settling || s.before.seconds < grainTick*s.tick && s.before.n < slowest {
		return
	}
	least := math.Inf(1)
	for u := range x.units() {
		r := s.settled(u)
		if v := spread(r) / median(r); v < 0.9*least { // a simpler one where there is little between them
			least, s.unit = v, u
		}
	}
	step := s.before.seconds / float64(s.before.n)
	s.length = max(1, min(slowest, int(math.Ceil(grainTick*s.tick/step))))
	s.enter()
}

// settled are the rates of the first steps in a measure of work.
func (s *Search) settled(unit int) (list []float64) {
	for _, x := range s.each {
		list = append(list, x.seconds/x.units()[unit])
	}
	return list
}

// enter begins with the present knob, or the next that has a choice.
func (s *Search) enter() {
	s.turn, s.made, s.rounds, s.closing, s.block = 0, 0, 1, false, sums{}
	for ; s.knob < len(s.knobs); s.knob++ {
		s.arms = []int{}
		for f := range s.knobs[s.knob].Values {
			if !s.out[s.knob][f] {
				s.arms = append(s.arms, f)
			}
		}
		if len(s.arms) > 1 {
			return
		}
	}
}

// round begins another one, in the opposite order so that a drift weighs on all alike, without forms that have no
// chance; or none, where it was the last.
func (s *Search) round() {
	fastest := math.Inf(1)
	for f, r := range s.rates[s.knob] {
		if len(r) > 0 && !s.out[s.knob][f] {
			fastest = min(fastest, median(r))
		}
	}
	s.arms = slices.DeleteFunc(s.arms, func(f int) bool {
		return f != 0 && median(s.rates[s.knob][f]) > hopeless*fastest
	})
	slices.Reverse(s.arms)
	s.turn, s.made = 0, 0
	s.closing = len(s.arms) < 2 || s.rounds >= s.wanted()
	s.rounds++
}

// wanted is how many rounds each knob gets, so that all keep to the budget.
func (s *Search) wanted() int {
	forms := 0
	for _, k := range s.knobs {
		if n := len(k.Values); n > 1 {
			forms += n
		}
	}
	return min(most, max(least, budget/max(1, forms)))
}

// measured takes a measurement of a form of the knob.
func (s *Search) measured(form int, rate float64) {
	if rate > absurd*s.usual(form) {
		s.odd[s.knob][form]++
		if s.strange++; s.strange >= patience {
			s.GiveUp("steps took far longer than just before")
		} else if s.odd[s.knob][form] >= patience-1 {
			s.Refuse(s.knob, form)
		}
		return
	}
	s.strange, s.odd[s.knob][form] = 0, 0
	s.rates[s.knob][form] = append(s.rates[s.knob][form], rate)
}

// usual is what a form took so far, or the first one, or the steps before any was measured.
func (s *Search) usual(form int) float64 {
	for _, f := range []int{form, 0} {
		if r := s.rates[s.knob][f]; len(r) > 0 {
			return median(r)
		}
	}
	return median(s.settled(s.unit))
}

// decide is the form to take: the fastest where it gains more than a little and more than noise, else the first.
func (s *Search) decide() int {
	rates, best := s.rates[s.knob], 0
	for f, r := range rates {
		if !s.out[s.knob][f] && len(r) > 1 && median(r) < median(rates[best]) {
			best = f
		}
	}
	a, b := rates[0], rates[best]
	if of := median(a) / median(b); of > gain && of-1 > certain*noise(rates)*math.Sqrt(1/float64(len(a))+1/float64(len(b))) {
		return best
	}
	return 0
}

// noise is the relative standard deviation of measurements, for normally distributed ones times what a median is less
// sure of than a mean. It is had from all forms together, since each has few.
func noise(rates [][]float64) float64 {
	const sigma, medians = 1.4826, 1.2533
	var d []float64
	for _, r := range rates {
		m := median(r)
		for _, v := range r {
			if v != m { // the median itself is not away from it however great the noise is
				d = append(d, math.Abs(v/m-1))
			}
		}
	}
	return sigma * medians * median(d)
}

// median is the middle of x, or 0.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	y := slices.Sorted(slices.Values(x))
	return (y[(len(y)-1)/2] + y[len(y)/2]) / 2
}

// spread is the median distance from the median.
func spread(x []float64) float64 {
	m := median(x)
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - m)
	}
	return median(d)
}
