package circle

import (
	"image/color"
	"strings"
	"weak"
)

// painter draws shapes, later ones over earlier ones. Lengths are in device-independent pixels.
type painter interface {
	// line is a polyline with butt ends; closed joins its last point to its first.
	line(ps []Point, width float64, c color.NRGBA, closed bool)
	// polygon is a filled convex polygon.
	polygon(ps []Point, c color.NRGBA)
	// rect is filled, its corners rounded.
	rect(r Rect, radius float64, c color.NRGBA)
	// dot is a unit's mark, ringed by the colour of the ground so that marks that overlap can be told apart.
	dot(s dotShape, c Point, radius float64, fill, ground color.NRGBA)
	// text writes one line, its capitals centred on at.Y.
	text(s string, at Point, size float64, style textStyle, c color.NRGBA)
	// measure is the width of a line of text.
	measure(s string, size float64, bold bool) float64
	// cells draws the first rows of a matrix of colours in an area for all rows. id names the matrix: colours are
	// asked for only where id was not drawn before.
	cells(area Rect, n, rows int, id matrixID, colour func(row, col int) color.NRGBA)
}

type dotShape int

const (
	disc dotShape = iota
	diamond
)

type textStyle struct {
	bold  bool
	align Align
}

const (
	left Align = iota
	middle
	right
)

// matrixID names a matrix of a view: its reading, its layer and head, its colours. It does not keep the view.
type matrixID struct {
	view    weak.Pointer[View]
	version int
	layer   Layer
	head    int
	dark    bool
}

// fitted is the size, at most size, at which a text is no wider than a width.
func fitted(p painter, s string, size, width float64, bold bool) float64 {
	if w := p.measure(s, size, bold); w > width && w > 0 {
		return size * width / w
	}
	return size
}

// write writes a line into a width: smaller where it is too long, but not below leastText; then its end is cut off.
func write(p painter, s string, at Point, size, width float64, style textStyle, ink color.NRGBA) {
	size = max(fitted(p, s, size, width, style.bold), leastText)
	p.text(cut(p, s, size, width, style.bold), at, size, style, ink)
}

// fitting is the first of some texts that can be read in a width, or the last.
func fitting(p painter, size, width float64, bold bool, texts ...string) string {
	for _, s := range texts[:len(texts)-1] {
		if fitted(p, s, size, width, bold) >= leastText {
			return s
		}
	}
	return texts[len(texts)-1]
}

// cut is a text, or as much of its beginning as has room, and an ellipsis.
func cut(p painter, s string, size, width float64, bold bool) string {
	whole := []rune(s)
	for n := len(whole); p.measure(s, size, bold) > width+1e-6; {
		if n--; n < 0 {
			return ""
		}
		s = string(whole[:n]) + "…"
	}
	return s
}

// wrapped breaks a text into lines no wider than a width where its words allow.
func wrapped(p painter, s string, size, width float64) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		next := strings.TrimSpace(line + " " + word)
		if line != "" && p.measure(next, size, false) > width {
			lines, next = append(lines, line), word
		}
		line = next
	}
	return append(lines, line)
}
