package window

import (
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

// drawing is a list of what was drawn. A letter is half as wide as high.
type drawing struct {
	texts, rects, lines, faces []drawn
	measured                   int // characters
}

type drawn struct {
	area   rect
	ink    color.NRGBA
	text   string
	points []point // of a line
	circle.Face
}

func (d *drawing) Rect(r rect, _ float64, ink color.NRGBA) {
	d.rects = append(d.rects, drawn{area: r, ink: ink})
}
func (d *drawing) Line(ps []point, _ float64, ink color.NRGBA) {
	d.lines = append(d.lines, drawn{points: ps, ink: ink})
}
func (d *drawing) Face(f circle.Face, c point, radius float64, _ *circle.Palette) {
	area := rect{X: c.X - radius, Y: c.Y - radius, W: 2 * radius, H: 2 * radius}
	d.faces = append(d.faces, drawn{area: area, Face: f})
}
func (d *drawing) Measure(s string, size float64, _ bool) float64 {
	n := len([]rune(s))
	d.measured += n
	return 0.5 * size * float64(n)
}
func (d *drawing) Text(s string, at point, size float64, bold bool, a circle.Align, ink color.NRGBA) {
	w := d.Measure(s, size, bold)
	switch a {
	case circle.AlignMiddle:
		at.X -= w / 2
	case circle.AlignRight:
		at.X -= w
	}
	d.texts = append(d.texts, drawn{text: s, area: rect{X: at.X, Y: at.Y - size/2, W: w, H: size}, ink: ink})
}
func (d *drawing) Wrap(s string, size, width float64) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && d.Measure(line+" "+word, size, false) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// find is a text that was drawn.
func (d *drawing) find(t *testing.T, text string) drawn {
	t.Helper()
	i := slices.IndexFunc(d.texts, func(x drawn) bool { return x.text == text })
	assert.Need(t, i >= 0, "%q is not drawn; drawn is %v", text, d.texts)
	return d.texts[i]
}

func paint(s *Screen) *drawing {
	d := &drawing{}
	s.paint(d)
	return d
}

// TestPaintInside: whatever the size, no text and no shape leaves the window, and no text lies on the circle.
func TestPaintInside(t *testing.T) {
	for _, class := range []bool{false, true} {
		for _, size := range [][2]float64{
			{280, 280}, {420, 420}, {640, 1000}, {900, 560}, {1280, 800}, {1920, 1080}, {3840, 2160}, {400, 2000},
		} {
			s, _ := screen(t, Options{Class: class, Example: "1+2"})
			s.SetSize(size[0], size[1])
			c := content()
			c.Rows = append(c.Rows, Row{"device", strings.Repeat("a long name ", 20)})
			c.Samples[0].Prompt = strings.Repeat("(1 + 2)", 50)
			c.Samples[0].Output = c.Samples[0].Prompt
			s.SetContent(c)
			s.SetNotice(strings.Repeat("a long mistake ", 40), true)
			s.Press("e")
			for range 300 {
				s.Type('7')
			}
			l, d, whole := s.arrange(), paint(s), rect{W: size[0], H: size[1]}
			for _, x := range slices.Concat(d.texts, d.rects) { // a shape has no text
				assert.True(t, within(x.area, whole, 0.5),
					"class %t, %v: %q at %v is outside", class, size, x.text, x.area)
				assert.True(t, x.text == "" || !overlap(x.area, l.circle.Inset(1)),
					"class %t, %v: %q lies on the circle", class, size, x.text)
			}
			h := &drawing{}
			s.paintHelp(h)
			for _, x := range h.texts {
				assert.True(t, within(x.area, whole, 0), "%v: the help's %q at %v is outside", size, x.text, x.area)
			}
		}
	}
}

// TestPaintNumbers: each value stands next to its label, in the numbers' place.
func TestPaintNumbers(t *testing.T) {
	s, _ := screen(t, Options{})
	d, l := paint(s), s.arrange()
	for _, row := range content().Rows {
		a, b := d.find(t, row.Label), d.find(t, row.Value)
		assert.True(t, a.area.Y == b.area.Y && b.area.X >= a.area.Right() && l.numbers.Contains(a.area.Center()) &&
			l.numbers.Contains(b.area.Center()), "%q at %v, %q at %v", a.text, a.area, b.text, b.area)
	}
}

// TestPaintChart: points stand where their numbers are, between the lines that are labelled.
func TestPaintChart(t *testing.T) {
	s, _ := screen(t, Options{})
	d, l := paint(s), s.arrange()
	c := circle.Colours(false)
	i := slices.IndexFunc(d.lines, func(x drawn) bool {
		return x.ink == c.Turning && len(x.points) == 3 && l.loss.Contains(x.points[1])
	})
	assert.Need(t, i >= 0, "no curve of the loss")
	curve, zero, four := d.lines[i].points, d.find(t, "0"), d.find(t, "4") // of the loss, at most 3.6
	for _, x := range d.texts {
		if l.loss.Contains(x.area.Center()) && x.text == "0" && x.area.X < curve[0].X-5 {
			zero = x
		}
	}
	y := func(v float64) float64 {
		a, b := zero.area.Center().Y, four.area.Center().Y
		return a + (b-a)*v/4
	}
	for i, v := range []float64{3.6, 2, 1} {
		assert.True(t, math.Abs(curve[i].Y-y(v)) <= 1, "a loss of %v stands at %v, want %v", v, curve[i].Y, y(v))
	}
	assert.True(t, math.Abs(curve[1].X-(curve[0].X+curve[2].X)/2) <= 1e-6 && curve[2].X <= l.loss.Right(),
		"steps 0, 50, 100 of 100 stand at %v", curve)
	dots := 0
	for _, x := range d.rects {
		if x.ink == c.Answer && overlap(x.area, l.shares) && x.area.W == x.area.H && x.area.Y > l.shares.Y+2*l.em {
			dots++
		}
	}
	// The one at 100 % stands on the field's upper edge.
	assert.True(t, dots == 1 || dots == 2, "%d dots of the answer's share", dots)
	assert.Is(t, ceiling(&Chart{}), 1, "an empty chart ends at")
	for top, want := range map[float64]float64{0.013: 0.02, 0.9: 1, 1: 1, 3.6: 4, 7: 8, 96: 100} {
		got := ceiling(&Chart{Series: []Series{{Y: []float64{top}}}})
		assert.True(t, math.Abs(got-want) <= 1e-12, "a chart up to %v ends at %v, want %v", top, got, want)
	}
	s.content.Loss.Series[0].Y[0] = 3e38
	x := paint(s).find(t, "1.5e+38").area.X
	assert.True(t, x > l.circle.Right(), "a great loss begins at %v, in the circle", x)
}

// TestPaintSamples: what is as in the target has the colour of what is right, the rest the other, with a line beneath.
func TestPaintSamples(t *testing.T) {
	s, _ := screen(t, Options{})
	c := content()
	s.SetContent(c)
	d, colours := paint(s), circle.Colours(false)
	for text, ink := range map[string]color.NRGBA{
		"2 repeat 1+1": colours.Right, "4 repeat 2": colours.Right, "-7": colours.Wrong,
	} {
		x := d.find(t, text)
		assert.Is(t, x.ink, ink, "%q is drawn in", text)
		under := slices.ContainsFunc(d.rects, func(r drawn) bool {
			a := r.area
			return r.ink == colours.Wrong && a.X == x.area.X && a.W == x.area.W && a.Y > x.area.Center().Y
		})
		assert.Is(t, under, ink == colours.Wrong, "%q: line beneath", text)
	}
	signs := map[color.NRGBA]int{}
	for _, x := range d.lines {
		signs[x.ink]++
	}
	// A check, the two strokes of a cross.
	assert.True(t, signs[colours.Right] == 1 && signs[colours.Wrong] == 2, "signs %v", signs)
}

// TestPaintRule: for a class the rule of the present token stands there, whole.
func TestPaintRule(t *testing.T) {
	s, _ := screen(t, Options{Class: true})
	for at := range 4 {
		s.View.Seek(at)
		settle(s)
		d, l := paint(s), s.arrange()
		var words []string
		for _, x := range d.texts {
			if l.rule.Contains(x.area.Center()) {
				words = append(words, x.text)
			}
		}
		assert.Is(t, strings.Join(words, " "), s.rules[at], "token %d", at)
	}
	for _, x := range paint(s).texts {
		assert.True(t, x.text != "numbers" && x.text != "Test samples" && x.text != "Loss", "a class sees %q", x.text)
	}
}

// TestPaintField: the line and its caret, what is said beneath, and training's trouble where nothing else is said.
func TestPaintField(t *testing.T) {
	s, _ := screen(t, Options{Example: "1+2"})
	caret := func() int {
		l, n := s.arrange(), 0
		for _, x := range paint(s).rects {
			if x.ink == circle.Colours(false).Turning && l.field.Contains(x.area.Center()) && x.area.H > l.em &&
				x.area.W < 5 && x.area.X > l.field.X+10 && x.area.Right() < l.field.Right()-10 {
				n++
			}
		}
		return n
	}
	paint(s).find(t, "1+2")
	assert.Is(t, caret(), 0, "a caret without typing")
	s.Press("e")
	assert.Is(t, caret(), 1, "no caret while typing")
	s.SetNotice("column 2: found x", true)
	assert.Is(t, paint(s).find(t, "column 2: found x").ink, circle.Colours(false).Wrong, "a mistake is not marked")
	const trouble = "Training ended: the disk is full"
	s.SetTrouble(trouble)
	assert.Is(t, paint(s).find(t, trouble).ink, circle.Colours(false).Wrong, "trouble is not marked")
	s.SetNotice("column 1: found y", true)
	paint(s).find(t, "column 1: found y")
	assert.NoError(t, s.SetReading(reading("2")))
	paint(s).find(t, trouble)
}

// TestFitted: of a long text the longest beginning that has room is found while little of it is measured.
func TestFitted(t *testing.T) {
	text := strings.Repeat("1", 60_000)
	for width, want := range map[float64]int{9: 0, 10: 2, 40: 8, 299_999: 59_999, 300_000: 60_000} {
		d := &drawing{}
		n := len([]rune(fitted(d, text, 10, width, false)))
		assert.True(t, n == want && d.measured < 20*len(text), "in %v fit %d characters, want %d; %d were measured",
			width, n, want, d.measured)
	}
	s, _ := screen(t, Options{Example: text[:1000]})
	s.edit()
	n := paint(s).measured
	assert.True(t, n < 50_000, "of a line of 1000 characters %d are measured", n)
}
