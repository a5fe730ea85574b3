package window

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"mhacsp/site/circle"
)

// The chart of the unit that is pointed at: its phase against the value of every sum of two digits.

// Sizes of the chart in sizes of text.
const (
	leastPointed  = 8.5 // height
	narrowPointed = 15.0
	pointedTall   = 17.0 // no higher next to the circle, where it needs not cover more
)

// The chart's scales run on beyond their ends, so that dots there are whole.
const (
	fullTurn  = 360.0 // degrees
	quarters  = 4     // of it are labelled
	turnEdge  = 10.0  // degrees
	valueEdge = 0.6
)

// pointing reports whether something is said of a unit. While a model trains its phases are another's a moment later.
func (s *Screen) pointing() bool { return s.pointed >= 0 && s.state != Training }

// SetSums shows the phases of the model that is shown; nil says that the model is another now. Of sums whose lists do
// not fit together it shows what is wrong with them.
func (s *Screen) SetSums(x *Sums) {
	if err := x.check(); err != nil {
		x = &Sums{None: err.Error()}
	}
	s.sums, s.asking = x, false
	s.dirty = s.dirty || s.pointed >= 0
}

// check names the first thing in sums that cannot be drawn.
func (x *Sums) check() error {
	if x == nil {
		return nil
	}
	for i, u := range x.Units {
		if len(x.Values) == 0 || len(u.Phases) != len(x.Values) {
			return fmt.Errorf("unit %d has %d phases for %d sums: it must have one for each", i, len(u.Phases),
				len(x.Values))
		}
	}
	return nil
}

// unitPointed is what is known of the unit; nil: nothing yet, or nothing ever (Sums.None).
func (s *Screen) unitPointed() *Unit {
	if s.sums == nil || s.pointed >= len(s.sums.Units) {
		return nil
	}
	return &s.sums.Units[s.pointed]
}

// pointedSays is what stands above the chart, or, while there is none, in its place.
func (s *Screen) pointedSays() (name, says string) {
	name = "Unit " + strconv.Itoa(s.pointed)
	u := s.unitPointed()
	switch {
	case u != nil:
		return name + ": " + u.Name, u.Says
	case s.sums != nil:
		return name, s.sums.None
	}
	return name, "computing its phase after each sum …"
}

// About is what is said of the unit that is pointed at, the figures first, empty where none is. It stands in the line
// below the field where no chart has room.
func (s *Screen) About() string {
	if !s.pointing() {
		return ""
	}
	name, says := s.pointedSays()
	if u := s.unitPointed(); u != nil {
		return fmt.Sprintf("Unit %d: %s; %s", s.pointed, u.Says, u.Name)
	}
	return name + ": " + says
}

// chartAt is where the chart of the unit that is pointed at stands: over the lowest parts next to the circle, over a
// class's rule, or over the part of the circle's picture that holds no unit; nowhere where none of these has room.
func (s *Screen) chartAt(l *layout) rect {
	if !s.pointing() {
		return rect{}
	}
	side, _ := l.side.CutBottom(pointedTall * l.em)
	for _, part := range []rect{l.samples, l.shares, l.loss} { // from below: none is covered by half
		across := part.X < side.Right() && side.X < part.Right()
		if across && !part.Empty() && part.Bottom() > side.Y && part.Y < side.Y {
			side = rect{X: side.X, Y: part.Y, W: side.W, H: side.Bottom() - part.Y}
		}
	}
	k := s.zoom(l.circle)
	aside := s.View.Aside()
	aside = rect{X: l.circle.X + k*aside.X, Y: l.circle.Y + k*aside.Y, W: k * aside.W, H: k * aside.H}
	for _, r := range []rect{side, l.rule, aside} {
		if r.W >= narrowPointed*l.em && r.H >= leastPointed*l.em {
			return r
		}
	}
	return rect{}
}

// covered is what is cleared for the chart: its place, and next to it what lines of the parts there reach out.
func covered(at rect, em float64) rect {
	const beside = 0.4
	return rect{X: at.X - beside*em, Y: at.Y, W: at.W + 2*beside*em, H: at.H}
}

// paintPointed draws the chart over what stands there.
func (s *Screen) paintPointed(p pen, l *layout, at rect) {
	c, em := circle.Colours(s.dark), l.em
	p.Rect(covered(at, em), 0, c.Ground)
	name, says := s.pointedSays()
	title, area := at.CutTop(1.7 * em)
	write(p, name, point{X: title.X, Y: title.Y + 0.6*em}, em, title.W, true, c.Text)
	u := s.unitPointed()
	if u == nil {
		paragraph(p, says, area, em, c.Muted)
		return
	}
	size := 0.85 * em
	words, area := area.CutTop(1.4*size*float64(len(p.Wrap(says, size, area.W))) + 0.6*em)
	paragraph(p, says, words, size, c.Muted)
	s.paintPhases(p, em, area, u, &c)
}

// paintPhases draws a unit's phases, 0° to 360°, over the values.
func (s *Screen) paintPhases(p pen, em float64, area rect, u *Unit, c *circle.Palette) {
	size := 0.85 * em
	_, field := area.CutBottom(1.7 * em)
	_, field = field.CutLeft(3 * em)
	_, field = field.CutRight(0.4 * em)
	top := slices.Max(s.sums.Values)
	x := func(value float64) float64 { return field.X + field.W*(value+valueEdge)/(float64(top)+2*valueEdge) }
	y := func(degrees float64) float64 {
		return field.Bottom() - field.H*(degrees+turnEdge)/(fullTurn+2*turnEdge)
	}
	for i := range quarters + 1 {
		degrees := fullTurn * float64(i) / quarters
		p.Rect(rect{X: field.X, Y: y(degrees) - 0.5, W: field.W, H: 1}, 0, c.Rule)
		p.Text(strconv.Itoa(int(degrees))+"°", point{X: field.X - 0.5*em, Y: y(degrees)},
			size, false, circle.AlignRight, c.Muted)
	}
	for value := range top + 1 {
		p.Text(strconv.Itoa(value), point{X: x(float64(value)), Y: field.Bottom() + 0.8*em},
			size, false, circle.AlignMiddle, c.Muted)
	}
	d := 0.5 * em
	for i, value := range s.sums.Values {
		degrees := math.Mod(u.Phases[i]*180/math.Pi+fullTurn, fullTurn)
		p.Rect(rect{X: x(float64(value)) - d/2, Y: y(degrees) - d/2, W: d, H: d}, d/2, c.Turning)
	}
}
