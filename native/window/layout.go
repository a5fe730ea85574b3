package window

import (
	"math"

	"mhacsp/site/circle"
)

type (
	rect  = circle.Rect
	point = circle.Point
)

// wants is what a layout has to find room for.
type wants struct {
	class, slider, charts, samples bool
	rows                           int
}

// layout says where things stand. What is empty is not shown.
type layout struct {
	em     float64 // size of running text
	field  rect    // the line to type in
	notice rect    // what the line says, right below it
	circle rect
	rule   rect // class mode: the rule in words
	slider rect // checkpoints
	rail   rect // the slider's own line
	foot   rect

	numbers, loss, shares, samples rect

	side rect // below the numbers; what stands there may be covered for a while
}

// frameOf begins every layout: the line to type in above, the foot below, and what is left between them.
func frameOf(w, h float64, class bool) (l layout, area rect) {
	w, h = max(w, circle.Smallest), max(h, circle.Smallest)
	em := min(max(math.Sqrt(w*h)/66, 12), 40)
	if class {
		em = min(max(math.Sqrt(w*h)/38, 16), 72)
	}
	area = (rect{W: w, H: h}).Inset(0.7 * em)
	l.em = em
	l.field, area = area.CutTop(max(2.1*em, 24)) // a target of 24 pixels (WCAG 2.5.8)
	l.notice, area = area.CutTop(1.5 * em)
	l.foot, area = area.CutBottom(1.5 * em)
	return l, area
}

// side column, in sizes of text
const (
	sideWidth  = 25.0
	rowHeight  = 1.45
	leastChart = 6.0
	leastRow   = 2.7  // of a sample: prompt and output
	sliderName = 12.0 // of the checkpoint shown
)

// arrange lays a window out: numbers next to the circle where it is wide, below it where it is tall, left out where
// there is no room. In class mode the rule takes their place.
func arrange(w, h float64, want wants) layout {
	l, area := frameOf(w, h, want.class)
	em := l.em
	if want.slider {
		l.slider, area = area.CutBottom(max(2.2*em, 24))
		rail := l.slider
		if rail.W >= 24*em { // room for the name
			_, rail = rail.CutLeft(sliderName * em)
		}
		l.rail = (rect{X: rail.X, Y: rail.Y + rail.H/2 - 0.6*em, W: rail.W, H: 1.2 * em}).Inset(0.5 * em)
	}
	var side rect
	switch {
	case want.class && area.W >= 1.25*area.H:
		l.rule, area = area.CutRight(0.42 * area.W)
		_, l.rule = l.rule.CutLeft(em)
	case want.class:
		l.rule, area = area.CutBottom(min(0.3*area.H, 9*em))
	case area.W >= 56*em && area.H >= 14*em:
		side, area = area.CutRight(max(sideWidth*em, 0.3*area.W))
		_, side = side.CutLeft(1.4 * em)
	case area.H >= 58*em:
		side, area = area.CutBottom(0.42 * area.H)
		_, side = side.CutTop(em)
	}
	l.circle = area
	if !side.Empty() {
		l.column(side, want)
	}
	return l
}

// column shares the side out, from above; what does not fit any more is left out.
func (l *layout) column(side rect, want wants) {
	em := l.em
	l.numbers, side = side.CutTop(rowHeight*em*float64(want.rows) + 0.6*em)
	l.side = side
	beside := want.charts && side.W >= 46*em
	if beside {
		row, rest := side.CutTop(max(min(0.45*side.H, 14*em), leastChart*em))
		l.loss, row = row.CutLeft(row.W/2 - 0.7*em)
		l.shares, _ = row.CutRight(row.W - 1.4*em)
		side = rest
	}
	share := func(least, most float64) (strip rect) {
		if side.H < least {
			return rect{}
		}
		strip, side = side.CutTop(min(max(least, most), side.H))
		return strip
	}
	if want.charts && !beside {
		each := min(max(0.24*side.H, leastChart*em), 13*em)
		l.loss = share(leastChart*em, each)
		l.shares = share(leastChart*em, each)
	}
	if want.samples {
		l.samples = share((1.8+leastRow)*em, side.H)
	}
}

// knob is where the slider's knob stands for checkpoint i of n.
func (l *layout) knob(i, n int) point {
	return point{X: l.rail.X + l.rail.W*float64(i)/float64(max(n-1, 1)), Y: l.rail.Y + l.rail.H/2}
}

// checkpointAt is the checkpoint of n that is nearest to a place on the slider.
func (l *layout) checkpointAt(p point, n int) int {
	i := math.Round((p.X - l.rail.X) / l.rail.W * float64(n-1))
	return int(min(max(i, 0), float64(n-1)))
}
