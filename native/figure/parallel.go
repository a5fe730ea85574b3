package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Parallel has an upright axis for each of several values, side by side, and a line across them for each run, the best
// one last, in orange. The others have the colour of their place on the last axis, from grey to blue.
type Parallel struct {
	Axes  []ParallelAxis
	Lines []ParallelLine
}

// ParallelLine is a run.
type ParallelLine struct {
	At     []float64 // places on the axes, from 0 at the foot to 1
	Dashed bool
}

// ParallelAxis is one of them, with names at some places.
type ParallelAxis struct {
	Name  string
	Ticks []ParallelTick
}

// ParallelTick is a place with its name.
type ParallelTick struct {
	At   float64
	Name string
}

func (f Parallel) draw(c draw.Canvas) {
	c = draw.Crop(c, 50, -50, 8, -30)
	last, size := len(f.Axes)-1, c.Size()
	at := func(axis, place float64) vg.Point {
		across := vg.Length(axis / float64(max(last, 1)))
		return vg.Point{X: c.Min.X + across*size.X, Y: c.Min.Y + vg.Length(place)*size.Y}
	}
	for i, line := range f.Lines {
		style := draw.LineStyle{Color: between(line.At[last]), Width: 1.1}
		if i == len(f.Lines)-1 {
			style = draw.LineStyle{Color: ink(1), Width: 2.4}
		}
		if line.Dashed {
			style.Dashes = dashes(1)
		}
		var points []vg.Point
		for axis, place := range line.At { // curves leave an axis level: so those that meet on it can be told apart
			for step := 1; axis > 0 && step < 16; step++ {
				share, from := float64(step)/16, line.At[axis-1]
				points = append(points, at(float64(axis-1)+share, from+(1-math.Cos(math.Pi*share))/2*(place-from)))
			}
			points = append(points, at(float64(axis), place))
		}
		c.StrokeLines(style, points)
	}
	for i, axis := range f.Axes {
		foot, top := at(float64(i), 0), at(float64(i), 1)
		c.StrokeLine2(draw.LineStyle{Color: grey(), Width: 1}, foot.X, foot.Y, top.X, top.Y)
		c.FillText(centred(bold(10)), vg.Point{X: top.X, Y: top.Y + 20}, axis.Name)
		for _, t := range axis.Ticks {
			p, s := at(float64(i), t.At), sans(8.5)
			s.XAlign, p.X, p.Y = draw.XRight, p.X-5, p.Y+2 // above the lines that end there
			if i == last {
				s.XAlign, p.X = draw.XLeft, p.X+10
			}
			c.FillText(s, p, t.Name)
		}
	}
}

// between is a colour from light grey to blue.
func between(share float64) color.NRGBA {
	a, b := color.NRGBA{205, 205, 205, 255}, ink(0)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + share*(float64(y)-float64(x))) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
