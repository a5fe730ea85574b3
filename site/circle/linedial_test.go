package circle

import (
	"math"

	"testing"

	"mhacsp/tasks/assert"
)

// lineDials are dials of one half-turn clock for the tokens of sum. Its hand follows the value up to mod; its own unit
// stands at the other end of its line from where the partner says, if wrong is set.
func lineDials(wrong bool) *Dials {
	values := []int{0, 0, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5}
	e := &Ends{Partner: 4}
	h := Hand{Unit: 2, K: 1, R: 0.99, Ends: e}
	d := &Dials{Modulus: 9, Values: values, Lit: make([][]int, len(values)), Steers: make([][]int, len(values))}
	for t, v := range values {
		angle := DigitPhase(v, 9)
		h.Angles, h.Sure = append(h.Angles, angle), append(h.Sure, 0.99)
		e.Own, e.Flag = append(e.Own, angle/2), append(e.Flag, angle/2)
		if wrong {
			e.Flag[t] += math.Pi
		}
		if t < 2 || t > 9 {
			h.Sure[t] = 0.4
		}
		d.Changes, d.Signs = append(d.Changes, 0), append(d.Signs, 1)
	}
	d.Changes[2], d.Changes[6] = 2, 3
	d.Hands = []Hand{h}
	return d
}

// TestLineDial: the dial of a half-turn clock names both units, draws the unit itself at its end of the line and the
// flag at the end that the partner says, and from where the unit is rewritten says so.
func TestLineDial(t *testing.T) {
	v := shown(t, sample(sum, 12, 6, 2, 9), 1280, 720)
	v.SetClocks(true)
	v.Seek(7)
	flags := map[bool]Point{}
	for _, wrong := range []bool{false, true} {
		assert.NoError(t, v.SetDials(lineDials(wrong)))
		r := record(t, v)
		for _, words := range []string{"units 2 and 4, R 0.99", "the unit itself turns half of it", "+1: 40°"} {
			assert.True(t, r.says(words), "the dial does not say %q", words)
		}
		assert.Says(t, v.describeDials(), "The hand of unit 2 points at 5.")
		for i, line := range r.lines { // the pole of the flag is drawn after the diameter
			if i > 0 && len(line) == 2 && len(r.lines[i-1]) == 2 && poleOf(r.lines[i-1], line) {
				flags[wrong] = line[0]
			}
		}
	}
	a, b := flags[false], flags[true]
	assert.True(t, a != (Point{}) && b != (Point{}) && math.Hypot(a.X-b.X, a.Y-b.Y) >= 20,
		"the flag stands at %v, at the other end at %v", a, b)
	v.Seek(14)
	assert.Says(t, v.describeDials(), "Unit 2 no longer keeps the sum.")
	assert.True(t, record(t, v).says("no longer kept: the answer is made"), "behind = the dial does not say so")
	d := lineDials(false)
	d.Hands[0].Ends.Flag = d.Hands[0].Ends.Flag[1:]
	assert.OneLine(t, "a flag less", v.SetDials(d))
}

// poleOf reports whether a line begins at an end of a diameter and leads away from its middle.
func poleOf(diameter, line []Point) bool {
	far := func(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
	c := Point{(diameter[0].X + diameter[1].X) / 2, (diameter[0].Y + diameter[1].Y) / 2}
	return (line[0] == diameter[0] || far(line[0], diameter[1]) < 1e-6) && far(line[1], c) > 1.5*far(line[0], c)
}
