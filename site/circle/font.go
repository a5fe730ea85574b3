package circle

import (
	"cmp"
	"fmt"
	"image"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// capHeight is how high the Go fonts' capitals and digits are, as a share of the size.
const capHeight = 0.725

// goFonts are the two weights of the Go font, true: the bold one.
var goFonts = sync.OnceValues(func() (map[bool]*opentype.Font, error) {
	usual, err := opentype.Parse(goregular.TTF)
	bold, failed := opentype.Parse(gobold.TTF)
	return map[bool]*opentype.Font{false: usual, true: bold}, cmp.Or(err, failed)
})

// glyphs rasterises the two weights of the Go font. Runs of characters that it lacks are lettered by the browser.
type glyphs struct {
	fonts  map[bool]*opentype.Font     // goFonts
	faces  map[weighted[int]]font.Face // by their sizes in pixels
	widths map[weighted[rune]]float64
	runs   map[weighted[string]]float64
	buffer sfnt.Buffer
}

// weighted is a text, a glyph or a size in one of the weights.
type weighted[T comparable] struct {
	bold bool
	what T
}

func newGlyphs() (*glyphs, error) {
	fonts, err := goFonts()
	if err != nil {
		return nil, fmt.Errorf("circle: embedded font: %w", err)
	}
	return &glyphs{
		fonts: fonts, faces: map[weighted[int]]font.Face{},
		widths: map[weighted[rune]]float64{}, runs: map[weighted[string]]float64{},
	}, nil
}

// advance is a glyph's width at size 1.
func (g *glyphs) advance(r rune, bold bool) float64 {
	k := weighted[rune]{bold, r}
	if w, ok := g.widths[k]; ok {
		return w
	}
	const ppem = 1024
	w := 0.6
	f := g.fonts[bold]
	if i, err := f.GlyphIndex(&g.buffer, r); err == nil {
		if a, err := f.GlyphAdvance(&g.buffer, i, fixed.I(ppem), font.HintingNone); err == nil {
			w = float64(a) / 64 / ppem
		}
	}
	g.widths[k] = w
	return w
}

// measure is the width of a line of text.
func (g *glyphs) measure(s string, size float64, bold bool) float64 {
	w := 0.0
	for text, has := range pieces(s) {
		if !has {
			w += g.run(text, bold)
			continue
		}
		for _, r := range text {
			w += g.advance(r, bold)
		}
	}
	return w * size
}

// run is the width, at size 1, of what the font lacks.
func (g *glyphs) run(text string, bold bool) float64 {
	k := weighted[string]{bold, text}
	w, ok := g.runs[k]
	if !ok {
		if len(g.runs) >= 4096 { // texts come and go
			clear(g.runs)
		}
		w = letteredWidth(text, bold)
		g.runs[k] = w
	}
	return w
}

// raster draws a glyph of a whole size in pixels; at is where its upper left corner stands from the dot. The mask is
// valid until the next call.
func (g *glyphs) raster(r rune, bold bool, px int) (mask image.Image, at image.Point, ok bool) {
	k := weighted[int]{bold, px}
	face := g.faces[k]
	if face == nil {
		if len(g.faces) >= 32 { // a window that is resized asks for many sizes
			clear(g.faces)
		}
		var err error
		face, err = opentype.NewFace(g.fonts[bold], &opentype.FaceOptions{Size: float64(px), DPI: 72})
		if err != nil {
			return nil, image.Point{}, false
		}
		g.faces[k] = face
	}
	where, m, from, _, ok := face.Glyph(fixed.Point26_6{}, r)
	a, alpha := m.(*image.Alpha)
	if !ok || !alpha || where.Empty() {
		return nil, image.Point{}, false
	}
	return a.SubImage(where.Sub(where.Min).Add(from)).(*image.Alpha), where.Min, true
}
