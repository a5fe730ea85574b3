package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// step is one of a machine's.
type step struct {
	seconds         float64
	tokens, longest int
}

// machine stands for a device whose steps take what it says: base seconds a unit of work and a share of each knob's
// form.
type machine struct {
	cost  [][]float64 // of each form, s
	base  float64     // of all else, s
	noise float64     // relative standard deviation
	drift float64     // relative growth a step
	work  func(step int) (tokens, longest int)
	share func(step) float64 // of the work in the time; 1 where it is the usual
	odd   func(step int) float64
	// behind is how many steps begin before the first one's time comes in.
	behind int
	before func(step int)
}

// run makes steps, of which that many are under way at a time, until the search ends.
func (m machine) run(t *testing.T, s *Search, seed uint64) (steps int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var flight []step
	now := 0.0
	shown := func() float64 {
		if s.tick > 0 { // what such a clock shows
			return math.Floor(now/s.tick) * s.tick
		}
		return now
	}
	for ; !s.Done(); steps++ {
		assert.Need(t, steps <= 2000, "the search does not end")
		if m.before != nil {
			m.before(steps)
		}
		x := step{m.base, 1000, 50}
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

// forms are those of two knobs.
var forms = []int{3, 3}

// TestSearch: the fastest forms are found under noise, a drift and a coarse clock; one that gains less than five
// percent is not taken.
func TestSearch(t *testing.T) {
	usual := machine{
		base: 0.5e-3,
		cost: [][]float64{{0.6e-3, 0.3e-3, 0.5e-3}, {0.8e-3, 4e-3, 0.79e-3}},
	}
	const fine = settling + 2*3*rounds*shortest + 8
	sometimes := func(odd float64) func(*machine) {
		return func(m *machine) {
			m.odd = func(step int) float64 {
				if step%40 == 11 {
					return odd
				}
				return 1
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*machine)
		tick   float64
		most   int
	}{
		"plain": {most: fine},
		"noise": {change: func(m *machine) { m.noise = 0.03 }, most: fine},
		"drift": {change: func(m *machine) { m.drift = 0.001 }, most: fine},
		"tokens": {change: func(m *machine) {
			m.work = func(i int) (int, int) { return 1000 + 397*(i*i%7), 50 + i%3 }
			m.share = func(x step) float64 { return float64(x.tokens) / 1000 }
		}, most: fine},
		"longest": {change: func(m *machine) {
			m.work = func(i int) (int, int) { return 1000 + 37*(i%4), 30 + 11*(i*i%7) }
			m.share = func(x step) float64 { return float64(x.longest) / 30 }
		}, most: fine},
		"coarse clock":          {tick: 1e-3, change: func(m *machine) { m.noise = 0.01 }, most: 900},
		"a pause":               {change: sometimes(50), most: fine},
		"a step without a time": {change: sometimes(math.NaN()), most: fine},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				m := usual
				m.behind = int(seed % 3)
				if c.change != nil {
					c.change(&m)
				}
				s := NewSearch(forms, c.tick)
				n := m.run(t, s, seed)
				assert.True(t, n <= c.most, "seed %d: %d steps", seed, n)
				assert.Is(t, s.Best, []int{1, 0}, "seed %d", seed)
			}
		})
	}
}

// TestSearchTakesNoLittle: between forms that are alike the first one stays, whatever the noise.
func TestSearchTakesNoLittle(t *testing.T) {
	changed := 0
	for seed := range uint64(200) {
		m := machine{noise: 0.02, cost: [][]float64{{1e-3, 0.98e-3, 1e-3}, {1e-3, 1e-3, 0.97e-3}}}
		s := NewSearch(forms, 0)
		m.run(t, s, seed)
		if !slices.Equal(s.Best, []int{0, 0}) {
			changed++
		}
	}
	assert.True(t, changed <= 10, "%d of 200 searches took a form that gains three percent or less", changed)
}

// TestSearchRefuses: a form that fails is not tried again, at whatever time it fails, and the others are.
func TestSearchRefuses(t *testing.T) {
	m := machine{cost: [][]float64{{1e-3, 0.2e-3, 0.5e-3}, {1e-3, 0.2e-3, 0.5e-3}}}
	for at := range settling + 2*3*rounds*shortest {
		s := NewSearch(forms, 0)
		m.behind = at % 3
		m.before = func(step int) {
			if step == at {
				for k := range forms {
					s.Refuse(k, 1)
					s.Refuse(k, 0) // stays
				}
			}
		}
		begun := len(forms)
		m.odd = func(step int) float64 {
			if step == at {
				begun = s.Knob
			}
			x := s.flight[len(s.flight)-1]
			assert.Need(t, step < at || x == nil || x.form != 1,
				"refused at %d: form 1 of knob %d is tried at step %d", at, s.Knob, step)
			return 1
		}
		m.run(t, s, 1)
		for k, f := range s.Best {
			assert.True(t, f == 2 || k == begun || f == 1 && k < begun,
				"refused at %d, in knob %d: knob %d has form %d", at, begun, k, f)
		}
	}
}

// TestSearchBlind: a search that never gets a time ends, in the first forms.
func TestSearchBlind(t *testing.T) {
	for _, none := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s := NewSearch(forms, 0)
		for n := 0; !s.Done(); n++ {
			assert.Need(t, n <= 200, "the search does not end")
			s.Next()
			s.Add(none, 1, 1)
		}
		assert.Is(t, s.Best, []int{0, 0}, "%v", none)
		assert.Is(t, s.Seconds(0, 0), 0, "%v: seconds", none)
	}
}

// TestSearchTimes: the table has seconds a step for each form that was measured.
func TestSearchTimes(t *testing.T) {
	m := machine{cost: [][]float64{{1e-3, 0.5e-3}}}
	s := NewSearch([]int{2}, 0)
	m.run(t, s, 1)
	assert.Is(t, fmt.Sprintf("%.4g %.4g", s.Seconds(0, 0), s.Seconds(0, 1)), "0.001 0.0005", "times")
}
