package circle

import (
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
)

// Align says which part of a line of text stands at its point.
type Align int

const (
	AlignLeft   = left
	AlignMiddle = middle
	AlignRight  = right
)

// Pen draws what stands next to a view with the view's own font and edges. Lengths are in device-independent pixels.
type Pen struct{ to painter }

// Paint lets f draw over the whole of an image, on a ground, with scale pixels to the device-independent
// pixel. Call it in ebiten's Update or Draw.
func (c *Canvas) Paint(target *ebiten.Image, scale float64, ground color.NRGBA, f func(Pen)) {
	target.Fill(ground)
	c.Over(target, scale, f)
}

// Over lets f draw over what an image holds.
func (c *Canvas) Over(target *ebiten.Image, scale float64, f func(Pen)) {
	if c.atlas == nil {
		c.atlas = newAtlas(firstAtlas)
	}
	c.target, c.scale = target, scale
	f(Pen{c})
	c.flush()
	c.target = nil
}

// Rect fills a rectangle, its corners rounded.
func (p Pen) Rect(r Rect, radius float64, ink color.NRGBA) { p.to.rect(r, radius, ink) }

// Line draws a polyline.
func (p Pen) Line(ps []Point, width float64, ink color.NRGBA) { p.to.line(ps, width, ink, false) }

// Text writes one line, its capitals centred on at.Y.
func (p Pen) Text(s string, at Point, size float64, bold bool, a Align, ink color.NRGBA) {
	p.to.text(s, at, size, textStyle{bold, a}, ink)
}

// Measure is the width of a line of text.
func (p Pen) Measure(s string, size float64, bold bool) float64 { return p.to.measure(s, size, bold) }

// Wrap breaks a text into lines no wider than a width where its words allow.
func (p Pen) Wrap(s string, size, width float64) []string { return wrapped(p.to, s, size, width) }
