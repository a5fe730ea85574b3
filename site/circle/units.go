package circle

import (
	"fmt"
	"image/color"
	"math"
	"math/cmplx"
	"slices"
	"strconv"
)

// kind says what a unit is.
type kind int

const (
	memory kind = iota
	turning
	holding
)

// mark is a unit's dot.
type mark struct {
	kind  kind
	unit  int // counted from 0 among the core's units, or among the memory's
	shape dotShape
	ink   color.NRGBA
	size  float64
	at    Point
}

// likeArea is how much larger a diamond is, to be as large as a disc.
const likeArea = 1.2

// ring is a circle that units of one kind stand on, or, for the memory, the scale's end that they stand within.
type ring struct {
	kind        kind
	radius      float64
	first, last int // units
	shape       dotShape
	ink         color.NRGBA
	size        float64
}

// rings are those of the reading, the lowest drawn first.
func (v *View) rings(l Layout) []ring {
	t, r := &v.theme, v.reading
	hold := holdRing
	if r.Turning == 0 { // one kind only: it has the outer ring
		hold = 1
	}
	return slices.DeleteFunc([]ring{
		{memory, l.Radius * answerRing, 0, r.Slots(), disc, t.Memory, max(0.55*l.dotRadius(r.Slots()), 1.6)},
		{turning, l.Radius, 0, r.Turning, disc, t.Turning, l.dotRadius(r.Turning)},
		{holding, l.Radius * hold, r.Turning, r.Width, diamond, t.Holding, likeArea * l.dotRadius(r.Width-r.Turning)},
	}, func(x ring) bool { return x.first >= x.last })
}

// place is where a unit of a ring stands at the share s of the way from token a to token b; ok: it has a phase.
func (v *View) place(l Layout, g *ring, u, a, b int, s float64) (at Point, ok bool) {
	r := v.reading
	if g.kind == memory {
		length, phase := cmplx.Polar(Drift(r.Slot(a, u), r.Slot(b, u), r.Turn(u)*float64(b-a), s))
		return OnCircle(l.Center, Reach(length, v.longest, g.radius), phase), true
	}
	from, ok1 := r.Phase(a, u)
	to, ok2 := r.Phase(b, u)
	return OnCircle(l.Center, g.radius, ShorterArc(from, to, s)), ok1 && ok2
}

// marks are the dots of all units as they stand now, later ones over earlier ones.
func (v *View) marks(l Layout) []mark {
	a, b, s := v.player.place()
	var all []mark
	for _, g := range v.rings(l) {
		for u := g.first; u < g.last; u++ {
			if at, ok := v.place(l, &g, u, a, b, s); ok {
				all = append(all, mark{g.kind, u, g.shape, g.ink, g.size, at})
			}
		}
	}
	return all
}

// paintTrails draws, while they move, the way that a ring's units have come.
func (v *View) paintTrails(p painter, l Layout, g *ring) {
	a, b, s := v.player.place()
	ink := fade(g.ink, 0.09*(1-s))
	for u := g.first; u < g.last; u++ {
		if g.kind == memory {
			const segments = 8
			way := make([]Point, segments+1)
			for i := range way {
				way[i], _ = v.place(l, g, u, a, b, s*float64(i)/segments)
			}
			p.line(way, g.size, ink, false)
			continue
		}
		from, ok1 := v.reading.Phase(a, u)
		to, ok2 := v.reading.Phase(b, u)
		if !ok1 || !ok2 {
			continue
		}
		now := ShorterArc(from, to, s)
		if n := int(math.Abs(now-from) / 0.12); n > 0 {
			p.line(arc(l.Center, g.radius, from, now, n+1), g.size, ink, false)
		}
	}
}

// scaleAt is where the memory's scale has its figures: left of the middle, clear of the residues of 9.
const scaleAt = -math.Pi / 2

// paintScaleFigures names the rings, over the dots.
func (v *View) paintScaleFigures(p painter, l Layout) {
	full := l.Radius * answerRing
	size := max(min(0.075*l.Radius, 0.9*l.Em), leastText)
	if l.Radius < 7*size || v.longest == 0 {
		return
	}
	for i, length := range append([]float64{v.longest}, scaleRings(v.longest)...) {
		words := short(length)
		if i > 0 { // a power of ten
			words = strconv.FormatFloat(length, 'g', -1, 64)
		}
		at := OnCircle(l.Center, Reach(length, v.longest, full), scaleAt)
		w := p.measure(words, size, false) + 0.5*size
		p.rect(Rect{at.X - w/2, at.Y - 0.6*size, w, 1.2 * size}, 0.3*size, fade(v.theme.Ground, 0.85))
		p.text(words, at, size, textStyle{false, middle}, v.theme.Memory)
	}
}

// short writes a length with three figures.
func short(x float64) string {
	if x == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(x)))
	return strconv.FormatFloat(x, 'f', max(digits, 0), 64)
}

// under is the unit whose dot the pointer is on, while the picture rests.
func (v *View) under() (found mark, ok bool) {
	if v.reading == nil || !v.Resting() {
		return mark{}, false
	}
	l := v.arrange()
	var all []mark
	if d := v.shown(); !v.clocks && l.Dial.Contains(v.pointer) {
		all = v.marks(l)
	} else if v.clocks && d != nil && len(d.Hands) > 0 {
		all = v.otherMarks(l, d, v.arrangeDials(l, len(d.Hands)).others)
	}
	nearest := math.Inf(1)
	for _, m := range all {
		if d := math.Hypot(m.at.X-v.pointer.X, m.at.Y-v.pointer.Y); d <= max(1.5*m.size, 6) && d <= nearest {
			nearest, found, ok = d, m, true
		}
	}
	return found, ok
}

// PointerOver follows a pointer that is not down: the unit under it is reported, and Pointed called where it is
// another than before and has a phase.
func (v *View) PointerOver(p Point) {
	before, was := v.under()
	v.pointer = p
	now, is := v.under()
	if is != was || now != before {
		v.dirty = true
	}
	unit := -1
	if is && now.kind != memory {
		unit = now.unit
	} else if i := v.dialUnder(); i >= 0 {
		unit = v.dials.Hands[i].Unit
	}
	if unit != v.pointed {
		v.pointed, v.dirty = unit, true
		if v.Pointed != nil {
			v.Pointed(unit)
		}
	}
}

// dialUnder is the hand whose dial the pointer is on; −1: none.
func (v *View) dialUnder() int {
	d := v.shown()
	if !v.clocks || d == nil {
		return -1
	}
	l := v.arrange()
	g := v.arrangeDials(l, len(d.Hands))
	return slices.IndexFunc(g.dials, func(cell Rect) bool {
		c, radius, _ := g.face(l, cell)
		return math.Hypot(c.X-v.pointer.X, c.Y-v.pointer.Y) <= radius
	})
}

// Told is what is said of the unit under the pointer, a line each; nil where there is none or something moves.
func (v *View) Told() []string {
	m, ok := v.under()
	if !ok {
		return nil
	}
	r, at := v.reading, v.player.at
	number := strconv.Itoa(m.unit)
	if m.kind == memory {
		length, phase := cmplx.Polar(r.Slot(at, m.unit))
		lines := []string{"memory unit " + number, fmt.Sprintf("length %s, phase %d°", short(length), degrees(phase))}
		if r.Period > 0 {
			lines = append(lines, fmt.Sprintf("turns 360°·%d/%d = %.1f° a token",
				m.unit, r.Period, -r.Turn(m.unit)*180/math.Pi))
		}
		return lines
	}
	phase, _ := r.Phase(at, m.unit)
	does := "turns"
	if m.kind == holding {
		does = "holds"
	}
	return []string{"unit " + number + ", which " + does, fmt.Sprintf("phase %d°", degrees(phase))}
}

// paintTold says in a box next to the pointer what the unit under it is.
func (v *View) paintTold(p painter, l Layout) {
	m, ok := v.under()
	if !ok {
		return
	}
	t, size := &v.theme, 0.95*l.Em
	lines := v.Told()
	width := 0.0
	for i, line := range lines {
		width = max(width, p.measure(line, size, i == 0))
	}
	away := 2*m.size + 0.4*l.Em
	box := Rect{m.at.X + away, m.at.Y - 0.5*l.Em, width + 1.2*size, size * (1.4*float64(len(lines)) + 0.8)}
	if box.Right() > v.width {
		box.X = m.at.X - away - box.W
	}
	box.X, box.Y = min(max(box.X, 0), v.width-box.W), min(max(box.Y, 0), v.height-box.H)
	if m.kind == memory { // its length and phase
		p.line([]Point{l.Center, m.at}, max(1.5, 0.1*l.Em), m.ink, false)
	}
	p.dot(m.shape, m.at, 1.5*m.size, m.ink, t.Text)
	p.rect(box, 0.4*size, t.Text)
	for i, line := range lines {
		at := Point{box.X + 0.6*size, box.Y + size*(1.1+1.4*float64(i))}
		p.text(line, at, size, textStyle{i == 0, left}, t.Ground)
	}
}
