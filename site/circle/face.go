package circle

import (
	"image/color"
	"math"
	"strconv"
	"strings"
)

// Face is a clock by itself, drawn as the view draws its dials: a mark for each value where a hand stands for it that
// goes K times round while the value goes once round, the hand, and end to end an arc for each number that turned it.
type Face struct {
	Modulus, K int
	Stops      []float64 // radians from the top, clockwise, not modulo a turn: where the hand stood, at least once
	Exact      float64   // where the hand should stand; NaN: not drawn
	Hues       bool      // each mark has the hue of its place, which a Square has for its value
}

// Face draws a face.
func (p Pen) Face(f Face, c Point, radius float64, t *Palette) {
	now := f.Stops[len(f.Stops)-1]
	paintRim(p.to, t, radius, f.Modulus, f.K, c, radius, now, f.Hues)
	first := max(0, len(f.Stops)-1-arcsShown)
	for i, from := range f.Stops[first : len(f.Stops)-1] {
		paintArc(p.to, c, radius, i, from, f.Stops[first+i+1], t.Arcs[(first+i)%len(t.Arcs)])
	}
	if !math.IsNaN(f.Exact) {
		p.to.line([]Point{c, OnCircle(c, 0.68*radius, f.Exact)}, max(1, 0.012*radius), fade(t.Text, 0.4), false)
	}
	paintHand(p.to, t, c, radius, now, t.Text)
}

// paintRim draws a dial's rim and the values where a hand stands for them that goes k times round while the value goes
// once round. The one nearest to the hand's angle stands out; none where that is not a number.
func paintRim(p painter, t *Palette, em float64, modulus, k int, c Point, radius, now float64, hues bool) {
	p.line(arc(c, radius, 0, 2*math.Pi, 120), max(1, 0.012*radius), t.Rule, true)
	labels := map[int]string{}
	for value := range modulus {
		place := ((value*k)%modulus + modulus) % modulus
		labels[place] = strings.TrimSpace(labels[place] + " " + strconv.Itoa(value))
	}
	places := len(labels)
	size := min(max(0.2*radius, leastText), 0.42*2*math.Pi*radius/float64(places), 2.4*em)
	for place := range modulus {
		label, ok := labels[place]
		if !ok {
			continue
		}
		angle := DigitPhase(place, modulus)
		p.line([]Point{OnCircle(c, radius, angle), OnCircle(c, 0.93*radius, angle)}, max(1.5, 0.02*radius), t.Muted, false)
		near := math.Abs(math.Remainder(now-angle, 2*math.Pi)) < math.Pi/float64(places)
		ink := t.Muted
		switch {
		case hues:
			ink = t.mark(place, modulus)
		case near:
			ink = t.Text
		}
		p.text(label, OnCircle(c, 0.79*radius, angle), fitted(p, label, size, 0.65*radius, near),
			textStyle{near, middle}, ink)
	}
}

func paintHand(p painter, t *Palette, c Point, radius, angle float64, ink color.NRGBA) {
	width, length := max(2, 0.05*radius), 0.68*radius
	tip := max(0.16*radius, 5)
	p.line([]Point{OnCircle(c, 0.12*radius, angle+math.Pi), OnCircle(c, length-tip, angle)}, width, ink, false)
	neck := OnCircle(c, length-tip, angle)
	p.polygon([]Point{
		OnCircle(c, length, angle), OnCircle(neck, 0.45*tip, angle-math.Pi/2), OnCircle(neck, 0.45*tip, angle+math.Pi/2),
	}, ink)
	p.dot(disc, c, max(2.5, 0.05*radius), ink, t.Ground)
}

// paintArc draws the way that a hand has turned, inside that many others, with a head; more than a turn winds inwards.
func paintArc(p painter, c Point, radius float64, inside int, from, to float64, ink color.NRGBA) {
	radius, width := (0.62-0.1*float64(inside))*radius, 0.08*radius
	ink = fade(ink, 0.75)
	way := to - from
	if math.Abs(way) < 0.05 {
		return
	}
	turns := math.Abs(way) / (2 * math.Pi)
	at := func(share float64) Point {
		return OnCircle(c, radius*(1-0.14*turns*(1-share)), from+share*way)
	}
	stop := max(0, 1-0.22/math.Abs(way))
	n := int(math.Abs(way)/0.08) + 2
	ps := make([]Point, n+1)
	for i := range ps {
		ps[i] = at(stop * float64(i) / float64(n))
	}
	p.line(ps, 0.6*width, ink, false)
	angle := from + stop*way
	base := ps[n]
	out, in := OnCircle(base, width, angle), OnCircle(base, -width, angle)
	p.polygon([]Point{at(1), out, in}, ink)
}
