package window

import (
	"fmt"
	"testing"

	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

func (l *layout) all() map[string]rect {
	return map[string]rect{
		"field": l.field, "notice": l.notice, "circle": l.circle, "rule": l.rule, "slider": l.slider, "foot": l.foot,
		"numbers": l.numbers, "loss": l.loss, "shares": l.shares, "samples": l.samples,
	}
}

func overlap(a, b rect) bool {
	const slack = 1e-6
	return a.X+slack < b.Right() && b.X+slack < a.Right() && a.Y+slack < b.Bottom() && b.Y+slack < a.Bottom()
}

// within reports whether one rectangle lies in another, or leaves it by no more than the slack.
func within(a, b rect, slack float64) bool {
	return a.X >= b.X-slack && a.Right() <= b.Right()+slack && a.Y >= b.Y-slack && a.Bottom() <= b.Bottom()+slack
}

// TestArrange: at any size, with anything to show, everything lies in the window, nothing on anything else, what is
// pressed is large enough, and the circle always has room.
func TestArrange(t *testing.T) {
	for _, size := range [][2]float64{
		{280, 280}, {320, 240}, {420, 420}, {640, 1000}, {900, 560}, {1024, 600},
		{1280, 800}, {1920, 1080}, {3840, 2160}, {2000, 400}, {400, 2000},
	} {
		for bits := range 16 {
			want := wants{class: bits&1 > 0, slider: bits&2 > 0, charts: bits&4 > 0, samples: bits&8 > 0, rows: 9}
			name := fmt.Sprintf("%v %+v", size, want)
			l := arrange(size[0], size[1], want)
			screen := rect{W: max(size[0], circle.Smallest) + 1e-6, H: max(size[1], circle.Smallest) + 1e-6}
			all := l.all()
			for a, x := range all {
				if x.Empty() {
					continue
				}
				assert.True(t, within(x, screen, 0), "%s: %s at %v is outside", name, a, x)
				for b, y := range all {
					assert.True(t, a >= b || y.Empty() || !overlap(x, y),
						"%s: %s at %v lies on %s at %v", name, a, x, b, y)
				}
			}
			assert.True(t, l.field.H >= 24 && (!want.slider || l.slider.H >= 24),
				"%s: too small to press: %v, %v", name, l.field, l.slider)
			assert.True(t, l.circle.W >= 0.35*size[0] && l.circle.H >= 0.25*size[1],
				"%s: the circle has %v", name, l.circle)
			assert.True(t, l.rule.Empty() != want.class, "%s: rule at %v", name, l.rule)
			assert.True(t, l.slider.Empty() != want.slider &&
				(!want.slider || l.rail.X >= l.slider.X && l.rail.Right() <= l.slider.Right()),
				"%s: slider at %v, its line at %v", name, l.slider, l.rail)
			if size[0] >= 1280 && size[1] >= 800 && !want.class {
				assert.True(t, !l.numbers.Empty() && l.loss.Empty() != want.charts && l.shares.Empty() != want.charts,
					"%s: something is left out: %v", name, all)
			}
		}
	}
}

// TestSlider: a press finds the checkpoint whose knob stands there, and the nearest beyond the ends.
func TestSlider(t *testing.T) {
	for _, n := range []int{2, 7, 100} {
		l := arrange(1280, 800, wants{slider: true})
		for i := range n {
			assert.Is(t, l.checkpointAt(l.knob(i, n), n), i, "of %d: a press on the knob finds", n)
		}
		a, b := l.checkpointAt(point{X: -50}, n), l.checkpointAt(point{X: 5000}, n)
		assert.True(t, a == 0 && b == n-1, "beyond the ends of %d: %d and %d", n, a, b)
	}
}
