package tune

import "math"

// Rules of a search.
const (
	budget    = 40   // steps in all, where one step is enough for a measurement
	least     = 3    // measurements of a form that comes into question
	most      = 6    // and of any form
	gain      = 1.05 // how many times faster than the first form another one must be
	certain   = 2    // and by how many standard errors
	hopeless  = 1.4  // times the fastest: not measured again
	absurd    = 8    // times what is usual: no measurement, something came between
	patience  = 3    // absurd ones, one after another, until the search is given up; one less for a form
	settling  = 4    // steps in the first forms, from which the measure of a step's work is taken
	slowest   = 64   // steps that a measurement may take on a coarse clock
	grainTick = 20   // ticks of a coarse clock that a measurement takes at least
	mostBlind = 200  // steps without a time, one after another, until the search is given up
)

// Search finds for each knob, one after another, the form in which steps take the least time. A knob is a choice among
// forms of kernels, of which the first needs no measurement: it is good everywhere, if not the fastest. A search is
// told of steps that are made anyway, and knows no device and no clock. Steps may be under way while further ones
// begin.
//
// (Here and in package webgpu's Tuner plain loops stand for what package slices has: its functions are made anew for
// each type, and the page's program must stay small.)
type Search struct {
	Ended string  // why the search was given up; empty: it was not
	Best  []int   // the form of each knob that is decided, else the first
	Knob  int     // that is being decided; those before it are
	tick  float64 // of the clock, s
	arms  [][]arm // of each knob

	before [settling * slowest]sample // steps in the first forms, before the first knob
	many   int                        // of them
	total  float64                    // their seconds
	unit   int                        // which measure of work there is, see sample.per
	length int                        // steps of a measurement; 0: it is not known yet

	order   []int // forms of the knob that are measured, in the order of this round
	turn    int   // place in order
	made    int   // steps of the measurement that were begun
	rounds  int   // that were begun
	wanted  int   // rounds of a knob
	closing bool  // the last round's measurements are waited for
	flight  []ticket
	sum     float64 // of the rates of the measurement that comes in
	good    int     // its steps
	blind   int     // steps of no worth, one after another
	strange int     // absurd measurements, one after another
}

// arm is what is known of a form.
type arm struct {
	rates []float64 // measurements, in seconds a unit of work
	odd   int       // absurd ones, one after another
	out   bool      // it is not to be tried
}

// ticket is a step that is under way.
type ticket struct {
	knob, form int // form −1: of none
	last       bool
}

// sample is a step.
type sample struct {
	seconds         float64
	tokens, longest int
}

// per is seconds a unit of work: of a step, a token, or a token of the longest sequence. Which of them explains the
// times best depends on how many sequences the device works on at a time.
func (x sample) per(unit int) float64 {
	switch unit {
	case 1:
		return x.seconds / float64(max(1, x.tokens))
	case 2:
		return x.seconds / float64(max(1, x.longest))
	}
	return x.seconds
}

// NewSearch looks for the best forms of knobs, each of which has so many, two at least, on a clock whose tick is so
// many seconds; 0: a fine one.
func NewSearch(forms []int, tick float64) *Search {
	s := &Search{tick: tick, Best: make([]int, len(forms))}
	all := 0
	for _, n := range forms {
		s.arms = append(s.arms, make([]arm, n))
		all += n
	}
	s.wanted = min(most, max(least, budget/max(1, all)))
	return s
}

// Done tells whether all knobs are decided, or the search was given up.
func (s *Search) Done() bool { return s.Ended != "" || s.Knob == len(s.arms) }

// Seconds are a step's in a form at its median, for the work of the steps before the search; 0: it was not measured.
func (s *Search) Seconds(knob, form int) float64 {
	r := s.arms[knob][form].rates
	if len(r) == 0 {
		return 0
	}
	return median(r) / median(s.rates()) * s.total / float64(s.many)
}

// Refuse takes a form out. The first one of a knob stays.
func (s *Search) Refuse(knob, form int) {
	s.arms[knob][form].out = form > 0
}

// Next begins a step and gives the form of the knob that is being decided; the others have theirs in Best.
func (s *Search) Next() (knob, form int) {
	if s.Done() {
		return 0, s.Best[0]
	}
	x := ticket{s.Knob, -1, false}
	if s.length > 0 {
		for !s.closing && (s.turn >= len(s.order) || s.arms[s.Knob][s.order[s.turn]].out) {
			s.made = 0
			if s.turn++; s.turn >= len(s.order) {
				s.round()
			}
		}
		if !s.closing {
			x.form = s.order[s.turn]
			if s.made++; s.made == s.length {
				x.last, s.made = true, 0
				s.turn++
			}
		}
	}
	s.flight = append(s.flight, x)
	return s.Knob, max(0, x.form)
}

// round begins another one, in the opposite order so that a drift weighs on all alike, without forms that have no
// chance; or none, where it was the last.
func (s *Search) round() {
	arms := s.arms[s.Knob]
	fastest := math.Inf(1)
	for f := range arms {
		if m := median(arms[f].rates); m > 0 && !arms[f].out {
			fastest = min(fastest, m)
		}
	}
	var order []int
	for i := len(s.order) - 1; i >= 0; i-- {
		f := s.order[i]
		if f == 0 || !arms[f].out && median(arms[f].rates) <= hopeless*fastest {
			order = append(order, f)
		}
	}
	s.order, s.turn, s.made = order, 0, 0
	s.closing = len(order) < 2 || s.rounds >= s.wanted
	s.rounds++
}

// enter begins with a knob.
func (s *Search) enter(knob int) {
	s.Knob, s.rounds, s.closing, s.order, s.turn, s.made = knob, 1, false, nil, 0, 0
	s.sum, s.good = 0, 0
	if knob < len(s.arms) {
		for f := range s.arms[knob] {
			s.order = append(s.order, f)
		}
	}
}

// Add takes in the first of the steps that are under way: its seconds and its work. Seconds that are not above 0 are
// of no worth.
func (s *Search) Add(seconds float64, tokens, longest int) {
	if s.Done() || len(s.flight) == 0 {
		return
	}
	x := s.flight[0]
	s.flight = append(s.flight[:0], s.flight[1:]...)
	took := sample{seconds, tokens, longest}
	if !(seconds > 0) || math.IsInf(seconds, 0) {
		if s.blind++; s.blind > mostBlind {
			s.Ended = "the times of steps could not be taken"
		}
	} else if s.blind = 0; s.length == 0 {
		s.settle(took)
		return
	} else if x.form >= 0 && x.knob == s.Knob {
		s.sum += took.per(s.unit)
		s.good++
	}
	if x.last && x.knob == s.Knob {
		if s.good == s.length {
			s.measured(x.form, s.sum/float64(s.length))
		}
		s.sum, s.good = 0, 0
	}
	if s.closing && !s.Done() {
		for _, t := range s.flight {
			if t.form >= 0 {
				return
			}
		}
		s.Best[s.Knob] = s.decide()
		s.enter(s.Knob + 1)
	}
}

// settle takes the first steps. Then it chooses the measure of work, the one whose rate varies least, and how many
// steps make a measurement.
func (s *Search) settle(x sample) {
	s.before[s.many] = x
	s.many++
	s.total += x.seconds
	grain := grainTick * s.tick
	if s.many < settling || s.total < grain && s.many < len(s.before) {
		return
	}
	best, least := 0, math.Inf(1)
	for s.unit = range 3 {
		if r := noise([]arm{{rates: s.rates()}}); r < 0.9*least { // a simpler one where there is little between them
			best, least = s.unit, r
		}
	}
	s.unit = best
	s.length = max(1, min(slowest, int(math.Ceil(grain*float64(s.many)/s.total))))
	s.enter(0)
}

// rates are those of the steps before the first knob.
func (s *Search) rates() (list []float64) {
	for _, x := range s.before[:s.many] {
		list = append(list, x.per(s.unit))
	}
	return list
}

// measured takes a measurement of a form of the knob.
func (s *Search) measured(form int, rate float64) {
	a := &s.arms[s.Knob][form]
	usual := median(a.rates)
	if usual == 0 {
		usual = median(s.arms[s.Knob][0].rates)
	}
	if usual == 0 {
		usual = median(s.rates())
	}
	if rate <= absurd*usual {
		s.strange, a.odd = 0, 0
		a.rates = append(a.rates, rate)
		return
	}
	a.odd++
	if s.strange++; s.strange >= patience {
		s.Ended = "steps took far longer than just before"
	} else if a.odd >= patience-1 {
		s.Refuse(s.Knob, form)
	}
}

// decide is the form to take: the fastest where it gains more than a little and more than noise, else the first.
func (s *Search) decide() int {
	arms, best := s.arms[s.Knob], 0
	for f := range arms {
		a := &arms[f]
		if !a.out && len(a.rates) > 1 && median(a.rates) < median(arms[best].rates) {
			best = f
		}
	}
	a, b := arms[0].rates, arms[best].rates
	of := median(a) / median(b)
	if of > gain && of-1 > certain*noise(arms)*math.Sqrt(1/float64(len(a))+1/float64(len(b))) {
		return best
	}
	return 0
}

// noise is the relative standard deviation of measurements, for normally distributed ones times what a median is less
// sure of than a mean. It is had from all forms together, since each has few.
func noise(arms []arm) float64 {
	const sigma, medians = 1.4826, 1.2533
	var d []float64
	for i := range arms {
		m := median(arms[i].rates)
		for _, v := range arms[i].rates {
			if v != m { // the median itself is not away from it however great the noise is
				d = append(d, math.Abs(v/m-1))
			}
		}
	}
	return sigma * medians * median(d)
}

// median is the middle of x, or 0.
func median(x []float64) float64 {
	n := len(x)
	if n == 0 {
		return 0
	}
	y := make([]float64, n)
	for i, v := range x {
		for ; i > 0 && y[i-1] > v; i-- {
			y[i] = y[i-1]
		}
		y[i] = v
	}
	return (y[(n-1)/2] + y[n/2]) / 2
}
