package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"mhacsp/tasks/assert"
)

// parsed is what a test asks of an SVG: its texts, and the style of each path.
type parsed struct{ texts, styles []string }

func (p parsed) count(style string) (n int) {
	for _, s := range p.styles {
		if strings.Contains(s, style) {
			n++
		}
	}
	return n
}

func parse(t *testing.T, svg []byte) (p parsed) {
	t.Helper()
	inside := ""
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		assert.Need(t, err == nil, "%v in\n%.2000s", err, svg)
		switch x := token.(type) {
		case xml.StartElement:
			inside = x.Name.Local
			for _, a := range x.Attr {
				if inside == "path" && a.Name.Local == "style" {
					p.styles = append(p.styles, a.Value)
				}
			}
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if inside == "text" || inside == "title" || inside == "desc" {
				p.texts = append(p.texts, string(x))
			}
		}
	}
}

// drawn draws a page in both formats.
func drawn(t *testing.T, p Page) parsed {
	t.Helper()
	svg := assert.Must(p.SVG())(t)
	again, err := p.SVG()
	assert.True(t, err == nil && bytes.Equal(svg, again), "drawn twice, a page differs: %v", err)
	picture := assert.Must(p.PNG())(t)
	image := assert.Must(png.Decode(bytes.NewReader(picture)))(t)
	assert.Is(t, image.Bounds().Dx(), 1440, "the picture is … pixels wide")
	r, g, b, a := image.At(1, 1).RGBA()
	assert.True(t, r&g&b&a == 0xffff, "the ground is %v, want opaque white", image.At(1, 1))
	return parse(t, svg)
}

func (p parsed) has(t *testing.T, texts ...string) {
	t.Helper()
	for _, want := range texts {
		assert.True(t, slices.Contains(p.texts, want), "no text %q among %q", want, p.texts)
	}
}

func TestLines(t *testing.T) {
	x := []float64{0, 1000, 2000}
	p := drawn(t, Page{
		Title: "A <title>", Legend: []string{"one", "two (3 seeds)"}, Caption: []string{"What 5 % mean & more."},
		Rows: []Row{{Height: 200, Panels: []Panel{Lines{
			Title: "Shares", X: "steps", Y: "right (%)", Share: true,
			Series: []Series{
				{Group: 0, X: x, Y: []float64{0, 0.5, 1}, Low: []float64{0, 0.4, 1}, High: []float64{0.1, 0.6, 1}},
				{Group: 1, X: x, Y: []float64{0, 0.2, 0.3}}, {Group: 1, Thin: true, X: x, Y: []float64{0, 0.1, 0.2}},
			},
			Levels: []Level{{"a guess", 0.5}}, Spans: []Span{{1, 500, 900, 1500}},
			Crosses: []Cross{{"paper", 500, 0.9}},
		}}}, {Height: 200, Panels: []Panel{Lines{
			Title: "Loss", X: "steps", Y: "nats",
			Series: []Series{{X: x, Y: []float64{3, 0.02, 0}}, {X: x[:1], Y: []float64{1}}}, // 0 is drawn at Tiny
		}}}},
	})
	p.has(t, "A <title>", "one", "two (3 seeds)", "Shares", "steps", "right (%)", "1 000", "100", "a guess", "paper",
		"Loss", "nats", "10", "0.01", "0.000001", "What 5\u00a0% mean & more.", "What 5 % mean & more.")
	// Blue: the curve, its key and loss; one band. Orange: curve, key, thin line, the bar and its mark.
	assert.Is(t, p.count("stroke:#0072B2"), 3, "blue lines")
	assert.Is(t, p.count("fill-opacity"), 1, "blue bands")
	assert.Is(t, p.count("stroke:#D55E00"), 6, "orange lines, and the frame of the key's square: %q", p.styles)
}

func TestShares(t *testing.T) {
	p := drawn(t, Page{Rows: []Row{{Height: 200, Panels: []Panel{Shares{
		Title: "By depth", X: "depth", Y: "right (%)", Classes: []string{"0", "1", "2"}, Levels: []Level{{Y: 0.1}},
		Groups: []ShareGroup{{0, []Share{{0, 0.9, 0.85, 0.95, 12345, false}, {2, 0.5, 0.1, 0.9, 7, true}}}, {1, nil}},
	}}}}})
	p.has(t, "By depth", "depth", "0", "1", "2", "n", "12 345", "7")
	// A point has an interval with two ends; the faint one lets others through.
	assert.Is(t, p.count("stroke:#0072B2;stroke-width:1.2"), 3, "strokes of the sure point: %q", p.styles)
	assert.Is(t, p.count("stroke-opacity:0.31373"), 3, "strokes of the thin point: %q", p.styles)
}

func TestPlane(t *testing.T) {
	p := drawn(t, Page{Rows: []Row{{Height: 250, Panels: []Panel{
		Dots{Title: "Map", X: "first", Y: "second", Names: []string{"a", "b", "c"},
			Points: [][2]float64{{0, 0}, {3, 1}, {-2, 2}}},
		Dial{Title: "Circle", Hands: []Angle{{"4", 1}, {"5", 1}, {"6", 1.01}}, Marks: []Angle{{"m", 2}},
			Notes: []string{"R 0.5", "chance"}},
	}}}})
	p.has(t, "Map", "first", "second", "a", "b", "c", "Circle", "4", "5", "6", "m", "R 0.5", "chance")
	assert.Is(t, p.count("fill:#0072B2"), 6, "dots")
	five := []vg.Point{{X: 4, Y: 5}}
	assert.True(t, near(vg.Point{X: 1, Y: 1}, five, 5.1) && !near(vg.Point{X: 1, Y: 1}, five, 5),
		"near is not about a distance of 5")
}

func TestHeat(t *testing.T) {
	none := math.NaN()
	p := drawn(t, Page{Rows: []Row{{Height: 150, Panels: []Panel{
		Heat{Title: "Matrix", Values: [][]float64{{0, none}, {1, 2}}, Max: 2,
			Rows: []string{"r1", "r2"}, Columns: []string{"c1", "c2"}},
		Heat{Title: "Zeros", Values: [][]float64{{0}}, Rows: []string{"z"}, Columns: []string{"z"}},
		Scale{Title: "D", Max: 2}, Scale{Title: "E"},
	}, Widths: []float64{2, 2, 1, 1}}}})
	p.has(t, "Matrix", "r1", "r2", "c1", "c2", "Zeros", "D", "2.0", "E", "1.0")
	colours := blues().Colors()
	hex := func(c color.Color) string {
		r, g, b, _ := c.RGBA()
		return fmt.Sprintf("fill:#%02X%02X%02X", r/257, g/257, b/257)
	}
	assert.Is(t, p.count(hex(colours[0])), 4, "lightest: the cells of 0, and the foot of each scale")
	assert.Is(t, p.count(hex(colours[tones-1])), 3, "darkest: the cell of 2, and the top of each scale")
	light := func(c color.Color) uint32 { r, g, b, _ := c.RGBA(); return 2*r + 5*g + b }
	for i := 1; i < tones; i++ {
		assert.Need(t, light(colours[i]) <= light(colours[i-1]), "tone %d is lighter than the one before", i)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 600, "0 100 200 300 400 500 600"}, {0, 12000, "0 2 000 4 000 6 000 8 000 10 000 12 000"},
		{-0.3, 1.2, "−0.2 0 0.2 0.4 0.6 0.8 1.0 1.2"}, {1, 24, "5 10 15 20"}, {-7, 7, "−6 −4 −2 0 2 4 6"}, {3, 3, ""},
		{0, 0.0005, "0 0.0001 0.0002 0.0003 0.0004 0.0005"},
	} {
		var names []string
		for _, x := range (round{}).Ticks(c.low, c.high) {
			names = append(names, x.Label)
		}
		assert.Is(t, strings.Join(names, " "), c.want, "%v to %v", c.low, c.high)
	}
	assert.Is(t, number(-1234567), "−1 234 567", "a number")
}

func TestCut(t *testing.T) {
	s := sans(10)
	for _, text := range []string{"", "short", strings.Repeat("a longer title ", 20)} {
		got := cut(s, text, 150)
		assert.True(t, s.Width(got) <= 150 && (len(text) >= 10 || got == text) &&
			(len(text) <= 10 || strings.HasSuffix(got, "…")), "%q became %q", text, got)
	}
}

// TestWrap: no line is wider than it may be, and no character is lost.
func TestWrap(t *testing.T) {
	s := sans(captionSize)
	for _, text := range []string{
		"", "word", strings.Repeat("some words ", 40) + "end", "a " + strings.Repeat("x", 300) + " b",
		strings.Repeat("/long/path", 90), strings.Repeat("5 % of ", 60) + "it",
	} {
		lines := wrap(s, text, 200)
		for _, line := range lines {
			assert.True(t, s.Width(line) <= 200, "%q is wider than 200 points", line)
			assert.True(t, !strings.HasPrefix(line, "%"), "%q begins with what belongs to the line before", line)
		}
		bare := func(s string) string { return strings.NewReplacer(" ", "", "\u00a0", "").Replace(s) }
		assert.True(t, bare(strings.Join(lines, "")) == bare(text), "%q became %q", text, lines)
	}
}

// TestParallel: each run has a line across all axes, some dashed, and the last one alone is orange.
func TestParallel(t *testing.T) {
	axis := ParallelAxis{Name: "lr", Ticks: []ParallelTick{{At: 0, Name: "0.001"}, {At: 1, Name: "0.1"}}}
	chart := Parallel{
		Axes:  []ParallelAxis{axis, {Name: "batch"}, {Name: "accuracy"}},
		Lines: []ParallelLine{{[]float64{0, 0.5, 0}, true}, {[]float64{1, 0, 0.5}, false}, {[]float64{0.5, 1, 1}, false}},
	}
	text := string(assert.Must(Page{Title: "t", Rows: []Row{{Height: 200, Panels: []Panel{chart}}}}.SVG())(t))
	for want, times := range map[string]int{
		"stroke:#CDCDCD": 1, "stroke:#669FBF": 1, "stroke:#D55E00": 1, ">lr<": 1, ">batch<": 1, ">0.001<": 1,
		"stroke-dasharray:": 1,
	} {
		assert.Is(t, strings.Count(text, want), times, "%s stands … times in\n%s\n", want, text)
	}
}
