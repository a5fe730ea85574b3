package figure

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shares is a chart of accuracies over a few classes of samples, with intervals, and a table of how many samples each
// point has under it, if not NoCounts.
type Shares struct {
	Title, X, Y string
	Classes     []string
	Groups      []ShareGroup
	Levels      []Level
	NoCounts    bool
}

// ShareGroup is the points of one group.
type ShareGroup struct {
	Group  int
	Points []Share
}

// Share is one point.
type Share struct {
	Class        int // its place on the axis
	Y, Low, High float64
	Count        int
	Thin         bool // of so few samples that it is drawn faint
}

const tableLine = 11 // points

func (s Shares) draw(c draw.Canvas) {
	p := chart(s.Title, s.X, s.Y)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 1, percents()
	p.X.Min, p.X.Max = -0.5, float64(len(s.Classes))-0.5
	var ticks plot.ConstantTicks
	room := (c.Size().X-66)/vg.Length(max(len(s.Classes), 1)) - 3 // of a name, in lines
	for i, name := range s.Classes {
		lines := wrap(sans(8.5), strings.ReplaceAll(cut(sans(8.5), name, 3*room), "–", "– "), room)
		name = strings.ReplaceAll(strings.Join(lines, "\n"), "– ", "–")
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	p.X.Tick.Marker = ticks
	p.Add(&plotter.Grid{Horizontal: gridLine()})
	p.Add(painter(Lines{Levels: s.Levels}.marks))
	for i, g := range s.Groups {
		aside := 0.5 * (float64(i) - float64(len(s.Groups)-1)/2) / float64(max(len(s.Groups), 2))
		p.Add(painter(func(c draw.Canvas, p *plot.Plot) { g.paint(c, p, aside) }))
	}
	if s.NoCounts {
		aligned(p, c)
		return
	}
	s.table(c, p, aligned(p, draw.Crop(c, 0, 0, vg.Length(tableLine*len(s.Groups)+4), 0)))
}

func (g ShareGroup) paint(c draw.Canvas, p *plot.Plot, aside float64) {
	var line []vg.Point
	for _, x := range g.Points {
		line = append(line, point(c, p, float64(x.Class)+aside, x.Y))
	}
	c.StrokeLines(draw.LineStyle{Color: faint(ink(g.Group), 110), Width: 0.9, Dashes: dashes(g.Group)}, line)
	for i, x := range g.Points {
		colour := ink(g.Group)
		if x.Thin {
			colour = faint(colour, 80)
		}
		low, high := point(c, p, 0, x.Low).Y, point(c, p, 0, x.High).Y
		style := draw.LineStyle{Color: colour, Width: 1.2}
		c.StrokeLine2(style, line[i].X, low, line[i].X, high)
		for _, y := range []vg.Length{low, high} {
			c.StrokeLine2(style, line[i].X-2.5, y, line[i].X+2.5, y)
		}
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: colour, Radius: 3, Shape: shape(g.Group)}, line[i])
	}
}

// table writes the numbers of samples under the axis, a line a group, in its colour.
func (s Shares) table(c draw.Canvas, p *plot.Plot, data draw.Canvas) {
	for i, g := range s.Groups {
		style := centred(sans(8))
		style.Color = ink(g.Group)
		y := c.Min.Y + vg.Length(tableLine*(len(s.Groups)-1-i)+5)
		head := style
		head.XAlign = draw.XLeft
		c.FillText(head, vg.Point{X: c.Min.X + 12, Y: y}, "n")
		for _, x := range g.Points {
			c.FillText(style, vg.Point{X: data.X(p.X.Norm(float64(x.Class))), Y: y}, number(x.Count))
		}
	}
}
