package circle

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
	"weak"
)

// Layer is what is shown next to the dots.
type Layer int

const (
	None Layer = iota
	Distance
	Tree
	Fusion
	Attention
	layers
)

// layerWords are the layers' names, titles and meanings, these in words that need no paper.
var layerWords = [layers]struct{ name, title, meaning string }{
	None:      {name: "none"},
	Distance:  {"distance", "Distance", "How far apart the states after two tokens are"},
	Tree:      {"tree", "Tree", "Cost of the span from a token to the present one"},
	Fusion:    {"fusion", "Fusion", "What each head takes of the others, at this token"},
	Attention: {"attention", "Attention", "What the present token takes of each token before"},
}

func (l Layer) String() string { return layerWords[l].name }

// ParseLayer finds a layer by its name.
func ParseLayer(name string) (Layer, error) {
	var names []string
	for l, x := range layerWords {
		if x.name == name {
			return Layer(l), nil
		}
		names = append(names, x.name)
	}
	return None, fmt.Errorf("layer %q is not known: give one of %s", name, strings.Join(names, ", "))
}

func (v *View) paintPanel(p painter, l Layout) {
	t, r := &v.theme, v.reading
	g := arrangePanel(l.Panel, l.Em, v.layer, r.Heads)
	about := layerWords[v.layer]
	title := about.title
	if len(r.matrices(v.layer)) == 0 {
		p.text(title, Point{g.title.X, g.title.Center().Y}, 1.2*l.Em, textStyle{true, left}, t.Text)
		has := "no attention"
		if r.Heads > 0 {
			has = "attention weights alone"
		}
		words := "This model has " + has + ": there is no " + v.layer.String() + " to show."
		for i, line := range wrapped(p, words, l.Em, l.Panel.W) {
			p.text(line, Point{g.title.X, g.title.Bottom() + 1.4*l.Em*float64(i+1)},
				l.Em, textStyle{false, left}, t.Muted)
		}
		return
	}
	if g.chips != nil {
		title += ", head"
	}
	write(p, title, Point{g.title.X, g.title.Center().Y}, 1.2*l.Em, g.title.W-0.4*l.Em, textStyle{true, left}, t.Text)
	for k, c := range g.chips {
		ground, ink := t.Raised, t.Text
		if k == v.head {
			ground, ink = t.Text, t.Ground
		}
		p.rect(c, 0.3*l.Em, ground)
		p.text(strconv.Itoa(k+1), c.Center(), l.Em, textStyle{k == v.head, middle}, ink)
	}
	if !g.note.Empty() {
		room := l.Panel.W
		if l.Across {
			room = l.Bars.Right() - l.Panel.X
		}
		write(p, about.meaning, Point{g.note.X, g.note.Center().Y}, l.Em, room, textStyle{false, left}, t.Muted)
	}
	if g.matrix.Empty() {
		return
	}
	if v.layer == Fusion {
		v.paintFusion(p, l, g)
	} else {
		v.paintMatrix(p, l, g)
	}
}

// paintMatrix draws the rows of the tokens read so far, the present one framed and, above, as bars or arcs.
func (v *View) paintMatrix(p painter, l Layout, g panelLayout) {
	t, r := &v.theme, v.reading
	m := r.matrices(v.layer)[v.head]
	n, at := len(r.Tokens), v.player.at
	top := 0.0
	for i, row := range m {
		for _, x := range row[:i+1] {
			top = max(top, float64(x))
		}
	}
	share := func(x float32) float64 {
		if top == 0 {
			return 0
		}
		return float64(x) / top
	}
	p.rect(g.matrix, 0, t.Raised)
	p.cells(g.matrix, n, at+1, matrixID{weak.Make(v), v.version, v.layer, v.head, v.dark}, func(i, j int) color.NRGBA {
		if j > i {
			return t.Raised
		}
		return t.warm(share(m[i][j]))
	})
	cell := g.matrix.W / float64(n)
	frame := Rect{g.matrix.X, g.matrix.Y + cell*float64(at), cell * float64(at+1), cell}
	line := max(1.5, 0.12*l.Em)
	p.line(corners(frame), line, t.Answer, true)

	middleOf := func(j int) float64 { return g.strip.X + cell*(float64(j)+0.5) }
	foot := g.strip.Bottom() - 0.25*l.Em
	if size := min(0.95*cell, l.Em); size >= leastText && foot-1.3*size > g.strip.Y+l.Em {
		foot -= 1.3 * size
		for j, token := range r.Tokens[:at+1] {
			if p.measure(tokenText(token), size, false) <= 1.05*cell { // short enough to name its column
				v.paintToken(p, token, Rect{middleOf(j) - cell/2, foot, cell, 1.5 * size}, size, false, t.Text)
			}
		}
	}
	height := foot - g.strip.Y
	for j, x := range m[at][:at+1] {
		if v.layer == Tree {
			if j == at || top == 0 {
				continue
			}
			c := Point{(middleOf(j) + middleOf(at)) / 2, foot}
			span := arc(c, (middleOf(at)-middleOf(j))/2, math.Pi/2, -math.Pi/2, 24)
			squash := min(1, 2*height/max(middleOf(at)-middleOf(0), 1))
			for i := range span {
				span[i].Y = foot + (span[i].Y-foot)*squash
			}
			ink := mix(t.Rule, t.Turning, min(max(share(x), 0), 1)) // strong enough for a line on the ground
			p.line(span, max(1, 0.07*l.Em), ink, false)
			continue
		}
		h := share(x) * height
		p.rect(Rect{middleOf(j) - 0.4*cell, foot - h, 0.8 * cell, h}, 0, t.Turning)
	}
	p.line([]Point{{g.strip.X, foot}, {g.strip.Right(), foot}}, 1, t.Rule, false)
	v.paintScale(p, l, g, top)
}

// paintFusion draws what every head (row) takes of every head (column) at the present token, with the numbers.
func (v *View) paintFusion(p painter, l Layout, g panelLayout) {
	t, r := &v.theme, v.reading
	a := r.Fusion[v.player.at]
	h := r.Heads
	names := 1.6 * l.Em
	area := Rect{g.matrix.X + names, g.matrix.Y + names, g.matrix.W - names, g.matrix.H - names}
	cell := area.W / float64(h)
	size := min(0.3*cell, 1.5*l.Em)
	for k, row := range a {
		name := strconv.Itoa(k + 1)
		mid := cell * (float64(k) + 0.5)
		p.text(name, Point{area.X + mid, g.matrix.Y + names/2}, l.Em, textStyle{true, middle}, t.Text)
		p.text(name, Point{g.matrix.X + names/2, area.Y + mid}, l.Em, textStyle{true, middle}, t.Text)
		for j, x := range row {
			c := Rect{area.X + cell*float64(j), area.Y + cell*float64(k), cell, cell}.Inset(0.03 * cell)
			ground := t.warm(float64(x))
			p.rect(c, 0.08*cell, ground)
			if size >= leastText {
				p.text(fmt.Sprintf("%.2f", x), c.Center(), size, textStyle{false, middle}, readable(ground))
			}
		}
	}
	v.paintScale(p, l, g, 1)
}

// paintScale says which colour stands for how much.
func (v *View) paintScale(p painter, l Layout, g panelLayout, top float64) {
	t := &v.theme
	size, y := max(0.9*l.Em, leastText), g.scale.Center().Y
	least, most := "0", short(top)
	x := g.scale.X
	p.text(least, Point{x, y}, size, textStyle{false, left}, t.Muted)
	x += p.measure(least, size, false) + 0.5*l.Em
	width := max(min(8*l.Em, g.scale.Right()-x-5*l.Em), 0)
	const steps = 24
	for i := range steps {
		s := float64(i) / (steps - 1)
		p.rect(Rect{x + width*float64(i)/steps, y - 0.35*l.Em, width/steps + 0.5, 0.7 * l.Em}, 0, t.warm(s))
	}
	p.text(most, Point{x + width + 0.5*l.Em, y}, size, textStyle{false, left}, t.Muted)
}

func corners(r Rect) []Point {
	return []Point{{r.X, r.Y}, {r.Right(), r.Y}, {r.Right(), r.Bottom()}, {r.X, r.Bottom()}}
}

// readable is black or white, whichever stands out more: at least 4.5 to 1 on any colour.
func readable(ground color.NRGBA) color.NRGBA {
	black, white := rgb(0), rgb(0xffffff)
	if contrast(ground, black) >= contrast(ground, white) {
		return black
	}
	return white
}
