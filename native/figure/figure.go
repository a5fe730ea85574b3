// Package figure draws pages of charts as SVG and PNG. It receives plain values and knows no model and no record.
//
// A page brings its own white ground, so that it is legible on light and dark pages. Colours are those of Okabe and
// Ito, which colour-blind readers tell apart; lines differ in their dashes too, points in their shapes. Text in an SVG
// is text, in Liberation Sans or one of the fonts that are as wide (Arial, Helvetica).
package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"mhacsp/native/words"
)

// Page is a figure: a title, a legend, rows of panels, and what they show in words.
type Page struct {
	Title   string
	Legend  []string // names of the groups, by number; drawn where there are any
	Rows    []Row
	Caption []string // paragraphs
}

// Row is panels side by side, of one height in points.
type Row struct {
	Height float64
	Panels []Panel
	Widths []float64 // the panels' shares of the row; nil: equal ones
}

// Panel is one chart: Lines, Shares, Dots, Dial, Heat, Scale or Parallel.
type Panel interface{ draw(c draw.Canvas) }

// Measures of a page, in points.
const (
	pageWidth = 720
	margin    = 14
	gap       = 12 // between panels
	lineGap   = 1.25
	dpi       = 144 // of a PNG
)

// SVG is the page as an SVG document, whose title and description are the page's title and caption.
func (p Page) SVG() ([]byte, error) {
	c := vgsvg.New(pageWidth, p.height())
	p.paint(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	var about bytes.Buffer
	for _, x := range []struct{ tag, text string }{{"title", p.Title}, {"desc", strings.Join(p.Caption, "\n")}} {
		about.WriteString("<" + x.tag + ">")
		if err := xml.EscapeText(&about, []byte(x.text)); err != nil {
			return nil, err
		}
		about.WriteString("</" + x.tag + ">\n")
	}
	drawn := bytes.ReplaceAll(bytes.Map(inXML, out.Bytes()), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	head, body, ok := bytes.Cut(drawn, []byte("xlink\">\n"))
	if !ok {
		return nil, fmt.Errorf("figure: the head of the SVG is not the one known: %.200q", drawn)
	}
	return bytes.Join([][]byte{head, []byte("xlink\" role=\"img\">\n"), about.Bytes(), body}, nil), nil
}

// inXML is a character as XML can hold it: what it cannot, as control characters, is U+FFFD.
func inXML(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
		return utf8.RuneError
	}
	return r
}

// PNG is the page as a picture of 1440 pixels' width.
func (p Page) PNG() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(pageWidth, p.height()), vgimg.UseDPI(dpi))
	p.paint(draw.New(c))
	var out bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&out)
	return out.Bytes(), err
}

// sans is a style of text, black, from its left end and its base line.
func sans(size float64) text.Style {
	return text.Style{
		Color: color.Black, Handler: plot.DefaultTextHandler,
		Font: plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
	}
}

func bold(size float64) text.Style {
	s := sans(size)
	s.Font.Weight = font.WeightBold
	return s
}

// grey is ink that is legible on white and steps back behind black.
func grey() color.Color { return color.Gray{Y: 90} }

// ink is the colour of a group; there are eight, then they begin again.
func ink(group int) color.NRGBA {
	list := []color.NRGBA{
		{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
		{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255}, {128, 128, 128, 255},
	}
	return list[group%len(list)]
}

// faint is a colour that lets others through.
func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

func gridLine() draw.LineStyle { return draw.LineStyle{Color: faint(ink(7), 70), Width: 0.4} }

// dashes of a group.
func dashes(group int) []vg.Length {
	list := [][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 2, 2}}
	return list[(group+group/8)%len(list)] // other ones where the colours begin again
}

// shape of a group's points.
func shape(group int) draw.GlyphDrawer {
	list := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{},
		draw.CrossGlyph{},
	}
	return list[group%len(list)]
}

func (p Page) height() vg.Length {
	h := vg.Length(2*margin + 22)
	h += vg.Length(len(p.legend())) * 15
	for _, r := range p.Rows {
		h += vg.Length(r.Height) + gap
	}
	return h + vg.Length(float64(len(p.caption()))*captionSize*lineGap)
}

const captionSize = 8.5

// caption is the paragraphs, broken into lines.
func (p Page) caption() []string {
	var lines []string
	for _, paragraph := range p.Caption {
		lines = append(lines, wrap(sans(captionSize), paragraph, pageWidth-2*margin)...)
	}
	return lines
}

// wrap breaks text between its words. A word that is wider than a line is broken where it must.
func wrap(s text.Style, paragraph string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(strings.ReplaceAll(paragraph, " %", "\u00a0%"), " ") {
		for line == "" && s.Width(word) > width || s.Width(word) > width && s.Width(line+" ") < width {
			cut := strings.TrimLeft(line+" ", " ")
			n := 0
			for i := range word {
				if s.Width(cut+word[:i]) <= width {
					n = i
				}
			}
			if n == 0 {
				break
			}
			lines, line, word = append(lines, cut+word[:n]), "", word[n:]
		}
		if next := strings.TrimLeft(line+" "+word, " "); line == "" || s.Width(next) <= width {
			line = next
			continue
		}
		lines, line = append(lines, line), word
	}
	return append(lines, line)
}

// legend is the groups' numbers, in lines.
func (p Page) legend() [][]int {
	var lines [][]int
	at := vg.Length(math.Inf(1))
	for i := range p.Legend {
		w := legendKey + sans(10).Width(p.name(i)) + 18
		if at+w > pageWidth-2*margin {
			lines, at = append(lines, nil), 0
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], i)
		at += w
	}
	return lines
}

const legendKey = 30 // the width of a key and the space behind it

// name is a group's in the legend.
func (p Page) name(group int) string {
	return cut(sans(10), p.Legend[group], pageWidth-2*margin-legendKey-18)
}

// cut ends a text that is too wide with three dots. The caption has the whole.
func cut(s text.Style, line string, width vg.Length) string {
	if s.Width(line) <= width {
		return line
	}
	runes := []rune(line)
	for len(runes) > 0 && s.Width(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

func (p Page) paint(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	y := c.Max.Y - 12
	c.FillText(bold(13), vg.Point{X: c.Min.X, Y: y}, cut(bold(13), p.Title, pageWidth-2*margin))
	y -= 10
	for _, line := range p.legend() {
		x := c.Min.X
		for _, group := range line {
			s := draw.LineStyle{Color: ink(group), Width: 2, Dashes: dashes(group)}
			c.StrokeLine2(s, x, y-5, x+legendKey-6, y-5)
			c.DrawGlyph(draw.GlyphStyle{Color: ink(group), Radius: 3, Shape: shape(group)},
				vg.Point{X: x + (legendKey-6)/2, Y: y - 5})
			name := p.name(group)
			c.FillText(sans(10), vg.Point{X: x + legendKey, Y: y - 8.5}, name)
			x += legendKey + sans(10).Width(name) + 18
		}
		y -= 15
	}
	for _, r := range p.Rows {
		r.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: y - vg.Length(r.Height)}, Max: vg.Point{X: c.Max.X, Y: y},
		}})
		y -= vg.Length(r.Height) + gap
	}
	s := sans(captionSize)
	s.Color = grey()
	for _, line := range p.caption() {
		y -= captionSize * lineGap
		c.FillText(s, vg.Point{X: c.Min.X, Y: y + 6}, line)
	}
}

func (r Row) paint(c draw.Canvas) {
	shares := r.Widths
	if shares == nil {
		shares = slices.Repeat([]float64{1}, len(r.Panels))
	}
	total := 0.0
	for _, s := range shares {
		total += s
	}
	free := c.Max.X - c.Min.X - vg.Length(gap*(len(r.Panels)-1))
	x := c.Min.X
	for i, panel := range r.Panels {
		w := free * vg.Length(shares[i]/total)
		panel.draw(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: c.Min.Y}, Max: vg.Point{X: x + w, Y: c.Max.Y},
		}})
		x += w + gap
	}
}

// chart is an empty plot in the page's style.
func chart(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.Title.Padding, p.Title.TextStyle = title, 4, bold(10)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	for _, a := range []struct {
		axis *plot.Axis
		name string
	}{{&p.X, x}, {&p.Y, y}} {
		a.axis.Label.Text = a.name
		a.axis.Label.TextStyle.Font = sans(9).Font
		a.axis.Tick.Label.Font = sans(8.5).Font
		a.axis.Tick.Length, a.axis.Padding = 3, 3
		a.axis.Tick.Marker = round{}
		a.axis.LineStyle.Color, a.axis.Tick.LineStyle.Color = grey(), grey()
	}
	return p
}

// aligned draws a plot whose data begin and end where those of other such plots do that stand above or below.
func aligned(p *plot.Plot, c draw.Canvas) draw.Canvas {
	const left, right = 56, 10
	data := p.DataCanvas(c)
	c = draw.Crop(c, max(0, left-(data.Min.X-c.Min.X)), min(0, c.Max.X-data.Max.X-right), 0, 0)
	p.Draw(c)
	return p.DataCanvas(c)
}

// painter is a plotter of a function.
type painter func(draw.Canvas, *plot.Plot)

// Plot implements plot.Plotter.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// point is where a value lies on a plot's canvas.
func point(c draw.Canvas, p *plot.Plot, x, y float64) vg.Point {
	return vg.Point{X: c.X(p.X.Norm(x)), Y: c.Y(p.Y.Norm(y))}
}

// centred is a style that has its point in the middle.
func centred(s text.Style) text.Style {
	s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
	return s
}

// round are ticks of a linear axis at round numbers, some five to ten with a name, 12000 written as 12 000.
type round struct{}

// Ticks implements plot.Ticker.
func (round) Ticks(low, high float64) (ticks []plot.Tick) {
	if !(high > low) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, times := range []float64{5, 2} {
		if (high-low)/(times*step) >= 4 {
			step *= times
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		name := number(int(math.Round(i * step)))
		switch {
		case step > 1e9:
			name = strconv.FormatFloat(i*step, 'g', 3, 64)
		case step < 1 && i != 0:
			places := -int(math.Floor(math.Log10(step) + 1e-9))
			name = strings.Replace(strconv.FormatFloat(i*step, 'f', places, 64), "-", "−", 1)
		}
		ticks = append(ticks, plot.Tick{Value: i * step, Label: name})
	}
	return ticks
}

// powers are ticks of an axis of decimal logarithms.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(low, high float64) (ticks []plot.Tick) {
	for e := math.Ceil(low); e <= high; e++ {
		ticks = append(ticks, plot.Tick{Value: e, Label: strconv.FormatFloat(math.Pow(10, e), 'f', -1, 64)})
	}
	return ticks
}

// number writes 12000 as "12 000", with a minus as wide as a plus.
func number(n int) string { return strings.Replace(words.Number(n), "-", "−", 1) }

// percents are ticks of shares from 0 to 1.
func percents() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i := range 11 {
		t := plot.Tick{Value: float64(i) / 10}
		if i%2 == 0 {
			t.Label = fmt.Sprint(10 * i)
		}
		ticks = append(ticks, t)
	}
	return ticks
}
