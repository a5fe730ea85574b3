package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// machine stands for a device whose steps take what it says: base seconds a unit of work beside a share of each knob's
// form.
type machine struct {
	cost  [][]float64 // of each form, s
	base  float64     // of all else, s
	noise float64     // relative standard deviation
	drift float64     // relative growth a step
	work  func(step int) (tokens, longest int)
	share func(sample) float64 // of the work in the time; 1 where it is the usual
	odd   func(step int) float64
	// behind is how many steps begin before the first one's time comes in.
	behind int
	before func(step int)
}

// run makes steps, of which so many are under way at a time, until the search ends.
func (m machine) run(t *testing.T, s *Search, seed uint64) (steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var flight []sample
	now := 0.0
	shown := func() float64 {
		if s.tick > 0 { // what such a clock shows
			return math.Floor(now/s.tick) * s.tick
		}
		return now
	}
	for ; !s.Done(); steps++ {
		if steps > 2000 {
			t.Fatal("the search does not end")
		}
		if m.before != nil {
			m.before(steps)
		}
		x := sample{m.base, 1000, 50}
		knob, form := s.Next()
		for k, f := range s.Best {
			if k == knob {
				f = form
			}
			x.seconds += m.cost[k][f]
		}
		if m.work != nil {
			x.tokens, x.longest = m.work(steps)
		}
		if m.share != nil {
			x.seconds *= m.share(x)
		}
		x.seconds *= (1 + m.noise*r.NormFloat64()) * math.Pow(1+m.drift, float64(steps))
		if m.odd != nil {
			x.seconds *= m.odd(steps)
		}
		flight = append(flight, x)
		if len(flight) > m.behind {
			begin := shown()
			if x := flight[0].seconds; math.IsNaN(x) {
				begin = now + 1 // no time is known
			} else {
				now += x
			}
			s.Add(shown()-begin, flight[0].tokens, flight[0].longest)
			flight = flight[1:]
		}
	}
	return steps
}

// three are the forms of three knobs.
var three = []int{4, 4, 3}

// TestSearch: the fastest forms are found under noise, a drift and a coarse clock, in about forty steps; one that
// gains less than five percent is not taken.
func TestSearch(t *testing.T) {
	usual := machine{
		base: 0.5e-3,
		cost: [][]float64{{0.6e-3, 0.3e-3, 0.5e-3, 0.9e-3}, {0.8e-3, 4e-3, 0.79e-3, 0.3e-3}, {0.2e-3, 0.2e-3, 0.2e-3}},
	}
	want := []int{1, 3, 0}
	for name, c := range map[string]struct {
		change func(*machine)
		tick   float64
		most   int
	}{
		"plain": {most: 45},
		"noise": {change: func(m *machine) { m.noise = 0.03 }, most: 45},
		"drift": {change: func(m *machine) { m.drift = 0.002 }, most: 45},
		"tokens": {change: func(m *machine) {
			m.work = func(i int) (int, int) { return 1000 + 397*(i*i%7), 50 + i%3 }
			m.share = func(x sample) float64 { return float64(x.tokens) / 1000 }
		}, most: 45},
		"longest": {change: func(m *machine) {
			m.work = func(i int) (int, int) { return 1000 + 37*(i%4), 30 + 11*(i*i%7) }
			m.share = func(x sample) float64 { return float64(x.longest) / 30 }
		}, most: 45},
		"coarse clock": {tick: 1e-3, change: func(m *machine) { m.noise = 0.01 }, most: 500},
		"odd steps": {change: func(m *machine) {
			m.odd = func(step int) float64 {
				if step%9 == 5 {
					return 50
				}
				return 1
			}
		}, most: 55},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				m := usual
				m.behind = int(seed % 3)
				if c.change != nil {
					c.change(&m)
				}
				s := NewSearch(three, c.tick)
				if n := m.run(t, s, seed); n > c.most {
					t.Errorf("%d steps", n)
				}
				got := slices.Clone(s.Best)
				if m.noise > 0.02 {
					got[2] = want[2] // now and then one of the three, which are alike
				}
				if s.Ended != "" || !slices.Equal(got, want) {
					t.Errorf("seed %d: %v (%q), want %v", seed, s.Best, s.Ended, want)
				}
			}
		})
	}
}

// TestSearchTakesNoLittle: between forms that are alike the first one stays, whatever the noise.
func TestSearchTakesNoLittle(t *testing.T) {
	changed := 0
	for seed := range uint64(200) {
		m := machine{noise: 0.02, cost: [][]float64{
			{1e-3, 0.98e-3, 1e-3, 1e-3}, {1e-3, 1e-3, 0.97e-3, 1e-3}, {1e-3, 1e-3, 1e-3},
		}}
		s := NewSearch(three, 0)
		m.run(t, s, seed)
		if !slices.Equal(s.Best, []int{0, 0, 0}) {
			changed++
		}
	}
	if changed > 10 {
		t.Errorf("%d of 200 searches took a form that gains three percent or less", changed)
	}
}

// TestSearchRefuses: a form that fails is not tried again, at whatever time it fails, and the others are.
func TestSearchRefuses(t *testing.T) {
	m := machine{cost: [][]float64{
		{1e-3, 0.2e-3, 0.5e-3, 2e-3}, {1e-3, 0.2e-3, 0.5e-3, 2e-3}, {1e-3, 0.2e-3, 0.5e-3},
	}}
	for at := range 60 {
		s := NewSearch(three, 0)
		m.behind = at % 3
		m.before = func(step int) {
			if step == at {
				for k := range three {
					s.Refuse(k, 1)
					s.Refuse(k, 0) // stays
				}
			}
		}
		begun := len(three)
		m.odd = func(step int) float64 {
			if step == at {
				begun = s.Knob
			}
			if x := s.flight[len(s.flight)-1]; step >= at && x.form == 1 {
				t.Fatalf("refused at %d: form 1 of knob %d is tried at step %d", at, x.knob, step)
			}
			return 1
		}
		m.run(t, s, 1)
		for k, f := range s.Best {
			if f != 2 && k != begun && (f != 1 || k > begun) {
				t.Errorf("refused at %d, in knob %d: knob %d has form %d", at, begun, k, f)
			}
		}
	}
}

// TestSearchGivesUp: where every step has become absurdly long, as in a hidden tab, the search ends and says so; a
// form that is absurdly slow ends nothing.
func TestSearchGivesUp(t *testing.T) {
	m := machine{cost: [][]float64{
		{1e-3, 0.2e-3, 1e-3, 1e-3}, {1e-3, 1e-3, 1e-3, 1e-3}, {1e-3, 100e-3, 0.3e-3},
	}}
	s := NewSearch(three, 0)
	m.run(t, s, 1)
	if want := []int{1, 0, 2}; s.Ended != "" || !slices.Equal(s.Best, want) {
		t.Errorf("a slow form: %v (%q), want %v", s.Best, s.Ended, want)
	}
	for at := range 30 {
		m.odd = func(step int) float64 {
			if step >= at && at > 3 {
				return 1000
			}
			return 1
		}
		s := NewSearch(three, 0)
		if n := m.run(t, s, 1); n > at+20 && at > 3 {
			t.Errorf("hidden at %d: ends after %d steps", at, n)
		}
		if at > 3 && !strings.Contains(s.Ended, "far longer") {
			t.Errorf("hidden at %d: ended is %q", at, s.Ended)
		}
	}
}

// TestSearchBlind: a search that never gets a time ends and says so; a block of steps of which one has none is made
// again.
func TestSearchBlind(t *testing.T) {
	m := machine{cost: [][]float64{{1e-3, 1e-3, 1e-3, 1e-3}, {1e-3, 0.3e-3, 1e-3, 1e-3}, {0, 0, 0}}}
	m.odd = func(int) float64 { return 0 }
	s := NewSearch(three, 0)
	m.run(t, s, 1)
	if s.Ended == "" || s.Knob != 0 {
		t.Errorf("%v (%q)", s.Best, s.Ended)
	}
	m.odd = func(step int) float64 {
		if step%50 == 30 {
			return math.NaN()
		}
		return 1
	}
	s = NewSearch(three, 0.2e-3)
	m.run(t, s, 1)
	if s.Ended != "" || s.Knob != 3 || !slices.Equal(s.Best, []int{0, 1, 0}) {
		t.Errorf("%v (%q)", s.Best, s.Ended)
	}
}

// TestSearchTimes: the table has seconds a step for each form that was measured.
func TestSearchTimes(t *testing.T) {
	knobs := []int{2}
	m := machine{cost: [][]float64{{1e-3, 0.5e-3}}}
	s := NewSearch(knobs, 0)
	steps := m.run(t, s, 1)
	if got := fmt.Sprintf("%.4g %.4g", s.Seconds(0, 0), s.Seconds(0, 1)); got != "0.001 0.0005" {
		t.Errorf("times %s", got)
	}
	if steps > 20 {
		t.Errorf("%d steps for two forms", steps)
	}
	for _, wrong := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s := NewSearch(knobs, 0)
		s.Next()
		s.Add(wrong, 0, 0)
		if s.many > 0 {
			t.Errorf("%v is taken for a time", wrong)
		}
	}
}
