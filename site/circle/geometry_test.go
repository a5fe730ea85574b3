package circle

import (
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"mhacsp/tasks/assert"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestShorterArc(t *testing.T) {
	const π = math.Pi
	for _, c := range []struct{ from, to, s, want float64 }{
		{0, 1, 0.5, 0.5},
		{3, -3, 0.5, π},              // over the seam, not back through 0
		{-3, 3, 0.5, -π},             // likewise
		{π - 0.1, -π + 0.3, 0.25, π}, // a quarter of 0.4 past 3.04
		{0.2, 0.2 + 2*π*3, 0.7, 0.2}, // the same place after three turns
		{1, 2, 0, 1}, {1, 2, 1, 2},   // ends
		{0.1, 6.2, 1, 6.2}, // the end is exactly the model's number, not a turn away
		{5, -7.123456789, 1, -7.123456789},
	} {
		got := ShorterArc(c.from, c.to, c.s)
		assert.True(t, near(got, c.want), "from %v to %v, share %v: %v, want %v", c.from, c.to, c.s, got, c.want)
	}
	for i := range 1000 { // never more than half a turn
		from, to := float64(i)*0.77-300, float64(i*i%617)*0.31-90
		d := math.Abs(ShorterArc(from, to, 0.999999) - from)
		assert.Need(t, d <= π+1e-9, "from %v to %v goes %v", from, to, d)
	}
}

// TestDrift: from one number to the other, turning evenly; what only turns keeps its length.
func TestDrift(t *testing.T) {
	a, b := complex(3, 1), complex(-0.5, 2)
	for _, turn := range []float64{0, -0.4, -5.9, 5.9} {
		assert.True(t, Drift(a, b, turn, 0) == a && Drift(a, b, turn, 1) == b,
			"turn %v: the ends are %v and %v", turn, Drift(a, b, turn, 0), Drift(a, b, turn, 1))
		for _, s := range []float64{0.25, 0.5, 0.75} {
			got, want := Drift(a, a*cmplx.Rect(1, turn), turn, s), a*cmplx.Rect(1, s*turn)
			assert.True(t, cmplx.Abs(got-want) <= 1e-12, "turn %v, share %v: %v, want %v", turn, s, got, want)
			there, back := Drift(a, b, turn, s), Drift(b, a, -turn, 1-s)
			assert.True(t, cmplx.Abs(there-back) <= 1e-12, "turn %v, share %v: %v, back %v", turn, s, there, back)
		}
	}
}

// TestScaleRings: powers of ten that stand apart from the middle and from the end.
func TestScaleRings(t *testing.T) {
	for longest, want := range map[float64][]float64{
		0: nil, 45.7: {10}, 12: {1}, 20: {10, 1}, 1: {0.1}, 0.02: {0.01, 0.001}, 9.99: {1}, 1000: {100},
	} {
		got := scaleRings(longest)
		same := slices.EqualFunc(got, want, func(a, b float64) bool { return near(a/b, 1) })
		assert.True(t, same, "up to %v: rings at %v, want %v", longest, got, want)
	}
}

func TestDigitsOnCircle(t *testing.T) {
	c := Point{10, 20}
	p := OnCircle(c, 5, DigitPhase(0, 9))
	assert.True(t, near(p.X, 10) && near(p.Y, 15), "residue 0 at %v, want above the middle", p)
	p = OnCircle(c, 5, DigitPhase(1, 4))
	assert.True(t, near(p.X, 15) && near(p.Y, 20), "a quarter at %v, want right of the middle: clockwise", p)
	assert.True(t, near(DigitPhase(7, 9), 14*math.Pi/9), "residue 7 of 9 at %v, want 14π/9", DigitPhase(7, 9))
}

// TestArrange lays out all sizes that must work, and asks that all shown stands inside, apart and large enough.
func TestArrange(t *testing.T) {
	for _, size := range [][2]float64{
		{280, 280}, {280, 600}, {320, 568}, {390, 844}, {412, 915}, {600, 280}, {640, 360}, {500, 500},
		{800, 600}, {768, 1024}, {1280, 720}, {1920, 1080}, {3840, 2160}, {2160, 3840}, {3840, 1000},
	} {
		for i := range 4 {
			layer, memory := i&1 > 0, i&2 > 0
			l := Arrange(size[0], size[1], layer, memory)
			parts := map[string]Rect{
				"tokens": l.Tokens, "track": l.Track, "dial": l.Dial,
				"headline": l.Headline, "bars": l.Bars, "panel": l.Panel, "legend": l.Legend,
			}
			for a, x := range parts {
				if x.Empty() {
					continue
				}
				assert.True(t, x.X >= 0 && x.Y >= 0 && x.Right() <= size[0]+1e-9 && x.Bottom() <= size[1]+1e-9,
					"%v layer %t: %s %v leaves the view", size, layer, a, x)
				for b, y := range parts {
					assert.True(t, a >= b || y.Empty() || overlap(x, y) <= 1e-9,
						"%v layer %t: %s %v covers %s %v", size, layer, a, x, b, y)
				}
			}
			assert.True(t, !l.Tokens.Empty() && !l.Headline.Empty(), "%v layer %t: no tokens or answer", size, layer)
			assert.True(t, l.Em >= 12, "%v: text of %v px", size, l.Em)
			assert.True(t, layer || l.Radius >= 0.2*min(size[0], size[1]), "%v: radius %v is small", size, l.Radius)
			if layer {
				assert.True(t, !l.Panel.Empty(), "%v: the layer is not shown", size)
				for kind := Distance; kind <= Attention; kind++ {
					g := arrangePanel(l.Panel, l.Em, kind, 4)
					assert.True(t, g.matrix.W >= 80, "%v: %v has a matrix of %v px", size, kind, g.matrix.W)
					assert.True(t, g.scale.Bottom() <= l.Panel.Bottom()+1e-9 &&
						g.matrix.Right() <= l.Panel.Right()+1e-9, "%v: %v leaves its panel", size, kind)
					for k, c := range g.chips {
						assert.True(t, c.W >= 0.8*24 && l.Panel.Contains(c.Center()), "%v: chip %d at %v", size, k, c)
					}
				}
			}
			r := l.Radius * (digitRing + 0.1)
			assert.True(t, l.Dial.Empty() || r <= l.Dial.W/2+1e-9,
				"%v: digits reach %v in a dial of %v", size, r, l.Dial.W/2)
		}
	}
}

func overlap(a, b Rect) float64 {
	return max(0, min(a.Right(), b.Right())-max(a.X, b.X)) * max(0, min(a.Bottom(), b.Bottom())-max(a.Y, b.Y))
}

func TestTokenLine(t *testing.T) {
	long := strings.Split(strings.Repeat("0123456789", 13)[:128], "")
	area := Rect{10, 0, 300, 30}
	for at := range long {
		cells, before, after := tokenLine(long, area, 20, float64(at))
		first, last := cells[0].index, cells[len(cells)-1].index
		for i, c := range cells {
			assert.Need(t, c.rect.X >= area.X-0.02 && c.rect.Right() <= area.Right()+0.02,
				"at %d: token %d stands outside, %v", at, c.index, c.rect)
			assert.Need(t, c.index == first+i && (i == 0 || c.rect.X >= cells[i-1].rect.Right()-1e-9),
				"at %d: token %d is out of order", at, c.index)
		}
		assert.True(t, first <= at && at <= last, "at %d: the present token is not in sight", at)
		assert.True(t, before == (first > 0) && after == (last < len(long)-1),
			"at %d: before %t, after %t with tokens %d to %d", at, before, after, first, last)
	}
	cells, before, after := tokenLine(sum, Rect{0, 0, 900, 30}, 20, 3)
	assert.True(t, len(cells) == len(sum) && !before && !after, "a short text shows %d of its tokens", len(cells))
}

func TestTokenText(t *testing.T) {
	for token, want := range map[string]string{
		"<SOS>": "start", " ": " ", " repeat ": "repeat", "7": "7", "-": "−", "mod": "mod", "": "",
	} {
		assert.Is(t, tokenText(token), want, "%q is written", token)
	}
}

// TestContrast holds the palettes to WCAG 2.2 AA.
func TestContrast(t *testing.T) {
	got := contrast(rgb(0), rgb(0xffffff))
	assert.Need(t, near(got, 21), "black on white has contrast %v, want 21", got)
	for name, p := range map[string]Palette{"light": Colours(false), "dark": Colours(true)} {
		for _, c := range []struct {
			what    string
			got, at float64
		}{
			{"text", contrast(p.Text, p.Ground), 7}, {"text on fields", contrast(p.Text, p.Raised), 4.5},
			{"muted text", contrast(p.Muted, p.Ground), 4.5}, {"right", contrast(p.Right, p.Ground), 4.5},
			{"the answer as text", contrast(p.Answer, p.Ground), 4.5}, {"wrong", contrast(p.Wrong, p.Ground), 4.5},
			{"text on the answer", contrast(p.OnAnswer, p.Answer), 4.5},

			{"memory units", contrast(p.Memory, p.Ground), 4.5}, // their scale is text
			{"turning units", contrast(p.Turning, p.Ground), 3}, {"holding units", contrast(p.Holding, p.Ground), 3},
			{"bars on their field", contrast(p.Muted, p.Raised), 3},
			{"the answer's bar on its field", contrast(p.Answer, p.Raised), 3},
			{"least and greatest heat", contrast(p.heat[0], p.heat[2]), 7},
		} {
			assert.True(t, c.got >= c.at, "%s: %s has contrast %.2f, want %v", name, c.what, c.got, c.at)
		}
		for value := range 9 {
			for _, sure := range []float64{0, 0.5, 1} {
				got := contrast(p.Text, p.Square(value, 9, sure))
				assert.True(t, got >= 4.5, "%s: text on the square of %d has contrast %.2f", name, value, got)
			}
			got := contrast(p.mark(value, 9), p.Ground)
			assert.True(t, got >= 4.5, "%s: the mark %d has contrast %.2f", name, value, got)
		}
		for i := range 101 { // figures on any heat
			h := p.warm(float64(i) / 100)
			got := contrast(h, readable(h))
			assert.True(t, got >= 4.5, "%s: a figure on heat %d %% has contrast %.2f", name, i, got)
		}
	}
}
