package circle

import (
	"image/color"
	"math"
)

// theme is a set of colours. Text reaches a contrast of 4.5 to 1 with its ground, marks 3 to 1 (WCAG 2.2 AA).
type theme struct {
	ground, raised           color.NRGBA // the view, and fields on it
	text, muted, rule        color.NRGBA // rule: lines that only guide the eye
	turning, holding, answer color.NRGBA
	memory                   color.NRGBA
	onAnswer                 color.NRGBA // text on the answer's colour
	right, wrong             color.NRGBA
	heat                     [3]color.NRGBA // least, middle, greatest
}

func rgb(x uint32) color.NRGBA {
	return color.NRGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 255}
}

func lightTheme() theme {
	return theme{
		ground: rgb(0xffffff), raised: rgb(0xeef1f5), text: rgb(0x14181d), muted: rgb(0x515a66), rule: rgb(0xc3cad3),
		turning: rgb(0x0b5fc0), holding: rgb(0xb04a00), answer: rgb(0xb3125f), onAnswer: rgb(0xffffff),
		memory: rgb(0x00706a), right: rgb(0x0a7040), wrong: rgb(0xb3261e),
		heat: [3]color.NRGBA{rgb(0xf3f6fa), rgb(0x5b9bd5), rgb(0x08306b)},
	}
}

func darkTheme() theme {
	return theme{
		ground: rgb(0x0e1217), raised: rgb(0x1d242d), text: rgb(0xf1f4f7), muted: rgb(0xa6b2bf), rule: rgb(0x3c4754),
		turning: rgb(0x66b3ff), holding: rgb(0xffa24d), answer: rgb(0xff7eb6), onAnswer: rgb(0x22000f),
		memory: rgb(0x4fd6c8), right: rgb(0x57d08b), wrong: rgb(0xff8a80),
		heat: [3]color.NRGBA{rgb(0x18202a), rgb(0x2f78b7), rgb(0xe8f4ff)},
	}
}

// warm is the colour of a share from 0 to 1.
func (t *theme) warm(x float64) color.NRGBA {
	x = min(max(x, 0), 1) * 2
	if x < 1 {
		return mix(t.heat[0], t.heat[1], x)
	}
	return mix(t.heat[1], t.heat[2], x-1)
}

func mix(a, b color.NRGBA, s float64) color.NRGBA {
	f := func(x, y uint8) uint8 { return uint8(float64(x) + s*(float64(y)-float64(x)) + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), f(a.A, b.A)}
}

func fade(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(alpha*float64(c.A) + 0.5)
	return c
}

// contrast is the ratio of two colours' luminances as WCAG 2.2 defines it, 1 to 21.
func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	linear := func(b uint8) float64 {
		s := float64(b) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
