package circle

import (
	"image"
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// Canvas draws views into ebiten images. It keeps textures, so use one for many frames.
type Canvas struct {
	*glyphs
	atlas    *atlas
	matrices map[matrixID]*ebiten.Image

	target   *ebiten.Image
	scale    float64
	vertices []ebiten.Vertex
	indices  []uint32
}

// NewCanvas loads the font; it fails only if the embedded font is broken.
func NewCanvas() (*Canvas, error) {
	g, err := newGlyphs()
	if err != nil {
		return nil, err
	}
	return &Canvas{glyphs: g, matrices: map[matrixID]*ebiten.Image{}}, nil
}

// Draw draws a view over the whole of an image with scale pixels to the device-independent pixel, and marks it drawn.
// The view must have the image's size (SetSize). Call it in ebiten's Update or Draw.
func (c *Canvas) Draw(v *View, target *ebiten.Image, scale float64) {
	c.Paint(target, scale, v.theme.Ground, func(Pen) { v.paint(c) })
	for id, m := range c.matrices {
		if of := id.view.Value(); of == nil || of == v && id.version != v.version {
			m.Deallocate()
			delete(c.matrices, id)
		}
	}
	v.dirty = false
}

// flush draws what was collected.
func (c *Canvas) flush() {
	if len(c.indices) > 0 {
		op := &ebiten.DrawTrianglesOptions{
			ColorScaleMode: ebiten.ColorScaleModePremultipliedAlpha, Filter: ebiten.FilterLinear, DisableMipmaps: true,
		}
		c.target.DrawTriangles32(c.vertices, c.indices, c.atlas.image, op)
	}
	c.vertices, c.indices = c.vertices[:0], c.indices[:0]
}

// sprite finds a picture in the atlas or makes it. A full atlas is drawn from, then emptied or made larger.
func (c *Canvas) sprite(k spriteKey, raster func() (image.Image, image.Point, bool)) (sprite, bool) {
	if s, ok := c.atlas.sprites[k]; ok {
		return s, !s.area.Empty()
	}
	m, at, ok := raster()
	if !ok {
		c.atlas.sprites[k] = sprite{} // nothing to draw, as a space
		return sprite{}, false
	}
	if s, ok := c.atlas.add(k, m, at); ok {
		return s, true
	}
	c.flush()
	if side := c.atlas.image.Bounds().Dx(); side < largestAtlas {
		c.atlas.image.Deallocate()
		c.atlas = newAtlas(2 * side)
	} else {
		c.atlas.reset()
	}
	return c.atlas.add(k, m, at)
}

func (c *Canvas) vertex(x, y float64, sx, sy float32, ink color.NRGBA, alpha float64) {
	a := float32(float64(ink.A) / 255 * alpha)
	c.vertices = append(c.vertices, ebiten.Vertex{
		DstX: float32(x), DstY: float32(y), SrcX: sx, SrcY: sy, ColorA: a,
		ColorR: float32(ink.R) / 255 * a, ColorG: float32(ink.G) / 255 * a, ColorB: float32(ink.B) / 255 * a,
	})
}

// plain adds a vertex of one colour.
func (c *Canvas) plain(p Point, ink color.NRGBA, alpha float64) {
	w := c.atlas.sprites[spriteKey{kind: white}].area
	c.vertex(p.X, p.Y, float32(w.Min.X)+1.5, float32(w.Min.Y)+1.5, ink, alpha)
}

func (c *Canvas) quad(a, b, d, e uint32) { c.indices = append(c.indices, a, b, d, b, e, d) }

// picture draws a sprite with its upper left corner at a pixel position.
func (c *Canvas) picture(s sprite, x, y float64, ink color.NRGBA) {
	first := uint32(len(c.vertices))
	for i := range 4 {
		dx, dy := s.area.Dx()*(i&1), s.area.Dy()*(i>>1)
		c.vertex(x+float64(dx), y+float64(dy), float32(s.area.Min.X+dx), float32(s.area.Min.Y+dy), ink, 1)
	}
	c.quad(first, first+1, first+2, first+3)
}

func (c *Canvas) px(p Point) Point { return Point{p.X * c.scale, p.Y * c.scale} }

// line draws a strip whose edges fade over a pixel.
func (c *Canvas) line(ps []Point, width float64, ink color.NRGBA, closed bool) {
	n := len(ps)
	if n < 2 {
		return
	}
	if closed && ps[0] != ps[n-1] {
		ps = append(ps[:n:n], ps[0])
		n++
	}
	width *= c.scale
	alpha := min(width, 1)
	inner, outer := max(width/2-0.5, 0), max(width, 1)/2+0.5
	var row, last uint32
	edge := func(at, across Point) {
		last, row = row, uint32(len(c.vertices))
		for _, e := range [4]struct{ d, a float64 }{{-outer, 0}, {-inner, alpha}, {inner, alpha}, {outer, 0}} {
			c.plain(Point{at.X + across.X*e.d, at.Y + across.Y*e.d}, ink, e.a)
		}
	}
	for i, q := range ps {
		before, after := i-1, i+1
		if closed {
			before, after = (i+n-2)%(n-1), (i+1)%(n-1)
		}
		in, out := miter(ps, max(before, 0), i, min(after, n-1))
		edge(c.px(q), in)
		if i > 0 {
			for j := range uint32(3) {
				c.quad(last+j, last+1+j, row+j, row+1+j)
			}
		}
		if out != in {
			edge(c.px(q), out)
		}
	}
}

// miter is the direction across a polyline at a point, longer at a bend so that the width stays. At a sharp bend the
// way to it and the way from it have each their own: one for both would be no width for one of them.
func miter(ps []Point, before, i, after int) (in, out Point) {
	in, ok1 := normal(ps[before], ps[i])
	out, ok2 := normal(ps[i], ps[after])
	switch {
	case !ok1:
		return out, out
	case !ok2:
		return in, in
	}
	x, y := in.X+out.X, in.Y+out.Y
	if l := x*x + y*y; l > 0.2 { // sharper bends are cut off
		out = Point{2 * x / l, 2 * y / l}
		in = out
	}
	return in, out
}

// normal is the unit vector across the way from a to b; ok is false where there is no way.
func normal(a, b Point) (n Point, ok bool) {
	x, y := b.X-a.X, b.Y-a.Y
	l := math.Hypot(x, y)
	if l == 0 {
		return Point{}, false
	}
	return Point{-y / l, x / l}, true
}

// polygon fills a convex polygon whose edge fades over a pixel.
func (c *Canvas) polygon(ps []Point, ink color.NRGBA) {
	n := len(ps)
	if n < 3 {
		return
	}
	turn := 0.0
	for i, p := range ps {
		q := ps[(i+1)%n]
		turn += p.X*q.Y - q.X*p.Y
	}
	side := math.Copysign(0.5, -turn)
	first := uint32(len(c.vertices))
	for i, p := range ps {
		at := c.px(p)
		_, across := miter(ps, (i+n-1)%n, i, (i+1)%n)
		c.plain(Point{at.X - side*across.X, at.Y - side*across.Y}, ink, 1)
		c.plain(Point{at.X + side*across.X, at.Y + side*across.Y}, ink, 0)
	}
	for i := range uint32(n) {
		next := (i + 1) % uint32(n)
		if i > 0 && next > 0 {
			c.indices = append(c.indices, first, first+2*i, first+2*next)
		}
		c.quad(first+2*i, first+2*i+1, first+2*next, first+2*next+1)
	}
}

// rect fills a rectangle; one without rounded corners keeps hard edges.
func (c *Canvas) rect(r Rect, radius float64, ink color.NRGBA) {
	if r.Empty() {
		return
	}
	radius = min(radius, r.W/2, r.H/2)
	if radius*c.scale < 0.5 {
		first := uint32(len(c.vertices))
		for i := range 4 {
			c.plain(c.px(Point{r.X + r.W*float64(i&1), r.Y + r.H*float64(i>>1)}), ink, 1)
		}
		c.quad(first, first+1, first+2, first+3)
		return
	}
	var ps []Point
	for i, corner := range corners(r.Inset(radius)) {
		from := float64(i-1) * math.Pi / 2
		ps = append(ps, arc(corner, radius, from, from+math.Pi/2, 6)...)
	}
	c.polygon(ps, ink)
}

func (c *Canvas) dot(s dotShape, at Point, radius float64, fill, ground color.NRGBA) {
	p := c.px(at)
	halo := max(1, 0.22*radius*c.scale)
	for _, layer := range []struct {
		radius float64
		ink    color.NRGBA
	}{{radius*c.scale + halo, ground}, {radius * c.scale, fill}} {
		quarter := max(int(math.Round(4*layer.radius)), 1)
		x, ok := c.sprite(spriteKey{kind: shaped, mark: s, size: quarter}, func() (image.Image, image.Point, bool) {
			m, corner := shape(s, float64(quarter)/4)
			return m, corner, true
		})
		if ok {
			c.picture(x, p.X+float64(x.at.X), p.Y+float64(x.at.Y), layer.ink)
		}
	}
}

// text draws glyphs of a whole number of pixels, which are kept, at the advances of the size asked for: a line is as
// wide as it was measured, whatever its glyphs were rounded to.
func (c *Canvas) text(s string, at Point, size float64, style textStyle, ink color.NRGBA) {
	size *= c.scale
	px := max(int(math.Round(size)), 1)
	p := c.px(at)
	width := c.glyphs.measure(s, size, style.bold)
	switch style.align {
	case middle:
		p.X -= width / 2
	case right:
		p.X -= width
	}
	baseline := math.Round(p.Y + capHeight/2*float64(px))
	draw := func(k spriteKey, width float64, ink color.NRGBA, raster func() (image.Image, image.Point, bool)) {
		if x, ok := c.sprite(k, raster); ok {
			c.picture(x, math.Round(p.X)+float64(x.at.X), baseline+float64(x.at.Y), ink)
		}
		p.X += width * size
	}
	for text, has := range pieces(s) {
		if !has {
			k := spriteKey{kind: lettered, bold: style.bold, size: px, text: text, ink: ink}
			draw(k, c.glyphs.run(text, style.bold), color.NRGBA{255, 255, 255, ink.A},
				func() (image.Image, image.Point, bool) { return letter(text, style.bold, px, ink) })
			continue
		}
		for _, r := range text {
			draw(spriteKey{kind: glyph, r: r, bold: style.bold, size: px}, c.glyphs.advance(r, style.bold), ink,
				func() (image.Image, image.Point, bool) { return c.glyphs.raster(r, style.bold, px) })
		}
	}
}

func (c *Canvas) cells(area Rect, n, rows int, id matrixID, colour func(row, col int) color.NRGBA) {
	m := c.matrices[id]
	if m == nil {
		pix := make([]byte, 0, 4*n*n)
		for i := range n {
			for j := range n {
				x := colour(i, j)
				pix = append(pix, x.R, x.G, x.B, 255)
			}
		}
		m = ebiten.NewImage(n, n)
		m.WritePixels(pix)
		c.matrices[id] = m
	}
	c.flush()
	op := &ebiten.DrawImageOptions{}
	op.GeoM.Scale(area.W*c.scale/float64(n), area.H*c.scale/float64(n))
	op.GeoM.Translate(area.X*c.scale, area.Y*c.scale)
	c.target.DrawImage(m.SubImage(image.Rect(0, 0, n, rows)).(*ebiten.Image), op)
}
