package circle

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Dials are the clocks of a model while it reads one text of T tokens, as package probe found them (CLOCKS.md);
// nothing here is computed but where it is drawn.
type Dials struct {
	Modulus  int
	Quantity string // what the values are in a word, as "depth"; empty: sums
	Hands    []Hand
	Values   []int   // [T] the value so far
	Changes  []int   // [T] what a token added to it
	Signs    []int   // [T] the sign that the next digit would have
	Lit      [][]int // [T] units that know of a minus before a bracket
	Steers   [][]int // [T] those of them that steer the turning of the hands; nil where it was not tried

	Answers       []string  // [C]; none where there are no votes
	Rest          []float64 // [C] what is left of the answer where no clock is read
	Sum           []float64 // [C] what clocks and rest add up to
	Probabilities []float64 // [C]

	// What was found where Hands is empty, or why there is nothing, in words; a line each.
	None []string
}

// truth names the values: they are calculated by the rule, and are none of the network's guesses.
func (d *Dials) truth() string { return "true " + cmp.Or(d.Quantity, "sum") + " so far" }

// Ends is what is drawn of a half-turn clock's own units (CLOCKS.md).
type Ends struct {
	Partner int       // unit; −1: none
	Own     []float64 // [T] radians: the end of its line where the unit stands
	Flag    []float64 // [T] the end that the partner says it is; empty where there is none
}

// Hand is a clock: its hand stands at Angles[t] after token t, from the top, clockwise.
type Hand struct {
	Unit, K int
	R       float64
	Angles  []float64 // [T] radians, its offset taken off
	Sure    []float64 // [T] R at tokens of this kind; 0 where it is not known
	Cut     bool      // nobody reads it
	Votes   []float64 // [C]
	Ends    *Ends     // of a half-turn clock, whose hand shows twice the unit's phase; else nil
}

// Check names the first thing in dials that cannot be drawn.
func (d *Dials) Check() error {
	t, c := len(d.Values), len(d.Answers)
	if len(d.Hands) > 0 && d.Modulus < 2 {
		return fmt.Errorf("dials have modulus %d: it must be 2 or more", d.Modulus)
	}
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"changes", len(d.Changes), t}, {"signs", len(d.Signs), t}, {"lit", len(d.Lit), t}, {"steers", len(d.Steers), t},
		{"rest", len(d.Rest), c}, {"sum", len(d.Sum), c}, {"probabilities", len(d.Probabilities), c},
	} {
		if x.got != x.want {
			return fmt.Errorf("dials' %s has %d values: it must have %d", x.name, x.got, x.want)
		}
	}
	lists := [][]float64{d.Rest, d.Sum, d.Probabilities}
	for i, h := range d.Hands {
		if len(h.Angles) != t || len(h.Sure) != t || len(h.Votes) != c {
			return fmt.Errorf("dials' hands[%d] has %d angles, %d sure and %d votes: it must have %d, %d and %d",
				i, len(h.Angles), len(h.Sure), len(h.Votes), t, t, c)
		}
		lists = append(lists, h.Angles, h.Sure, h.Votes)
		if e := h.Ends; e != nil {
			if len(e.Own) != t || len(e.Flag) != t && len(e.Flag) != 0 {
				return fmt.Errorf("dials' hands[%d] has a line of %d ends and %d flags: it must have %d", i, len(e.Own),
					len(e.Flag), t)
			}
			lists = append(lists, e.Own, e.Flag)
		}
	}
	for _, list := range lists {
		for _, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("dials have the value %v: every value must be a finite number", x)
			}
		}
	}
	return nil
}

// settled is the share of its own R that a hand's R at a kind of token must have to be drawn in full: at a digit it
// has less, since it turns with the token after it.
const settled = 0.75

// stands reports whether a hand stands for the value after token t.
func (h *Hand) stands(t int) bool { return h.Sure[t] >= settled*h.R && h.Sure[t] > 0 }

// gone reports whether a half-turn clock has been rewritten: behind "mod" it keeps the sum no longer.
func (h *Hand) gone(t int) bool { return h.Ends != nil && !h.stands(t) }

// unitWords names a clock's units.
func (h *Hand) unitWords() string {
	if h.Ends != nil && h.Ends.Partner >= 0 {
		return fmt.Sprintf("units %d and %d", h.Unit, h.Ends.Partner)
	}
	return fmt.Sprintf("unit %d", h.Unit)
}

// turn is the way that a digit made a hand go.
type turn struct {
	change   int     // that was read on the way
	from, to float64 // angles
}

// course is where a hand is drawn after token t, and the turns that led there: its angle is unwound, so that from one
// stand to the next it has turned as the digits in between turn it, and by no whole turn less or more. token is the
// last, up to t, after which it stood for the value; −1: none.
func (d *Dials) course(h *Hand, t int) (angle float64, token int, turns []turn) {
	token = -1
	for i := range t + 1 {
		if !h.stands(i) {
			continue
		}
		if token < 0 {
			angle = h.Angles[i]
		} else {
			change, before := d.since(token, i), angle
			expected := h.step(d.Modulus) * float64(change)
			angle += expected + math.Remainder(h.Angles[i]-angle-expected, 2*math.Pi)
			if change != 0 {
				turns = append(turns, turn{change, before, angle})
			}
		}
		token = i
	}
	return angle, token, turns
}

// step is the angle by which +1 turns a hand.
func (h *Hand) step(modulus int) float64 { return DigitPhase(h.K, modulus) }

// since is what the tokens after one and up to another added to the value, with its sign and not modulo anything.
func (d *Dials) since(after, upTo int) int {
	sum := 0
	for j := after + 1; j <= upTo; j++ {
		sum += d.Changes[j]
	}
	return sum
}

// signed writes a number with its sign, a real minus.
func signed(n int) string { return minus(fmt.Sprintf("%+d", n)) }

// minus writes a number's sign as a real minus.
func minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// Turns says what +1 does to a hand that goes k times round while the value goes once round.
func Turns(k, modulus int) string {
	words := "+1: " + angleWords(math.Abs(DigitPhase(k, modulus)))
	if k < 0 {
		words += " back"
	}
	return words
}

// turned says what a digit does to a hand: "+5: 5 × 40°".
func (h *Hand) turned(change, modulus int) string {
	step := h.step(modulus) * float64(cmp.Compare(change, 0))
	return fmt.Sprintf("%s: %d × %s", signed(change), max(change, -change), angleWords(step))
}

// angleWords writes an angle in degrees.
func angleWords(angle float64) string {
	return minus(fmt.Sprintf("%g°", math.Round(angle*1800/math.Pi)/10+0)) // + 0: −0 is 0
}

// SetDials shows a reading's clocks in the view of the clocks, or none (nil). They are of the reading shown: of
// another text they are kept until its reading comes. The view keeps them, and nobody may change them.
func (v *View) SetDials(d *Dials) error {
	if d != nil {
		if err := d.Check(); err != nil {
			return err
		}
	}
	v.dials, v.dirty = d, true
	return nil
}

// SetClocks chooses what the view shows: the clocks' dials, or all units.
func (v *View) SetClocks(on bool) { v.clocks, v.dirty = on, true }

// shown are the dials of the reading shown; nil where there are none yet.
func (v *View) shown() *Dials {
	d, r := v.dials, v.reading
	if d == nil || r == nil || len(d.Hands) > 0 && len(d.Values) != len(r.Tokens) {
		return nil
	}
	return d
}

func (v *View) describeDials() string {
	d, at := v.shown(), v.player.at
	if d == nil {
		return looking + "."
	}
	s := fmt.Sprintf("Token %d of %d, %q, was read.", at+1, len(v.reading.Tokens), tokenText(v.reading.Tokens[at]))
	if len(d.Hands) == 0 {
		return strings.Join(append([]string{s}, d.None...), " ")
	}
	s += fmt.Sprintf(" The %s is %d.", d.truth(), d.Values[at])
	for _, h := range d.Hands {
		angle, token, _ := d.course(&h, at)
		switch {
		case h.Cut:
			s += fmt.Sprintf(" The clock of unit %d is cut.", h.Unit)
		case token >= 0 && h.gone(at):
			s += fmt.Sprintf(" Unit %d no longer keeps the %s.", h.Unit, cmp.Or(d.Quantity, "sum"))
		case token >= 0:
			s += fmt.Sprintf(" The hand of unit %d points at %s.", h.Unit, d.pointsAt(&h, angle))
		}
	}
	if n := len(d.Lit[at]); n > 0 {
		units, know := knowing(n)
		s += fmt.Sprintf(" %d other %s %s of the minus before the bracket", n, units, know)
		if steers := d.Steers[at]; steers != nil {
			s += fmt.Sprintf("; %s the hands", ofThem(len(steers)))
		}
		s += "."
	}
	if v.Ended() && len(d.Answers) > 0 {
		best := top(d.Probabilities)
		s += fmt.Sprintf(" The votes add up to %s, %s sure.", d.Answers[best], Percent(d.Probabilities[best]))
	}
	return s
}

// knowing is the words for so many units that know something.
func knowing(n int) (units, know string) {
	if n == 1 {
		return "unit", "knows"
	}
	return "units", "know"
}

// ofThem says how many of the units that know of the minus steer.
func ofThem(steer int) string {
	switch steer {
	case 0:
		return "none of them alone steers"
	case 1:
		return "1 of them steers"
	}
	return fmt.Sprintf("%d of them steer", steer)
}

// pointsAt are the values whose mark is the nearest to a hand.
func (d *Dials) pointsAt(h *Hand, angle float64) string {
	words, least := "", math.Inf(1)
	for value := range d.Modulus {
		off := math.Abs(math.Remainder(angle-float64(value)*h.step(d.Modulus), 2*math.Pi))
		switch {
		case off < least-1e-9:
			words, least = fmt.Sprint(value), off
		case off < least+1e-9:
			words += fmt.Sprintf(" and %d", value)
		}
	}
	return words
}

// top is the index of the greatest.
func top(x []float64) int { return slices.Index(x, slices.Max(x)) }

// Aside is the part of the view that something else may cover for a while, with every dot and dial in sight: the
// clocks' votes, or the bars. It may be empty.
func (v *View) Aside() Rect {
	l := v.arrange()
	if !v.clocks {
		return l.Bars
	}
	if d := v.shown(); d != nil {
		return v.arrangeDials(l, len(d.Hands)).votes
	}
	return Rect{}
}
