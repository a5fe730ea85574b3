package probe

import (
	"math"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/tasks/assert"
)

// halved is the hand-built network with one half-turn clock in the place of its first clock, and, where flips is set,
// in the place of its second the unit that tells the ends apart. A digit d turns the clock by the d-th ninth of half a
// turn, at most a quarter to either side. That is −4·d ninths of a turn, but for half a turn after 1, 3, 6 and 8: the
// second unit turns by half after these.
func halved(t *testing.T, flips bool) sequence.Network {
	t.Helper()
	n := handBuilt(t, 2)
	flat := assert.Must(n.Params().Download(n.Params().Values()))(t)
	const slope, steep = 2, 20
	tilt := func(sine float64) float64 { return math.Atanh(math.Asin(sine) / math.Pi) }
	b := builder{n: n, flat: flat}
	b.set("blocks.0.theta_h.weight", firstHand+1, handWidth+firstSign+1, steep)
	for d := range 10 {
		turn, other := math.Remainder(math.Pi*float64(d)/9, math.Pi), 0.0
		if flips && (d == 1 || d == 3 || d == 6 || d == 8) {
			other = 0.5
		}
		b.set("blocks.0.theta.weight", firstSign, d, tilt(math.Atanh(turn/math.Pi)/slope))
		b.set("blocks.0.theta.weight", firstSign+1, d, tilt(other))
	}
	n.Params().Upload(b.flat)
	return n
}

// TestHalfTurns: a half-turn clock that was built in is found with its frequency, and its partner if there is one. It
// is no clock, and clocks are no half-turn clocks.
func TestHalfTurns(t *testing.T) {
	s := flat(t, 100)
	for _, flips := range []bool{true, false} {
		n := halved(t, flips)
		m := assert.Must(s.Measure(n))(t)
		list := assert.Must(s.HalfTurns(n, m))(t)
		assert.Need(t, len(list) == 1, "flips %v: found %+v", flips, list)
		h, p := list[0], list[0].Partner
		assert.Need(t, h.Unit == firstHand && h.K == 1 && h.At == AfterOperand && h.R >= 0.99 &&
			math.Abs(h.Offset) <= 0.1 && h.Samples >= 100 && h.Chance <= 0.5, "flips %v: found %+v", flips, h)
		assert.True(t, (p != nil) == flips && (!flips || p.Unit == firstHand+1 && p.K == -4 && p.R >= 0.99),
			"flips %v: the partner is %+v", flips, p)
		clocks := m.Clocks()
		assert.True(t, len(clocks) == 0, "flips %v: clocks are %+v", flips, clocks)
	}
	r, err := s.Report(handBuilt(t, 3), false, nil)
	assert.True(t, err == nil && len(r.Clocks) == 3 && len(r.HalfTurns) == 0, "of clocks: %+v, %v", r, err)
}

// TestHalfTurnsShipped: the page's default model keeps its sum in half-turn clocks with partners; in the model with
// clocks there is none.
func TestHalfTurnsShipped(t *testing.T) {
	for _, x := range []struct {
		name  string
		least int
	}{{"arithmetic", 2}, {"clocks", 0}} {
		n, s, _ := shipped(t, x.name, 100)
		list := assert.Must(s.Report(n, false, nil))(t).HalfTurns
		assert.Need(t, len(list) >= x.least && (x.least != 0 || len(list) == 0), "%s: found %+v", x.name, list)
		for _, h := range list[:x.least] {
			assert.True(t, h.R >= 0.95 && h.Partner != nil && h.Partner.R >= 0.8,
				"%s: %+v, its partner %+v", x.name, h, h.Partner)
		}
	}
}
