package space

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"mhacsp/model/study/inside"
)

// kept is how many digits of a number a layout has: more than a figure shows.
const kept = 4

// Layout is what figures show of the digits. Digits of one embedding are an error.
func (d *Digits) Layout() (*inside.Digits, error) {
	plane, shares, ok := Plane(d.Rows)
	if !ok {
		return nil, errors.New("the digits have one embedding, a width of 1, or numbers that are not finite")
	}
	near, _ := Neighbours(d.Rows, inside.Perplexity)
	out := &inside.Digits{
		Names: d.Names, Modulus: d.Modulus, Near: rounded(near), Plane: rounded(plane), Ring: round(d.Ring()),
		Shares: [2]float64(inside.Rounded(shares[:], kept)), Angle: d.dial(d.Angles), Phase: d.dial(d.Phases),
	}
	if ratio, ok := d.Same(); ok {
		out.Same = new(inside.Round(ratio, kept))
	}
	return out, nil
}

// dial is the unit that follows the digits best; nil of no angles.
func (d *Digits) dial(angles [][]float64) *inside.Dial {
	if angles == nil {
		return nil
	}
	var doubled [][]float64
	for _, row := range angles {
		doubled = append(doubled, floats.ScaleTo(make([]float64, len(row)), 2, row))
	}
	dial := &inside.Dial{Turn: round(d.Turn(angles)), Line: round(d.Turn(doubled))}
	for _, row := range angles {
		dial.Hands = append(dial.Hands, inside.Round(row[dial.Turn.Unit], kept))
	}
	return dial
}

func round(c inside.Circularity) inside.Circularity {
	c.Score, c.Chance = inside.Round(c.Score, kept), inside.Round(c.Chance, kept)
	c.Offset = inside.Round(math.Remainder(c.Offset, 2*math.Pi), kept)
	return c
}

func rounded(points [][2]float64) [][2]float64 {
	var out [][2]float64
	for _, p := range points {
		out = append(out, [2]float64{inside.Round(p[0], kept), inside.Round(p[1], kept)})
	}
	return out
}

// Components is how many principal components SpectrumOf keeps at most.
const Components = 64

// SpectrumOf is the spectrum of states, as States gives them. It tells false where all last ones are the same, or not
// finite.
func SpectrumOf(last, all [][]float64) (*inside.Spectrum, bool) {
	shares := func(rows [][]float64) []float64 {
		list := Spectrum(rows)
		return inside.Rounded(list[:min(len(list), Components)], kept)
	}
	x := &inside.Spectrum{Last: shares(last), All: shares(all)}
	return x, len(x.Last) > 0
}
