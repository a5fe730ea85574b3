package circle

import (
	"fmt"
	"image"
	"image/color"
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
	p := image.NewRGBA(straight.Rect)
	for i := 0; i < len(p.Pix); i += 4 {
		a := int(straight.Pix[i+3])
		for k := range 3 {
			p.Pix[i+k] = uint8(int(straight.Pix[i+k]) * a / 255)
		}
		p.Pix[i+3] = uint8(a)
	}
	return p, image.Pt(m.Get("x").Int(), m.Get("y").Int()), true
}
