package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Dots is a map of named points, both axes on one scale. A line joins the points in their order.
type Dots struct {
	Title, X, Y string
	Points      [][2]float64
	Names       []string
}

func (d Dots) draw(c draw.Canvas) {
	p := chart(d.Title, d.X, d.Y)
	for _, x := range d.Points {
		p.X.Min, p.X.Max = min(p.X.Min, x[0]), max(p.X.Max, x[0])
		p.Y.Min, p.Y.Max = min(p.Y.Min, x[1]), max(p.Y.Max, x[1])
	}
	reach := 0.58 * max(p.X.Max-p.X.Min, p.Y.Max-p.Y.Min)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		middle := (a.Min + a.Max) / 2
		a.Min, a.Max = middle-reach, middle+reach
	}
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
		var line []vg.Point
		for _, x := range d.Points {
			line = append(line, point(c, p, x[0], x[1]))
		}
		c.StrokeLines(draw.LineStyle{Color: faint(ink(7), 130), Width: 0.7}, line)
		for i, at := range line {
			named(c, at, d.Names[i])
		}
	}))
	p.Draw(square(c))
}

// named is a point with its name on it.
func named(c draw.Canvas, at vg.Point, name string) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink(0), Radius: 7, Shape: draw.CircleGlyph{}}, at)
	s := centred(bold(9))
	s.Color = color.White
	c.FillText(s, vg.Point{X: at.X, Y: at.Y + 1}, name)
}

// square is the greatest square in the middle of a canvas.
func square(c draw.Canvas) draw.Canvas {
	size := c.Size()
	side := min(size.X, size.Y)
	return draw.Crop(c, (size.X-side)/2, (side-size.X)/2, (size.Y-side)/2, (side-size.Y)/2)
}

// Dial is a circle with named hands at angles, in radians from the right, against the clock, and marks next to which
// they should stand.
type Dial struct {
	Title string
	Hands []Angle
	Marks []Angle
	Notes []string // lines under the title
}

// Angle is a place on a circle.
type Angle struct {
	Name string
	At   float64
}

func (d Dial) draw(c draw.Canvas) {
	title := centred(bold(10))
	c.FillText(title, vg.Point{X: c.Center().X, Y: c.Max.Y - 6}, d.Title)
	for i, line := range d.Notes {
		c.FillText(centred(sans(8.5)), vg.Point{X: c.Center().X, Y: c.Max.Y - 20 - vg.Length(i)*12}, line)
	}
	c = square(draw.Crop(c, 0, 0, 0, vg.Length(-16-12*len(d.Notes))))
	middle, radius := c.Center(), (c.Max.X-c.Min.X)/2-30
	at := func(angle float64, r vg.Length) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: middle.X + r*vg.Length(cos), Y: middle.Y + r*vg.Length(sin)}
	}
	var circle vg.Path
	circle.Move(at(0, radius))
	circle.Arc(middle, radius, 0, 2*math.Pi)
	c.SetLineStyle(draw.LineStyle{Color: grey(), Width: 0.8})
	c.Stroke(circle)
	for _, m := range d.Marks {
		a, b := at(m.At, radius-4), at(m.At, radius+4)
		c.StrokeLine2(draw.LineStyle{Color: ink(1), Width: 1.5}, a.X, a.Y, b.X, b.Y)
		s := centred(sans(9))
		s.Color = ink(1)
		c.FillText(s, at(m.At, radius+13), m.Name)
	}
	// Hands that would cover one another stand one behind the other, towards the middle.
	var placed []vg.Point
	for _, h := range d.Hands {
		r := radius - 13
		for ; r > radius/3 && near(at(h.At, r), placed, 13); r -= 4 {
		}
		tip, end := at(h.At, radius), at(h.At, r)
		c.StrokeLine2(draw.LineStyle{Color: faint(ink(0), 110), Width: 0.8}, end.X, end.Y, tip.X, tip.Y)
		placed = append(placed, end)
		named(c, end, h.Name)
	}
}

// near reports whether a point is nearer to one of others than a distance.
func near(p vg.Point, others []vg.Point, distance float64) bool {
	return slices.ContainsFunc(others, func(o vg.Point) bool {
		return math.Hypot(float64(p.X-o.X), float64(p.Y-o.Y)) < distance
	})
}
