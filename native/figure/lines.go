package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines is a chart of curves.
type Lines struct {
	Title, X, Y string
	Share       bool // Y goes from 0 to 1 and is written in percent; else it grows by factors, from Tiny to Huge
	Series      []Series
	Levels      []Level
	Spans       []Span
	Crosses     []Cross
	FromX, ToX  float64 // the range of X where ToX is above FromX; else that of the series
}

// Where a chart that grows by factors ends; what lies beyond is drawn there.
const (
	Tiny = 1e-6
	Huge = 1e9
)

// Series is one curve, with the range around it where Low and High are given.
type Series struct {
	Group     int
	Thin      bool // a thin dashed line: what stands next to the curves
	X, Y      []float64
	Low, High []float64
}

// Level is a dotted line across the chart with its name at the right end.
type Level struct {
	Name string
	Y    float64
}

// Span is a bar under the curves, from From to To with a mark between.
type Span struct {
	Group          int
	From, Mark, To float64
}

// Cross is a single point with its name.
type Cross struct {
	Name string
	X, Y float64
}

// spanHeight is the part of a chart of shares that each bar under the curves takes.
const spanHeight = 0.055

func (l Lines) draw(c draw.Canvas) {
	p := chart(l.Title, l.X, l.Y)
	high := func(y float64) float64 { return y }
	if !l.Share {
		// Logarithms on a linear axis: with the library's own scale an axis pads for its name in the wrong place.
		p.Y.Tick.Marker = powers{}
		high = func(y float64) float64 { return math.Log10(min(max(y, Tiny), Huge)) }
	}
	p.Add(&plotter.Grid{Vertical: gridLine(), Horizontal: gridLine()})
	low, top := math.Inf(1), math.Inf(-1)
	for _, s := range l.Series {
		for i := range s.X {
			for _, ys := range [][]float64{s.Y, s.Low, s.High} {
				if ys != nil {
					low, top = min(low, high(ys[i])), max(top, high(ys[i]))
				}
			}
			p.X.Min, p.X.Max = min(p.X.Min, s.X[i]), max(p.X.Max, s.X[i])
		}
	}
	p.Y.Min, p.Y.Max = math.Floor(low), math.Ceil(top+1e-9) // whole powers of ten
	if l.Share {
		p.Y.Min, p.Y.Max, p.Y.Tick.Marker = -spanHeight*float64(len(l.Spans)), 1, percents()
	}
	if l.ToX > l.FromX {
		p.X.Min, p.X.Max = l.FromX, l.ToX
	}
	for _, s := range l.Series {
		p.Add(painter(func(c draw.Canvas, p *plot.Plot) { s.paint(c, p, high) }))
	}
	p.Add(painter(l.marks))
	aligned(p, c)
}

func (s Series) paint(c draw.Canvas, p *plot.Plot, high func(float64) float64) {
	var line, band []vg.Point
	for i, x := range s.X {
		line = append(line, point(c, p, x, high(s.Y[i])))
		if s.Low != nil {
			band = append(band, point(c, p, x, high(s.High[i])))
		}
	}
	for i := len(band) - 1; i >= 0; i-- {
		band = append(band, point(c, p, s.X[i], high(s.Low[i])))
	}
	if len(band) > 0 {
		c.FillPolygon(faint(ink(s.Group), 55), c.ClipPolygonXY(band))
	}
	style := draw.LineStyle{Color: ink(s.Group), Width: 1.8, Dashes: dashes(s.Group)}
	if s.Thin {
		style = draw.LineStyle{Color: ink(s.Group), Width: 0.9, Dashes: []vg.Length{1.5, 2}}
	}
	c.StrokeLines(style, c.ClipLinesXY(line)...)
	if len(line) == 1 {
		c.DrawGlyph(draw.GlyphStyle{Color: ink(s.Group), Radius: 3, Shape: shape(s.Group)}, line[0])
	}
}

// marks draws what is no curve.
func (l Lines) marks(c draw.Canvas, p *plot.Plot) {
	small := sans(8)
	small.Color = grey()
	for _, x := range l.Levels {
		at := point(c, p, p.X.Max, x.Y)
		dotted := draw.LineStyle{Color: grey(), Width: 0.8, Dashes: []vg.Length{1, 2}}
		c.StrokeLine2(dotted, c.Min.X, at.Y, c.Max.X, at.Y)
		right := small
		right.XAlign = draw.XRight
		c.FillText(right, vg.Point{X: c.Max.X - 2, Y: at.Y + 2}, x.Name)
	}
	for i, s := range l.Spans {
		y := -spanHeight * (float64(i) + 0.5)
		from, to, mark := point(c, p, s.From, y), point(c, p, s.To, y), point(c, p, s.Mark, y)
		to.X = max(to.X, from.X+2)
		c.StrokeLine2(draw.LineStyle{Color: ink(s.Group), Width: 5}, from.X, from.Y, to.X, to.Y)
		c.StrokeLine2(draw.LineStyle{Color: ink(s.Group), Width: 1.2}, mark.X, mark.Y-5, mark.X, mark.Y+5)
	}
	for _, x := range l.Crosses {
		at := point(c, p, x.X, x.Y)
		c.DrawGlyph(draw.GlyphStyle{Color: ink(6), Radius: 4, Shape: draw.PlusGlyph{}}, at)
		c.FillText(sans(8.5), vg.Point{X: at.X + 6, Y: at.Y - 9}, x.Name)
	}
}
