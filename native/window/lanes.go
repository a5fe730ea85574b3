package window

import (
	"fmt"
	"math"

	"mhacsp/site/circle"
)

// Lane is a runner of a race: a network that trains beside others on the same samples.
type Lane struct {
	Name    string          // of the model
	Rows    []Row           // its figures
	Says    string          // what it does, and what it makes of the text
	Bad     bool            // Says tells of what went wrong
	Phases  bool            // its units have a phase; where not, a sentence stands in place of the circle
	Reading *circle.Reading // for its circle; nil: as before
}

// noPhases stands in place of a circle.
const noPhases = "Its units have no phase: there is no circle to show."

// lane is a Lane with its circle.
type lane struct {
	Lane
	view *circle.View
}

// SetLanes shows a race: the chart of all runners (Content.Shares, a series with the role Runner+i for lane i), and
// below it the lanes.
func (s *Screen) SetLanes(lanes []Lane) error {
	if len(s.lanes) != len(lanes) {
		s.lanes = make([]lane, len(lanes))
		for i := range s.lanes {
			s.lanes[i].view = circle.NewView()
			s.lanes[i].view.SetTheme(s.dark)
		}
	}
	s.dirty = true
	for i, x := range lanes {
		s.lanes[i].Lane = x
		if x.Reading == nil {
			continue
		}
		if err := s.lanes[i].view.SetReading(x.Reading); err != nil {
			return fmt.Errorf("window: lane %s: %w", x.Name, err)
		}
	}
	s.fit()
	return nil
}

// placed is a circle and where it stands.
type placed struct {
	view *circle.View
	at   rect
}

// circles are all that are shown.
func (s *Screen) circles(l *layout) []placed {
	if s.adding.shown {
		return nil
	}
	if len(s.lanes) == 0 {
		return []placed{{s.View, l.circle}}
	}
	var list []placed
	for i, x := range s.lanes {
		if at := l.lanes[i].circle; x.Phases && !at.Empty() {
			list = append(list, placed{x.view, at})
		}
	}
	return list
}

// laneBox says where the parts of a lane stand. What is empty is not shown.
type laneBox struct{ name, rows, says, circle rect }

// Heights of a lane's parts in sizes of text, and the least width of a lane.
const (
	laneName   = 1.7
	laneSays   = 2.8
	laneWidth  = 17.0
	laneCircle = 7.0 // the least side of a circle
)

// arrangeRace lays a race out: the chart above, the lanes below it, side by side where there is room.
func arrangeRace(w, h float64, lanes, rows int) layout {
	l, area := frameOf(w, h, false)
	em := l.em
	if area.H >= 2*leastChart*em {
		l.shares, area = area.CutTop(max(0.3*area.H, leastChart*em))
		_, area = area.CutTop(0.8 * em)
	}
	columns := lanes
	if area.W < laneWidth*em*float64(lanes) && area.H >= area.W/2 {
		columns = (lanes + 1) / 2
	}
	across, down := area.W/float64(columns), area.H/math.Ceil(float64(lanes)/float64(columns))
	for i := range lanes {
		cell := rect{
			X: area.X + across*float64(i%columns), Y: area.Y + down*float64(i/columns), W: across, H: down,
		}
		cell, _ = cell.CutLeft(across - 1.2*em)
		l.lanes = append(l.lanes, arrangeLane(cell, em, rows))
	}
	return l
}

// arrangeLane shares a lane out, what matters most first.
func arrangeLane(cell rect, em float64, rows int) (b laneBox) {
	_, cell = cell.CutBottom(0.4 * em)
	if cell.H < laneName*em {
		return b
	}
	b.name, cell = cell.CutTop(laneName * em)
	if cell.H < laneSays*em {
		return b
	}
	b.says, cell = cell.CutTop(laneSays * em)
	if height := rowHeight * em * float64(rows); cell.H >= height {
		b.rows, cell = cell.CutTop(height)
	}
	if _, rest := cell.CutTop(0.4 * em); min(rest.W, rest.H) >= laneCircle*em {
		b.circle = rest
	}
	return b
}

// paintLanes draws the runners but for their circles.
func (s *Screen) paintLanes(p pen, l *layout, c *circle.Palette) {
	em := l.em
	for i := range s.lanes {
		x, b := &s.lanes[i], &l.lanes[i]
		if b.name.Empty() {
			continue
		}
		mid := b.name.Center().Y
		stroke(p, []point{{X: b.name.X, Y: mid}, {X: b.name.X + 2.4*em, Y: mid}}, em, Runner+Role(i), c)
		p.Text(fitted(p, x.Name, 1.1*em, b.name.W-3*em, true),
			point{X: b.name.X + 3*em, Y: mid}, 1.1*em, true, circle.AlignLeft, c.Text)
		ink := c.Text
		if x.Bad {
			ink = c.Wrong
		}
		if !b.says.Empty() {
			paragraph(p, x.Says, b.says, em, ink)
		}
		if !b.rows.Empty() {
			paintRows(p, x.Rows, b.rows, em, c)
		}
		if !x.Phases && !b.circle.Empty() {
			paragraph(p, noPhases, b.circle, em, c.Muted)
		}
	}
}

// paragraph writes lines from the top of an area, as many as it has room for.
func paragraph(p pen, text string, area rect, em float64, ink colour) {
	lines := p.Wrap(text, em, area.W)
	most := int(area.H/(1.4*em) + 1e-9)
	if most < 1 {
		return
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = fitted(p, lines[most-1]+" …", em, area.W, false)
	}
	for i, line := range lines {
		p.Text(line, point{X: area.X, Y: area.Y + 1.4*em*(float64(i)+0.5)}, em, false, circle.AlignLeft, ink)
	}
}

// patterns are the strokes of the runners' curves, so that colour is not all that tells them apart: lengths drawn and
// left out, in sizes of text.
var patterns = [][]float64{nil, {0.9, 0.5}, {0.25, 0.4}, {1.2, 0.4, 0.25, 0.4}}

// stroke draws a curve as its role has it.
func stroke(p pen, ps []point, em float64, r Role, c *circle.Palette) {
	var pattern []float64
	if r >= Runner {
		pattern = patterns[int(r-Runner)%len(patterns)]
	}
	for _, part := range dashed(ps, pattern, em) {
		p.Line(part, max(1.3, 0.11*em), inkOf(r, c))
	}
}

// dashed cuts a line into the parts of a pattern that are drawn; all of it where there is no pattern.
func dashed(ps []point, pattern []float64, em float64) (parts [][]point) {
	if len(pattern) == 0 || len(ps) < 2 {
		return [][]point{ps}
	}
	k, left, on := 0, pattern[0]*em, true
	part := []point{ps[0]}
	for i := 1; i < len(ps); i++ {
		a, b := ps[i-1], ps[i]
		for {
			way := math.Hypot(b.X-a.X, b.Y-a.Y)
			if way <= left {
				left -= way
				if on {
					part = append(part, b)
				}
				break
			}
			a = point{X: a.X + (b.X-a.X)*left/way, Y: a.Y + (b.Y-a.Y)*left/way}
			if on {
				parts = append(parts, append(part, a))
			}
			k = (k + 1) % len(pattern)
			left, on, part = pattern[k]*em, !on, []point{a}
		}
	}
	if on && len(part) > 1 {
		parts = append(parts, part)
	}
	return parts
}
