package circle

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Smallest is the side of the smallest view that is drawn, in pixels; a smaller one is drawn as if it were this large.
const Smallest = 280

// leastText is the size of the smallest text, in pixels; what has no room for it is left out.
const leastText = 11

// Layout says where things stand in a view. Rectangles that are empty are not shown.
type Layout struct {
	Em       float64 // size of running text
	Tokens   Rect    // the text as a line of tokens
	Track    Rect    // the whole text as a thin line, to seek in
	Dial     Rect    // the phase circle with its digits
	Center   Point
	Radius   float64 // of the ring of turning units
	Headline Rect    // the answer so far
	Bars     Rect    // probabilities
	Across   bool    // bars run from left to right
	Panel    Rect    // the layer
	Legend   Rect
}

// Rings, as shares of Layout.Radius.
const (
	digitRing  = 1.155 // middles of the digits
	holdRing   = 0.86  // units that hold
	answerRing = 0.72  // length 1 of the answer's arrow
)

// twoLines is the height, in sizes of text, from which a legend that names a memory has two lines.
const twoLines = 28

// Arrange lays a view out, with a layer or without, its legend with a memory or without. The parts stand side by side
// where it is wide, one above the other where it is narrow; where it is small there is the dial with the answer, and
// the legend and the bars only where the dial leaves room.
func Arrange(w, h float64, layer, memory bool) Layout {
	w, h = max(w, Smallest), max(h, Smallest)
	em := min(max(math.Sqrt(w*h)/44, 12), 64)
	l := Layout{Em: em}
	area := Rect{0, 0, w, h}.Inset(0.8 * em)
	l.Tokens, area = area.CutTop(2.6 * em)
	l.Track, area = area.CutTop(0.9 * em)
	_, area = area.CutTop(0.3 * em)

	switch {
	case w >= 1.15*h && w >= 34*em:
		lines := 1.5 * em
		if memory && h >= twoLines*em {
			lines = 3 * em
		}
		l.Legend, area = area.CutBottom(lines)
		var side Rect
		l.Dial, side = area.CutLeft(min(area.H, 0.56*area.W))
		_, side = side.CutLeft(1.4 * em)
		l.Headline, side = side.CutTop(3.6 * em)
		_, side = side.CutTop(0.4 * em)
		l.share(side, layer)
	case h >= 1.15*w && h >= 36*em:
		lines := 4.2 * em
		if w >= 30*em && !memory {
			lines = 3 * em
		}
		l.Legend, area = area.CutBottom(lines)
		dial := 0.56
		if layer {
			dial = 0.38
		}
		l.Dial, area = area.CutTop(min(area.W, dial*area.H))
		l.Headline, area = area.CutTop(3.4 * em)
		_, area = area.CutTop(0.4 * em)
		l.share(area, layer)
	case min(w, h) >= 43*em: // about square, and large
		l.Legend, area = area.CutBottom(3 * em)
		if layer {
			var row Rect
			row, area = area.CutTop(0.42 * area.H)
			l.Dial, row = row.CutLeft(row.H)
			_, row = row.CutLeft(1.4 * em)
			l.Headline = Rect{row.X, row.Center().Y - 1.8*em, row.W, 3.6 * em}
			_, area = area.CutTop(0.6 * em)
		} else {
			l.Dial, area = area.CutTop(area.H - 12.6*em)
			l.Headline, area = area.CutTop(3.2 * em)
			_, area = area.CutTop(0.2 * em)
		}
		l.share(area, layer)
	default:
		roomy := !layer && area.W < 1.8*area.H // the marks are named, and bars drawn, where the dial stays readable
		if roomy && area.H >= 20*em {
			l.Legend, area = area.CutBottom(3 * em)
		}
		l.Headline, area = area.CutBottom(2.6 * em)
		if roomy && area.H >= 21*em {
			l.Bars, area = area.CutBottom(5 * em)
			_, area = area.CutBottom(0.3 * em)
		}
		switch {
		case layer && area.W >= 1.5*area.H:
			l.Dial, area = area.CutLeft(area.W / 2)
			_, l.Panel = area.CutLeft(em)
		case layer:
			l.Panel = area
		case area.W >= 1.8*area.H:
			l.Dial, area = area.CutLeft(area.H)
			_, l.Bars = area.CutLeft(em)
		default:
			l.Dial = area
		}
	}
	if !l.Dial.Empty() {
		l.Dial = l.Dial.square()
		l.Center = l.Dial.Center()
		l.Radius = l.Dial.W / 2 / (digitRing + 0.12)
	}
	return l
}

// share gives an area to the bars, or to a layer with the bars next to it where there is room.
func (l *Layout) share(area Rect, layer bool) {
	if !layer {
		l.Bars, _ = area.CutTop(24 * l.Em)
		return
	}
	l.Panel = area
	panel, rest := area.CutLeft(max(0.74*area.H, 15*l.Em))
	if _, rest = rest.CutLeft(1.2 * l.Em); rest.W >= 7*l.Em {
		_, rest = rest.CutTop(titleHeight(l.Em) + 1.8*l.Em) // the layer's title and meaning run on above the bars
		l.Panel, l.Bars, l.Across = panel, rest, true
	}
}

// dotRadius is the size of a dot: smaller where many units share a ring.
func (l *Layout) dotRadius(units int) float64 {
	room := 2 * math.Pi * l.Radius / float64(max(units, 1))
	return min(max(room*0.42, l.Radius*0.013, 2), l.Radius*0.034)
}

// tokenCell is a token's place in the line.
type tokenCell struct {
	index int
	rect  Rect
}

// tokenLine places tokens in a line of text of some size, so that the place at (which may lie between two tokens)
// stands as near the middle as the ends of the text allow. Tokens that are not wholly inside are left out; before and
// after report whether there are any.
func tokenLine(tokens []string, area Rect, size, at float64) (cells []tokenCell, before, after bool) {
	starts := make([]float64, len(tokens)+1)
	for i, t := range tokens {
		starts[i+1] = starts[i] + size*tokenWidth(t)
	}
	total := starts[len(tokens)]
	if total > area.W { // room for the ellipses
		area = Rect{area.X + 0.9*size, area.Y, area.W - 1.8*size, area.H}
	}
	offset := (area.W - total) / 2
	if total > area.W {
		i := min(int(at), len(tokens)-1)
		middle := (starts[i] + starts[i+1]) / 2
		if s := at - float64(i); s > 0 && i+1 < len(tokens) {
			middle = lerp(middle, (starts[i+1]+starts[i+2])/2, s)
		}
		offset = min(0, max(area.W-total, area.W/2-middle))
	}
	for i := range tokens {
		r := Rect{area.X + offset + starts[i], area.Y, starts[i+1] - starts[i], area.H}
		switch {
		case r.X < area.X-0.01:
			before = true
		case r.Right() > area.Right()+0.01:
			after = true
		default:
			cells = append(cells, tokenCell{i, r})
		}
	}
	return cells, before, after
}

// tokenWidth is the width of a token's cell at size 1: its glyphs' and some room.
func tokenWidth(t string) float64 {
	if t == " " {
		return 0.6
	}
	n := 0
	for text := range pieces(tokenText(t)) {
		n += utf8.RuneCountInString(text)
	}
	return 0.58*float64(n) + 0.26
}

// outcomeText is what a readout can answer as it is written.
func outcomeText(s string) string {
	if s == " " {
		return "space"
	}
	return tokenText(s)
}

// tokenWords are the tokens that are written otherwise.
var tokenWords = map[string]string{"<SOS>": "start", "<EOS>": "end", "<PAD>": "pad", "-": "−", "": ""}

// tokenText is a token as it is written: the special ones in words, spaces left at an end of a token trimmed, what
// cannot be seen as Go writes it.
func tokenText(t string) string {
	if strings.ContainsFunc(t, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t = strconv.Quote(t)
		return t[1 : len(t)-1]
	}
	if words, ok := tokenWords[t]; ok {
		return words
	}
	return cmp.Or(strings.Trim(t, " "), " ")
}

// panelLayout is a layer's inside.
type panelLayout struct {
	title  Rect
	chips  []Rect // one per head, to choose it
	note   Rect
	strip  Rect // the present row as bars or arcs, on the matrix's columns
	matrix Rect
	scale  Rect
}

// titleHeight is also the size of the heads' chips (WCAG 2.5.8: targets of 24 pixels).
func titleHeight(em float64) float64 { return max(1.7*em, 24) }

// arrangePanel lays a layer out. The fusion layer has one matrix for all heads: no chips and no strip.
func arrangePanel(area Rect, em float64, layer Layer, heads int) panelLayout {
	var p panelLayout
	p.title, area = area.CutTop(titleHeight(em))
	if side := p.title.H; layer != Fusion && heads > 1 && float64(heads)*side <= p.title.W-7*em {
		var chips Rect
		p.title, chips = p.title.CutLeft(p.title.W - float64(heads)*side)
		for k := range heads {
			p.chips = append(p.chips, Rect{chips.X + float64(k)*side, chips.Y, side, side}.Inset(0.12*em))
		}
	}
	if area.H > 11*em {
		p.note, area = area.CutTop(1.6 * em)
	}
	_, area = area.CutTop(0.2 * em)
	p.scale, area = area.CutBottom(1.5 * em)
	_, area = area.CutBottom(0.3 * em)
	strip := 0.0
	if layer != Fusion {
		strip = min(max(0.18*area.H, 1.5*em), 6*em)
	}
	if side := min(area.W, area.H-strip); side > 0 {
		p.strip = Rect{area.X, area.Y, side, strip}
		p.matrix = Rect{area.X, area.Y + strip, side, side}
		p.scale.W = side
		p.scale.Y = p.matrix.Bottom() + 0.3*em
	}
	return p
}
