package circle

import (
	"math"
	"testing"

	"mhacsp/tasks/assert"
)

// TestFace: arcs lie end to end, each inside the one before, the newest four of them; the hand stands at the last.
func TestFace(t *testing.T) {
	g := assert.Must(newGlyphs())(t)
	c, theme := Point{200, 200}, Colours(false)
	for _, stops := range [][]float64{{0}, {0, 2, 5.5}, {0, 2, 5.5, 4, 7, 9}} {
		r := &recorder{glyphs: g}
		Pen{r}.Face(Face{Modulus: 9, K: 1, Stops: stops, Exact: math.NaN()}, c, 150, &theme)
		from, radius := stops[max(0, len(stops)-1-arcsShown):], 150.0
		for _, line := range r.lines {
			if len(line) < 5 || len(line) > 100 { // the hand and the marks; the rim
				continue
			}
			at, away := math.Atan2(line[0].X-c.X, c.Y-line[0].Y), math.Hypot(line[0].X-c.X, line[0].Y-c.Y)
			if len(from) < 2 || math.Abs(math.Remainder(at-from[0], 2*math.Pi)) > 1e-9 || away >= radius {
				t.Errorf("%v: an arc begins at %.3f, %.0f from the middle; stops left %v", stops, at, away, from)
				break
			}
			from, radius = from[1:], away
		}
		assert.Is(t, len(from), 1, "%v: no arc from %v", stops, from)
		hand := OnCircle(c, 0.68*150-24, stops[len(stops)-1])
		end := r.lines[len(r.lines)-1][1]
		assert.True(t, math.Hypot(end.X-hand.X, end.Y-hand.Y) <= 1e-9, "%v: the hand: %v, not %v", stops, end, hand)
	}
}
