package circle

import (
	"image/color"
	"math"
)

// Palette is a theme's colours, for a view and what stands next to it. Text reaches a contrast of 4.5 to 1 with Ground
// and Raised, marks 3 to 1 (WCAG 2.2 AA); Rule only guides the eye.
type Palette struct {
	Ground, Raised           color.NRGBA // the view, and fields on it
	Text, Muted, Rule        color.NRGBA
	Turning, Holding, Answer color.NRGBA
	Memory                   color.NRGBA
	OnAnswer                 color.NRGBA // text on the answer's colour
	Right, Wrong             color.NRGBA
	Arcs                     [3]color.NRGBA // number by number (styles/base.css)
	heat                     [3]color.NRGBA // least, middle, greatest
	square, name             float64        // lightness of a value's square, and of its mark
}

func rgb(x uint32) color.NRGBA { return color.NRGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 255} }

// Colours are those of the dark or the light theme.
func Colours(dark bool) Palette {
	if dark {
		return Palette{
			Ground: rgb(0x0e1217), Raised: rgb(0x1d242d), Text: rgb(0xf1f4f7), Muted: rgb(0xa6b2bf),
			Turning: rgb(0x66b3ff), Holding: rgb(0xffa24d), Answer: rgb(0xff7eb6), OnAnswer: rgb(0x22000f),
			Rule: rgb(0x3c4754), Memory: rgb(0x4fd6c8), Right: rgb(0x57d08b), Wrong: rgb(0xff8a80),
			Arcs:   [3]color.NRGBA{rgb(0x7db8ff), rgb(0xffad66), rgb(0xf09bd0)},
			heat:   [3]color.NRGBA{rgb(0x18202a), rgb(0x2f78b7), rgb(0xe8f4ff)},
			square: 0.42, name: 0.82,
		}
	}
	return Palette{
		Ground: rgb(0xffffff), Raised: rgb(0xeef1f5), Text: rgb(0x14181d), Muted: rgb(0x515a66), Rule: rgb(0xc3cad3),
		Turning: rgb(0x0b5fc0), Holding: rgb(0xb04a00), Answer: rgb(0xb3125f), OnAnswer: rgb(0xffffff),
		Memory: rgb(0x00706a), Right: rgb(0x0a7040), Wrong: rgb(0xb3261e),
		Arcs:   [3]color.NRGBA{rgb(0x0b5fc0), rgb(0xb4530a), rgb(0x8a2f86)},
		heat:   [3]color.NRGBA{rgb(0xf3f6fa), rgb(0x5b9bd5), rgb(0x08306b)},
		square: 0.83, name: 0.5,
	}
}

// Square is the colour of a value's square in a table of answers: its hue the value's place on the clock, and grey
// where nobody is sure (0 to 1). Text can be read on it (styles/table.css has the same).
func (t *Palette) Square(value, modulus int, sure float64) color.NRGBA {
	return oklch(t.square, 0.14*sure, hue(value, modulus))
}

// mark is the colour of a value's mark on a clock (styles/first.css).
func (t *Palette) mark(value, modulus int) color.NRGBA {
	return oklch(t.name, 0.13, hue(value, modulus))
}

func hue(value, modulus int) float64 { return DigitPhase(value, modulus) + math.Pi/9 }

// oklch is a colour by lightness, chroma and hue in radians (CSS Color 4, §9.3), what lies outside of sRGB cut off.
func oklch(lightness, chroma, hue float64) color.NRGBA {
	a, b := chroma*math.Cos(hue), chroma*math.Sin(hue)
	cube := func(x float64) float64 { return x * x * x }
	l := cube(lightness + 0.3963377774*a + 0.2158037573*b)
	m := cube(lightness - 0.1055613458*a - 0.0638541728*b)
	s := cube(lightness - 0.0894841775*a - 1.2914855480*b)
	encoded := func(x float64) uint8 {
		if x = min(max(x, 0), 1); x <= 0.0031308 {
			return uint8(255*12.92*x + 0.5)
		}
		return uint8(255*(1.055*math.Pow(x, 1/2.4)-0.055) + 0.5)
	}
	return color.NRGBA{
		encoded(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		encoded(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		encoded(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s), 255,
	}
}

// warm is the colour of a share from 0 to 1.
func (t *Palette) warm(x float64) color.NRGBA {
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
