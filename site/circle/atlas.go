package circle

import (
	"image"
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// atlas keeps all small pictures (glyphs, dots, one white pixel) in one texture, so that a frame is few draw calls.
type atlas struct {
	image   *ebiten.Image
	sprites map[spriteKey]sprite
	x, y, h int // the shelf being filled
}

type spriteKind int

const (
	white spriteKind = iota
	glyph
	lettered
	shaped
)

// spriteKey names a picture: a glyph of a size in pixels, a run of text likewise in its ink, or a shape of a radius in
// quarter pixels.
type spriteKey struct {
	kind spriteKind
	r    rune
	bold bool
	size int
	text string
	ink  color.NRGBA
	mark dotShape
}

// sprite is a picture in the atlas; at is where its upper left corner stands from the dot or the middle.
type sprite struct {
	area image.Rectangle
	at   image.Point
}

const (
	firstAtlas = 1024
	// largestAtlas is a texture size that every WebGL device has in practice.
	largestAtlas = 4096
)

func newAtlas(size int) *atlas {
	a := &atlas{image: ebiten.NewImage(size, size)}
	a.reset()
	return a
}

func (a *atlas) reset() {
	a.sprites, a.x, a.y, a.h = map[spriteKey]sprite{}, 0, 0, 0
	m := image.NewAlpha(image.Rect(0, 0, 3, 3))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	a.add(spriteKey{kind: white}, m, image.Point{})
}

// fits finds room for a picture with a pixel's border, or tells that there is none.
func (a *atlas) fits(size image.Point) (image.Rectangle, bool) {
	w, h := size.X+2, size.Y+2
	side := a.image.Bounds().Dx()
	if a.x+w > side {
		a.x, a.y, a.h = 0, a.y+a.h, 0
	}
	if w > side || a.y+h > side {
		return image.Rectangle{}, false
	}
	r := image.Rect(a.x+1, a.y+1, a.x+1+size.X, a.y+1+size.Y)
	a.x, a.h = a.x+w, max(a.h, h)
	return r, true
}

// add uploads a mask, or a picture in its own colours; ok is false where the atlas is full.
func (a *atlas) add(k spriteKey, m image.Image, at image.Point) (s sprite, ok bool) {
	area, ok := a.fits(m.Bounds().Size())
	if !ok {
		return sprite{}, false
	}
	pix := make([]byte, 0, 4*area.Dx()*area.Dy())
	switch m := m.(type) {
	case *image.Alpha:
		for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
			for _, c := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()] {
				pix = append(pix, c, c, c, c)
			}
		}
	case *image.RGBA:
		pix = append(pix, m.Pix...)
	}
	// The border was drawn by nobody, or by what stood there before a reset: clear it with the picture.
	outer := area.Inset(-1)
	a.image.SubImage(outer).(*ebiten.Image).Clear()
	a.image.SubImage(area).(*ebiten.Image).WritePixels(pix)
	s = sprite{area, at}
	a.sprites[k] = s
	return s, true
}

// shape rasterises a mark of a radius in pixels about the middle of a pixel corner.
func shape(of dotShape, radius float64) (*image.Alpha, image.Point) {
	half := int(math.Ceil(radius + 1))
	m := image.NewAlpha(image.Rect(0, 0, 2*half, 2*half))
	for y := range 2 * half {
		for x := range 2 * half {
			dx, dy := math.Abs(float64(x-half)+0.5), math.Abs(float64(y-half)+0.5)
			out := math.Hypot(dx, dy) - radius
			if of == diamond {
				out = (dx + dy - radius) / math.Sqrt2
			}
			m.Pix[y*m.Stride+x] = uint8(255*min(max(0.5-out, 0), 1) + 0.5)
		}
	}
	return m, image.Pt(-half, -half)
}
