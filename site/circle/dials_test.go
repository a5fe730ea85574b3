package circle

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

// ticking are dials of the text sum, whose two hands, +1 and −2 times round, follow the sum exactly one token after
// each of its digits (2 at token 2, 3 at token 6); at the digits they are not to be relied on.
func ticking() *Dials {
	d := &Dials{Modulus: 9, Hands: []Hand{{Unit: 3, K: 1, R: 0.9}, {Unit: 5, K: -2, R: 0.9}}}
	value, seen := 0, 0
	for t := range sum {
		change := map[int]int{2: 2, 6: 3}[t]
		value += change
		d.Values, d.Changes, d.Signs = append(d.Values, value), append(d.Changes, change), append(d.Signs, 1)
		d.Lit, d.Steers = append(d.Lit, nil), append(d.Steers, nil)
		for i := range d.Hands {
			h := &d.Hands[i]
			h.Angles = append(h.Angles, math.Remainder(float64(seen)*h.step(9), 2*math.Pi))
			h.Sure = append(h.Sure, map[bool]float64{true: 0.9, false: 0.5}[change == 0])
		}
		seen = value
	}
	for a := range 9 {
		d.Answers = append(d.Answers, string(rune('0'+a)))
		d.Rest, d.Sum, d.Probabilities = append(d.Rest, 0), append(d.Sum, 0), append(d.Probabilities, 0.01)
		for i := range d.Hands {
			h := &d.Hands[i]
			h.Votes = append(h.Votes, math.Cos(float64(a-5)*h.step(9)))
			d.Sum[a] += h.Votes[a]
		}
	}
	d.Probabilities[5] = 0.92
	return d
}

// TestHandsPointAtTheSum: from one stand to the next a hand turns as the digit turns it, and by no whole turn more or
// less; at the digit itself it waits; it points at the sum.
func TestHandsPointAtTheSum(t *testing.T) {
	d := ticking()
	for i := range d.Hands {
		h := &d.Hands[i]
		for _, x := range []struct{ at, value int }{{1, 0}, {2, 0}, {3, 2}, {6, 2}, {7, 5}, {len(sum) - 1, 5}} {
			angle, _, _ := d.course(h, x.at)
			want := float64(x.value) * h.step(9)
			assert.True(t, math.Abs(angle-want) <= 1e-9,
				"unit %d, token %d: the hand stands at %.3f, want %.3f", h.Unit, x.at, angle, want)
		}
		angle, _, turns := d.course(h, len(sum)-1)
		assert.Is(t, d.pointsAt(h, angle), "5", "unit %d points at", h.Unit)
		last := turns[len(turns)-1]
		assert.True(t, last.change == 3 && math.Abs(last.to-last.from-3*h.step(9)) <= 1e-9,
			"unit %d: the last turn is %+v", h.Unit, last)
		assert.True(t, len(turns) == 2 && turns[0].change == 2 && turns[0].to == turns[1].from,
			"unit %d: the turns do not lie end to end: %+v", h.Unit, turns)
	}
	assert.Is(t, d.pointsAt(&Hand{K: 3}, 0), "0 and 3 and 6", "a hand that goes three times round points at")
}

// TestDialsScene: at every size the dials, their words and votes stand inside; the words say what turned the hands,
// the votes come at the end, a cut clock is called so, and where there is none the reason stands there.
func TestDialsScene(t *testing.T) {
	for _, size := range [][2]float64{{1280, 720}, {560, 600}, {358, 560}, {300, 300}} {
		v := shown(t, sample(sum, 12, 6, 2, 9), size[0], size[1])
		v.SetClocks(true)
		assert.True(t, record(t, v).says(looking+" …"), "%v: it does not say that it looks for clocks", size)
		d := ticking()
		assert.NoError(t, v.SetDials(d))
		for _, at := range []int{2, 3, 7, len(sum) - 1} {
			v.player.jump(at)
			r := record(t, v)
			r.inside(t, at, size)
			if size[0] < 400 {
				continue
			}
			for words, want := range map[string]bool{
				"+2 was read: the hands turn with the next character": at == 2,
				"+2: 2 × 40° = 80°":                                   at == 3,
				"+2: 2 × −80° = −160°":                                at == 3,
				"+3: 3 × 40° = 120°":                                  at >= 7,
				"How the clocks vote for each answer":                 at == len(sum)-1,
				"+1: 40°":                                             true, "+1: 80° back": true,
			} {
				assert.True(t, r.says(words) == want, "%v, token %d: says %q: %v", size, at, words, !want)
			}
		}
		assert.Says(t, v.Describe(), "The hand of unit 5 points at 5.", "The votes add up to 5, 92 % sure.")
		cut := ticking()
		cut.Hands[0].Cut = true
		v.SetDials(cut)
		assert.True(t, size[0] <= 400 || record(t, v).says("cut: nobody reads it"), "%v: no clock is called cut", size)
		v.SetDials(&Dials{None: []string{"No clock was found.", "The best unit has R 0.44."}})
		assert.True(t, record(t, v).says("No clock was found."), "%v: it does not say that there is none", size)
	}
}

// TestDialsFit: however little room there is, every dial is drawn, large enough to be read, and apart from the others.
func TestDialsFit(t *testing.T) {
	for _, size := range [][2]float64{
		{1280, 720}, {866, 252}, {700, 221}, {358, 560}, {354, 288}, {354, 221}, {300, 300},
	} {
		v, d := shown(t, sample(sum, 12, 6, 2, 9), size[0], size[1]), ticking()
		d.Hands = append(d.Hands, d.Hands[0])
		v.SetDials(d)
		l := v.arrange()
		g := v.arrangeDials(l, 3)
		last := Point{-1000, 0}
		for _, cell := range g.dials {
			c, radius, _ := g.face(l, cell)
			assert.True(t, radius >= 24, "%v: a dial has radius %.0f", size, radius)
			assert.True(t, c.X-last.X >= 2*radius, "%v: dials at %v and %v", size, last, c)
			last = c
		}
	}
}

// TestTextsCanBeRead: in a frame of the least size that the element gives the stage (frame.css), and in larger ones,
// no text is smaller than 11 pixels, and no two of a line touch.
func TestTextsCanBeRead(t *testing.T) {
	rows := [][2]float64{{248, 236}}
	for _, w := range []float64{280, 330, 390, 440, 560, 700, 900} {
		for _, h := range []float64{368, 380, 400, 440, 480, 560} {
			rows = append(rows, [2]float64{w, h})
		}
	}
	for row, x := range rows {
		v, d := shown(t, sample(sum, 12, 6, 2, 9), x[0], x[1]), ticking()
		d.Hands = append(d.Hands, d.Hands[0], d.Hands[0])[:3]
		d.Hands[1].K, d.Hands[2].K = 3, -2
		d.Answers[4], d.Answers[5] = "unbalanced", "balanced"
		v.SetDials(d)
		v.SetClocks(row > 0)
		for at := range sum {
			v.Seek(at)
			v.player.jump(at)
			texts := record(t, v).texts
			for i, text := range texts {
				for _, other := range texts[:i] {
					away := math.Abs(text.box.Center().X-other.box.Center().X) - (text.box.W+other.box.W)/2
					assert.True(t, row <= 0 || away >= 1.5 || math.Abs(text.box.Center().Y-other.box.Center().Y) >= 4,
						"%v, token %d: %q and %q touch", x, at, text.words, other.words)
				}
				assert.True(t, text.size >= 10.99, "%v, token %d: %q has %.1f pixels", x, at, text.words, text.size)
			}
		}
	}
}

// TestLit: units that know of a minus are counted, and told apart from those that steer where that was tried.
func TestLit(t *testing.T) {
	for _, x := range []struct {
		steers     []int
		words, all string
	}{
		{nil, "; 3 know of the minus before the bracket", " 3 other units know of the minus before the bracket."},
		{[]int{}, "none of them alone steers", "bracket; none of them alone steers the hands."},
		{[]int{7}, "1 of them steers", "bracket; 1 of them steers the hands."},
		{[]int{7, 8}, "2 of them steer", "bracket; 2 of them steer the hands."},
	} {
		v, d := shown(t, sample(sum, 12, 6, 2, 9), 1280, 720), ticking()
		v.SetClocks(true)
		d.Lit[3], d.Steers[3] = []int{6, 7, 8}, x.steers
		v.SetDials(d)
		v.player.jump(3)
		r := record(t, v)
		said := slices.ContainsFunc(r.texts, func(y recorded) bool { return strings.HasSuffix(y.words, x.words) })
		assert.True(t, said, "%v: %v", x.steers, r.texts)
		assert.Says(t, v.Describe(), x.all)
		discs := map[color.NRGBA]int{}
		for _, y := range r.dots {
			discs[y.ink]++
		}
		assert.True(t, discs[v.theme.Answer] == len(x.steers) && discs[fade(v.theme.Answer, 0.45)] == 3-len(x.steers),
			"%v: dots %v", x.steers, discs)
	}
}

// TestPointedUnits: a unit under the pointer is reported and named, in the row next to the dials and among all units,
// and so is a dial's; what moves on the same unit is not told again, that it was left is, and a press tells it once
// more.
func TestPointedUnits(t *testing.T) {
	v, d := shown(t, sample(sum, 12, 6, 2, 9), 1280, 720), ticking()
	assert.NoError(t, v.SetDials(d))
	var got []int
	v.Pointed = func(unit int) { got = append(got, unit) }
	v.SetClocks(true)
	l := v.arrange()
	for _, m := range v.otherMarks(l, d, v.arrangeDials(l, 2).others) {
		v.PointerOver(m.at)
		v.PointerOver(Point{m.at.X + 0.2, m.at.Y})
		told := fmt.Sprintf("unit %d, which %s", m.unit, []string{"", "turns", "holds"}[m.kind])
		assert.True(t, record(t, v).says(told), "%q is not told", told)
	}
	assert.Is(t, got, []int{0, 1, 2, 4, 6, 7, 8, 9, 10, 11}, "the row, without the clocks 3 and 5")
	got = nil
	g := v.arrangeDials(l, 2)
	for i, cell := range g.dials {
		c, radius, _ := g.face(l, cell)
		v.PointerOver(c)
		r, gap := record(t, v), []string{"turned 120°, due 120°", "turned −240°, due −240°"}[i]
		assert.True(t, r.says(gap), "the dial under the pointer does not say %q", gap)
		v.PointerOver(Point{c.X, c.Y - 0.9*radius})
		v.PointerOver(Point{c.X, c.Y - 1.1*radius})
	}
	assert.Is(t, got, []int{3, -1, 5, -1}, "the dials")
	v.SetClocks(false)
	got = nil
	m := v.marks(v.arrange())[4]
	v.PointerOver(m.at)
	v.PointerDown(m.at)
	v.Pause() // the press plays
	v.player.jump(v.player.at)
	v.PointerOver(Point{-1, -1})
	assert.Is(t, got, []int{m.unit, m.unit, -1}, "among all units")
}

// TestDialsRefused: dials that cannot be drawn are refused by the name of what is wrong.
func TestDialsRefused(t *testing.T) {
	for want, spoil := range map[string]func(*Dials){
		"modulus": func(d *Dials) { d.Modulus = 1 }, "changes": func(d *Dials) { d.Changes = nil },
		"hands[1]": func(d *Dials) { d.Hands[1].Angles = nil }, "rest": func(d *Dials) { d.Rest = d.Rest[1:] },
		"finite": func(d *Dials) { d.Hands[0].Votes[3] = math.NaN() },
	} {
		d := ticking()
		spoil(d)
		assert.OneLine(t, want, NewView().SetDials(d), want)
	}
}

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
