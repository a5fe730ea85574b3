package circle

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"syscall/js"
)

// letters reports whether the browser letters what the font lacks: see letters.js.
func letters() bool { return js.Global().Get("circle").Get("letters").Truthy() }

// letteredWidth is a run's width at size 1.
func letteredWidth(run string, bold bool) float64 {
	return js.Global().Get("circle").Get("letters").Call("width", run, bold).Float()
}

// letter draws a run; at is where its upper left corner stands from the dot.
func letter(run string, bold bool, px int, ink color.NRGBA) (picture image.Image, at image.Point, ok bool) {
	css := fmt.Sprintf("rgb(%d, %d, %d)", ink.R, ink.G, ink.B)
	m := js.Global().Get("circle").Get("letters").Call("draw", run, bold, px, css)
	straight := image.NewNRGBA(image.Rect(0, 0, m.Get("width").Int(), m.Get("height").Int()))
	js.CopyBytesToGo(straight.Pix, m.Get("data"))
	p := image.NewRGBA(straight.Rect) // alpha multiplied in, as ebiten wants it
	draw.Draw(p, p.Rect, straight, image.Point{}, draw.Src)
	return p, image.Pt(m.Get("x").Int(), m.Get("y").Int()), true
}
