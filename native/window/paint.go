package window

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mhacsp/native/words"
	"mhacsp/site/circle"
)

// pen draws shapes, later ones over earlier ones: circle.Pen, or a list of what was drawn in tests.
type pen interface {
	Rect(r circle.Rect, radius float64, ink color.NRGBA)
	Line(ps []circle.Point, width float64, ink color.NRGBA)
	Text(s string, at circle.Point, size float64, bold bool, a circle.Align, ink color.NRGBA)
	Measure(s string, size float64, bold bool) float64
	Wrap(s string, size, width float64) []string
	Face(f circle.Face, center circle.Point, radius float64, c *circle.Palette)
}

// paint draws everything but the circle.
func (s *Screen) paint(p pen) {
	if s.adding.shown {
		s.paintAdding(p)
		return
	}
	l, c := s.arrange(), circle.Colours(s.dark)
	s.paintField(p, &l, &c)
	s.paintFoot(p, l.foot, l.em, &c)
	if !l.rule.Empty() {
		s.paintRule(p, &l, &c)
	}
	if !l.slider.Empty() {
		s.paintSlider(p, &l, &c)
	}
	if !l.numbers.Empty() {
		s.paintNumbers(p, &l, &c)
	}
	s.paintChart(p, l.em, l.loss, &s.content.Loss, &c)
	s.paintChart(p, l.em, l.shares, &s.content.Shares, &c)
	if !l.samples.Empty() {
		s.paintSamples(p, &l, &c)
	}
}

// fitted is the longest beginning of a text that is no wider than a width, with an
// ellipsis where something is missing.
func fitted(p pen, text string, size, width float64, bold bool) string {
	if p.Measure(text, size, bold) <= width {
		return text
	}
	runes := []rune(text)
	n := sort.Search(len(runes), func(n int) bool { return p.Measure(string(runes[:n])+"…", size, bold) > width })
	if n < 2 {
		return ""
	}
	return string(runes[:n-1]) + "…"
}

// write writes a text, or the beginning of it that has room.
func write(p pen, text string, at point, size, width float64, bold bool, ink color.NRGBA) {
	p.Text(fitted(p, text, size, width, bold), at, size, bold, circle.AlignLeft, ink)
}

func (s *Screen) paintField(p pen, l *layout, c *circle.Palette) {
	em := l.em
	r := l.field
	p.Rect(r, 0.35*em, c.Raised)
	edge := c.Muted
	if s.typing {
		edge = c.Turning
	}
	frame(p, r, max(1, 0.06*em), edge)
	inner := r.Inset(0.5 * em)
	mid := r.Center().Y
	const name = "Expression"
	size := 1.1 * em
	if w := p.Measure(name, em, false) + em; inner.W > 3*w {
		p.Text(name, point{X: inner.X, Y: mid}, em, false, circle.AlignLeft, c.Muted)
		_, inner = inner.CutLeft(w)
	}
	// A line longer than its field shows the part around the caret.
	runes := s.line.text
	from := sort.Search(s.line.caret, func(i int) bool {
		return p.Measure(string(runes[i:s.line.caret]), size, false) <= inner.W-0.5*em
	})
	if s.typing && s.line.whole {
		w := min(p.Measure(string(runes[from:]), size, false), inner.W)
		p.Rect(rect{X: inner.X, Y: mid - 0.75*size, W: w, H: 1.5 * size}, 0, c.Rule)
	}
	write(p, string(runes[from:]), point{X: inner.X, Y: mid}, size, inner.W, false, c.Text)
	if s.typing {
		x := inner.X + p.Measure(string(runes[from:s.line.caret]), size, false)
		p.Rect(rect{X: x, Y: mid - 0.75*size, W: max(1.5, 0.1*size), H: 1.5 * size}, 0, c.Turning)
	}
	otherwise := ""
	if s.pointing() && s.chartAt(l).Empty() {
		otherwise = s.About()
	}
	s.paintNotice(p, l.notice, em, otherwise, c)
}

// paintNotice writes the notice, or what training ended with, or what is said otherwise.
func (s *Screen) paintNotice(p pen, area rect, em float64, otherwise string, c *circle.Palette) {
	text, ink := cmp.Or(s.notice, s.trouble, otherwise), c.Muted
	if s.notice != "" && s.bad || s.notice == "" && s.trouble != "" {
		ink = c.Wrong
	}
	write(p, text, point{X: area.X, Y: area.Center().Y}, em, area.W, false, ink)
}

// frame draws a rectangle's outline inside it.
func frame(p pen, r rect, width float64, ink color.NRGBA) {
	p.Rect(rect{X: r.X, Y: r.Y, W: r.W, H: width}, 0, ink)
	p.Rect(rect{X: r.X, Y: r.Bottom() - width, W: r.W, H: width}, 0, ink)
	p.Rect(rect{X: r.X, Y: r.Y, W: width, H: r.H}, 0, ink)
	p.Rect(rect{X: r.Right() - width, Y: r.Y, W: width, H: r.H}, 0, ink)
}

const gap = "    " // between the words of the foot

func (s *Screen) paintFoot(p pen, area rect, em float64, c *circle.Palette) {
	words := s.foot()
	text := strings.Join(words, gap)
	for p.Measure(text, em, false) > area.W && len(words) > 2 { // the first and the last matter most
		words = slices.Delete(words, len(words)-2, len(words)-1)
		text = strings.Join(words, gap)
	}
	write(p, text, point{X: area.X, Y: area.Center().Y}, em, area.W, false, c.Muted)
}

func (s *Screen) paintRule(p pen, l *layout, c *circle.Palette) {
	at := s.View.Where().At
	if at < 0 || at >= len(s.rules) {
		return
	}
	r := l.rule
	size := 1.25 * l.em
	lines := p.Wrap(s.rules[at], size, r.W)
	for size > 12 && float64(len(lines))*1.45*size > r.H {
		size *= 0.93
		lines = p.Wrap(s.rules[at], size, r.W)
	}
	y := r.Y + max((r.H-1.45*size*float64(len(lines)))/2, 0) + 0.7*size
	for i, line := range lines {
		p.Text(line, point{X: r.X, Y: y + 1.45*size*float64(i)}, size, false, circle.AlignLeft, c.Text)
	}
}

func (s *Screen) paintSlider(p pen, l *layout, c *circle.Palette) {
	n, at := len(s.content.Checkpoints), s.content.Checkpoint
	mid := l.rail.Y + l.rail.H/2
	if l.rail.X > l.slider.X+l.em {
		name := "Checkpoint: step " + words.Number(s.content.Checkpoints[at])
		write(p, name, point{X: l.slider.X, Y: mid}, l.em, l.rail.X-l.slider.X-l.em, false, c.Text)
	}
	thick := 0.16 * l.em
	p.Rect(rect{X: l.rail.X, Y: mid - thick/2, W: l.rail.W, H: thick}, thick/2, c.Rule)
	knob := l.knob(at, n)
	p.Rect(rect{X: l.rail.X, Y: mid - thick/2, W: knob.X - l.rail.X, H: thick}, thick/2, c.Muted)
	if l.rail.W/float64(n) > 3 {
		for i := range n {
			k := l.knob(i, n)
			p.Rect(rect{X: k.X - 0.5, Y: mid - 0.3*l.em, W: 1, H: 0.6 * l.em}, 0, c.Muted)
		}
	}
	d := 0.9 * l.em
	p.Rect(rect{X: knob.X - d/2, Y: knob.Y - d/2, W: d, H: d}, d/2, c.Text)
}

// narrower is a size, at most a fifth smaller, at which a text is no wider than a width, where that is enough.
func narrower(p pen, text string, size, width float64) float64 {
	if w := p.Measure(text, size, false); w > width {
		return math.Floor(size * max(width/w, 0.8)) // type has whole sizes
	}
	return size
}

// paintNumbers writes labels and values from the top of their area.
func (s *Screen) paintNumbers(p pen, l *layout, c *circle.Palette) {
	rows, area, em, names := s.content.Rows, l.numbers, l.em, 0.0
	for _, row := range rows {
		names = max(names, p.Measure(row.Label, em, false))
	}
	names += 0.8 * em
	for i, row := range rows {
		y := area.Y + rowHeight*em*(float64(i)+0.5)
		p.Text(row.Label, point{X: area.X, Y: y}, em, false, circle.AlignLeft, c.Muted)
		size := narrower(p, row.Value, em, area.W-names)
		write(p, row.Value, point{X: area.X + names, Y: y}, size, area.W-names, false, c.Text)
	}
}

// paintSamples writes prompts and what the model made of them; what differs from the target is marked, and said by a
// sign too.
func (s *Screen) paintSamples(p pen, l *layout, c *circle.Palette) {
	em := l.em
	write(p, "Test samples", point{X: l.samples.X, Y: l.samples.Y + 0.6*em}, em, l.samples.W, true, c.Text)
	y := l.samples.Y + 1.8*em
	rows := max(int((l.samples.H-1.8*em)/(leastRow*em)), 0) // that have room
	for _, x := range s.content.Samples[:min(rows, len(s.content.Samples))] {
		sign(p, point{X: l.samples.X + 0.5*em, Y: y + 0.6*em}, 0.42*em, x.Right, c)
		left := l.samples.X + 1.6*em
		width := l.samples.W - 1.6*em
		write(p, x.Prompt, point{X: left, Y: y + 0.6*em}, em, width, false, c.Muted)
		s.paintOutput(p, x, point{X: left, Y: y + 1.85*em}, em, width, c)
		y += leastRow * em
	}
}

// paintOutput writes an output, what is not as in the target in the colour of mistakes and underlined.
func (s *Screen) paintOutput(p pen, x Sample, at point, size, width float64, c *circle.Palette) {
	target := []rune(x.Target)
	output := []rune(fitted(p, x.Output, size, width, false))
	for from := 0; from < len(output); {
		good := func(i int) bool {
			return i < len(target) && output[i] == target[i] || i == len(output)-1 && output[i] == '…'
		}
		to := from + 1
		for to < len(output) && good(to) == good(from) {
			to++
		}
		part := string(output[from:to])
		ink := c.Right
		w := p.Measure(part, size, false)
		if !good(from) {
			ink = c.Wrong
			p.Rect(rect{X: at.X, Y: at.Y + 0.55*size, W: w, H: max(1, 0.08*size)}, 0, ink)
		}
		p.Text(part, at, size, false, circle.AlignLeft, ink)
		at.X += w
		from = to
	}
}

// sign is a check or a cross.
func sign(p pen, at point, r float64, right bool, c *circle.Palette) {
	width := 0.35 * r
	if right {
		p.Line([]point{
			{X: at.X - r, Y: at.Y}, {X: at.X - 0.3*r, Y: at.Y + 0.7*r}, {X: at.X + r, Y: at.Y - 0.8*r},
		}, width, c.Right)
		return
	}
	p.Line([]point{{X: at.X - 0.8*r, Y: at.Y - 0.8*r}, {X: at.X + 0.8*r, Y: at.Y + 0.8*r}}, width, c.Wrong)
	p.Line([]point{{X: at.X - 0.8*r, Y: at.Y + 0.8*r}, {X: at.X + 0.8*r, Y: at.Y - 0.8*r}}, width, c.Wrong)
}

// paintHelp lists the keys over everything else.
func (s *Screen) paintHelp(p pen) {
	l, c := s.arrange(), circle.Colours(s.dark)
	em := min(l.em, s.height/(1.6*float64(len(help))+5), s.width/38)
	size := max(em, 6)
	w, h := 36*size, size*(1.6*float64(len(help))+4)
	box := rect{X: (s.width - w) / 2, Y: (s.height - h) / 2, W: w, H: h}
	veil := c.Ground
	veil.A = 190
	p.Rect(rect{X: 0, Y: 0, W: s.width, H: s.height}, 0, veil)
	p.Rect(box, 0.6*size, c.Raised)
	frame(p, box, max(1, 0.06*size), c.Muted)
	p.Text("Keys", point{X: box.X + 1.4*size, Y: box.Y + 1.6*size}, 1.2*size, true, circle.AlignLeft, c.Text)
	for i, row := range help {
		y := box.Y + size*(3.4+1.6*float64(i))
		p.Text(row[0], point{X: box.X + 1.4*size, Y: y}, size, true, circle.AlignLeft, c.Text)
		p.Text(row[1], point{X: box.X + 9*size, Y: y}, size, false, circle.AlignLeft, c.Text)
	}
}

// paintChart draws curves over training steps.
func (s *Screen) paintChart(p pen, em float64, area rect, chart *Chart, c *circle.Palette) {
	if area.Empty() || len(chart.Series) == 0 {
		return
	}
	area, _ = area.CutTop(area.H - 0.6*em)
	size := 0.85 * em
	title, field := area.CutTop(1.7 * em)
	_, field = field.CutBottom(1.4 * em)
	_, field = field.CutLeft(3.4 * em)
	_, field = field.CutRight(0.8 * em)
	top := 1.0
	if !chart.Share {
		top = ceiling(chart)
	}
	p.Text(chart.Title, point{X: title.X, Y: title.Y + 0.6*em}, em, true, circle.AlignLeft, c.Text)
	x := title.Right()
	for _, q := range slices.Backward(chart.Series) { // their names, from the right
		ink := inkOf(q.Role, c)
		x -= p.Measure(q.Name, size, false)
		p.Text(q.Name, point{X: x, Y: title.Y + 0.6*em}, size, false, circle.AlignLeft, c.Muted)
		x -= 1.5 * size
		if q.Dots {
			d := 0.55 * size
			p.Rect(rect{X: x + 0.5*size - d/2, Y: title.Y + 0.6*em - d/2, W: d, H: d}, d/2, ink)
		} else {
			mid := title.Y + 0.6*em
			x -= size
			p.Line([]point{{X: x, Y: mid}, {X: x + 2*size, Y: mid}}, max(1.3, 0.11*size), ink)
		}
		x -= 0.6 * size
	}
	for i := range 3 { // three lines across
		share := float64(i) / 2
		y := field.Bottom() - share*field.H
		p.Rect(rect{X: field.X, Y: y - 0.5, W: field.W, H: 1}, 0, c.Rule)
		label := words.Three(top * share)
		if len(label) > 6 { // of a run that blows up: it would stand on the circle
			label = strings.Replace(strconv.FormatFloat(top*share, 'g', 2, 64), "e+0", "e", 1)
		}
		if chart.Share {
			label = strconv.Itoa(int(math.Round(100*share))) + " %"
		}
		p.Text(label, point{X: field.X - 0.5*em, Y: y}, size, false, circle.AlignRight, c.Muted)
	}
	end := float64(max(s.content.Steps, 1))
	p.Text("0", point{X: field.X, Y: field.Bottom() + 0.9*em}, size, false, circle.AlignLeft, c.Muted)
	p.Text("step "+words.Number(s.content.Steps), point{X: field.Right(), Y: field.Bottom() + 0.9*em},
		size, false, circle.AlignRight, c.Muted)
	if s.content.Step > 0 {
		at := field.X + field.W*min(float64(s.content.Step)/end, 1)
		p.Rect(rect{X: at - 0.5, Y: field.Y, W: 1, H: field.H}, 0, c.Muted)
	}
	for _, q := range chart.Series {
		ps := plot(q.X, q.Y, field, end, top)
		if !q.Dots {
			p.Line(ps, max(1.3, 0.11*em), inkOf(q.Role, c))
			continue
		}
		for _, at := range ps {
			d := 0.5 * em
			p.Rect(rect{X: at.X - d/2, Y: at.Y - d/2, W: d, H: d}, d/2, inkOf(q.Role, c))
		}
	}
}

// plot places points in a field, from 0 to end and 0 to top.
func plot(x, y []float64, field rect, end, top float64) []point {
	ps := make([]point, 0, len(x))
	for i := range x {
		share := min(max(y[i]/top, 0), 1)
		ps = append(ps, point{X: field.X + field.W*min(x[i]/end, 1), Y: field.Bottom() - share*field.H})
	}
	return ps
}

// ceiling is a round number at or above everything in a chart.
func ceiling(c *Chart) float64 {
	top := 0.0
	for _, q := range c.Series {
		for _, y := range q.Y {
			top = max(top, y)
		}
	}
	if top == 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(top)))
	for _, k := range []float64{1, 2, 3, 4, 5, 6, 8, 10} {
		if top <= k*unit {
			return k * unit
		}
	}
	return 10 * unit
}

func inkOf(r Role, c *circle.Palette) color.NRGBA {
	return [...]color.NRGBA{c.Turning, c.Holding, c.Answer}[r]
}

// paragraph writes lines from the top of an area, as many as it has room for.
func paragraph(p pen, text string, area rect, em float64, ink color.NRGBA) {
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
