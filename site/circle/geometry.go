package circle

import (
	"math"
	"math/cmplx"
)

// Point is a place in the view, y downwards.
type Point struct{ X, Y float64 }

// Rect is a place with a size.
type Rect struct{ X, Y, W, H float64 }

func (r Rect) Center() Point   { return Point{r.X + r.W/2, r.Y + r.H/2} }
func (r Rect) Right() float64  { return r.X + r.W }
func (r Rect) Bottom() float64 { return r.Y + r.H }
func (r Rect) Empty() bool     { return r.W <= 0 || r.H <= 0 }

// Contains reports whether a point lies in the rectangle, its right and lower edge left out.
func (r Rect) Contains(p Point) bool {
	return p.X >= r.X && p.X < r.Right() && p.Y >= r.Y && p.Y < r.Bottom()
}

// Inset leaves out a border on all sides.
func (r Rect) Inset(d float64) Rect { return Rect{r.X + d, r.Y + d, max(0, r.W-2*d), max(0, r.H-2*d)} }

// CutTop cuts a strip of height h off; what is left follows.
func (r Rect) CutTop(h float64) (strip, rest Rect) {
	h = min(max(h, 0), r.H)
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}
}

// CutBottom cuts a strip of height h off below.
func (r Rect) CutBottom(h float64) (strip, rest Rect) {
	h = min(max(h, 0), r.H)
	return Rect{r.X, r.Bottom() - h, r.W, h}, Rect{r.X, r.Y, r.W, r.H - h}
}

// CutLeft cuts a strip of width w off.
func (r Rect) CutLeft(w float64) (strip, rest Rect) {
	w = min(max(w, 0), r.W)
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}
}

// CutRight cuts a strip of width w off on the right.
func (r Rect) CutRight(w float64) (strip, rest Rect) {
	w = min(max(w, 0), r.W)
	return Rect{r.Right() - w, r.Y, w, r.H}, Rect{r.X, r.Y, r.W - w, r.H}
}

// square is the largest square in the middle.
func (r Rect) square() Rect {
	s := min(r.W, r.H)
	return Rect{r.X + (r.W-s)/2, r.Y + (r.H-s)/2, s, s}
}

// OnCircle is the point at a phase on the circle about c: from the top, clockwise, as a clock's hand.
func OnCircle(c Point, radius, phase float64) Point {
	s, k := math.Sincos(phase)
	return Point{c.X + radius*s, c.Y - radius*k}
}

// DigitPhase is where residue k of m stands: 2πk/m.
func DigitPhase(k, m int) float64 { return 2 * math.Pi * float64(k) / float64(m) }

// ShorterArc is the phase at the share s of the way from one phase to another along the shorter arc. At 0 and 1 it is
// exactly from and to.
func ShorterArc(from, to, s float64) float64 {
	switch {
	case s <= 0:
		return from
	case s >= 1:
		return to
	}
	return from + s*math.Remainder(to-from, 2*math.Pi)
}

// Drift is where a number stands at the share s of the way from a to b if it turns evenly by an angle and what is
// added to it is added evenly. At 0 and 1 it is exactly a and b.
func Drift(a, b complex128, turn, s float64) complex128 {
	switch {
	case s <= 0:
		return a
	case s >= 1:
		return b
	}
	gain := b*cmplx.Rect(1, -turn) - a
	return cmplx.Rect(1, s*turn) * (a + complex(s, 0)*gain)
}

// Reach is how far from the middle a length stands where the longest stands at a radius: as its square root, so that
// short ones can be told apart next to long ones.
func Reach(length, longest, radius float64) float64 {
	if longest == 0 {
		return 0
	}
	return radius * math.Sqrt(length/longest)
}

// scaleRings are the lengths at which a scale up to the longest has rings: the two greatest powers of ten that stand
// well apart from the middle and from the scale's end.
func scaleRings(longest float64) []float64 {
	var rings []float64
	for k := math.Floor(math.Log10(longest)); longest > 0 && len(rings) < 2; k-- {
		length := math.Pow(10, k)
		at := Reach(length, longest, 1)
		if at < 0.2 {
			break
		}
		if at <= 0.88 {
			rings = append(rings, length)
		}
	}
	return rings
}

// ease turns even time into motion that starts and ends gently.
func ease(s float64) float64 { return s * s * (3 - 2*s) }

func lerp(a, b, s float64) float64 {
	if s >= 1 {
		return b
	}
	return a + s*(b-a)
}

// arc is a part of a circle as points, both ends among them.
func arc(c Point, radius, from, to float64, segments int) []Point {
	ps := make([]Point, segments+1)
	for i := range ps {
		ps[i] = OnCircle(c, radius, from+(to-from)*float64(i)/float64(segments))
	}
	return ps
}
