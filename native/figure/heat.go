package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a matrix, row 0 on top. NaN stays white.
type Heat struct {
	Title   string
	Values  [][]float64
	Rows    []string // names; nil: not written
	Columns []string
	Max     float64 // of the colours, which begin at 0
}

// Scale is the colours from 0 to Max, with numbers, for Heats next to it.
type Scale struct {
	Title string
	Max   float64
}

const tones = 128

// blues go from nearly white to dark blue, steadily darker, which every eye sees.
func blues() palette.Palette {
	m, err := moreland.NewLuminance([]color.Color{
		color.NRGBA{8, 48, 107, 255}, color.NRGBA{33, 113, 181, 255},
		color.NRGBA{107, 174, 214, 255}, color.NRGBA{239, 245, 252, 255},
	})
	if err != nil {
		panic("figure: " + err.Error()) // the colours above do not grow lighter
	}
	m.SetMin(0)
	m.SetMax(1)
	return palette.Reverse(m).Palette(tones)
}

func (h Heat) draw(c draw.Canvas) {
	p := chart(h.Title, "", "")
	rows, columns := len(h.Values), len(h.Values[0])
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(columns)-0.5, -0.5, float64(rows)-0.5
	p.X.Tick.Marker = names(h.Columns, func(i int) float64 { return float64(i) })
	p.Y.Tick.Marker = names(h.Rows, func(i int) float64 { return float64(rows - 1 - i) })
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Length, a.Padding, a.LineStyle.Width = 0, 1, 0
		size := min(8.5, 0.72*float64(c.Max.Y-c.Min.Y-20)/float64(max(rows, columns)))
		a.Tick.Label.Font = sans(max(size, 4)).Font
	}
	p.Add(painter(h.cells))
	p.Draw(square(c))
}

// cells fills the matrix. The library's own map of heat drops cells at the edge whose corners rounding moves.
func (h Heat) cells(c draw.Canvas, p *plot.Plot) {
	colours := blues().Colors()
	for i, line := range h.Values {
		y := float64(len(h.Values) - 1 - i)
		for j, v := range line {
			if math.IsNaN(v) {
				continue
			}
			tone := math.Round(min(max(v/width(h.Max), 0), 1) * (tones - 1))
			c.SetColor(colours[int(tone)])
			c.Fill(vg.Rectangle{
				Min: point(c, p, float64(j)-0.5, y-0.5), Max: point(c, p, float64(j)+0.5, y+0.5),
			}.Path())
		}
	}
}

// width is the greatest number of a scale; where all are 0 it is 1, so that the scale has a width.
func width(most float64) float64 {
	if most > 0 {
		return most
	}
	return 1
}

// names are ticks with a name each; of more than sixty only some are written.
func names(list []string, at func(int) float64) plot.ConstantTicks {
	ticks := plot.ConstantTicks{}
	every := (len(list) + 59) / 60
	for i, name := range list {
		if i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: at(i), Label: name})
		}
	}
	return ticks
}

func (s Scale) draw(c draw.Canvas) {
	size := c.Size()
	c = draw.Crop(c, 0, 0, 0.15*size.Y, -0.15*size.Y)
	p := chart(s.Title, "", "")
	p.HideX()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, width(s.Max)
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
		low, high := c.Min.Y, c.Max.Y
		for i, tone := range blues().Colors() { // each from its place to the top, so that no gap shows between two
			c.Min.Y = low + (high-low)*vg.Length(i)/tones
			c.SetColor(tone)
			c.Fill(c.Rectangle.Path())
		}
	}))
	p.Draw(c)
}
