package window

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mhacsp/site/circle"
)

// racing is a screen with a race of n, whose last lane has a circle.
func racing(t *testing.T, n int) (*Screen, *host) {
	t.Helper()
	s, h := screen(t, Options{Example: "1+2"})
	var lanes []Lane
	c := Content{Steps: 100, Step: 50, Shares: Chart{Title: "Right answers", Share: true}}
	for i := range n {
		x := Lane{
			Name: fmt.Sprintf("model %d", i), Says: "trains; answers 1: right",
			Rows: []Row{{"step", "50 of 100"}, {"test", "97 %"}},
		}
		if i == n-1 {
			x.Phases, x.Reading = true, reading("1+2").Reading
		}
		lanes = append(lanes, x)
		c.Shares.Series = append(c.Shares.Series, Series{
			Name: x.Name, Role: Runner + Role(i), X: []float64{0, 25, 50}, Y: []float64{0.2, 0.5, 0.9},
			Seconds: []float64{0, float64(i + 1), 2 * float64(i+1)}, // the second takes twice as long
		})
	}
	s.SetContent(c)
	s.SetState(Training)
	if err := s.SetLanes(lanes); err != nil {
		t.Fatal(err)
	}
	return s, h
}

// TestArrangeRace: at any size every lane has its name, and nothing lies on anything else or outside.
func TestArrangeRace(t *testing.T) {
	for _, size := range [][2]float64{{280, 280}, {320, 900}, {640, 480}, {1280, 800}, {1920, 1080}, {2000, 400}} {
		for n := 2; n <= 4; n++ {
			l := arrangeRace(size[0], size[1], n, 4)
			parts := l.all()
			for i, b := range l.lanes {
				if b.name.Empty() && min(size[0], size[1]) >= 400 {
					t.Errorf("%v: lane %d of %d has no name", size, i, n)
				}
				for k, r := range []rect{b.name, b.says, b.rows, b.circle} {
					parts[fmt.Sprintf("lane %d, part %d", i, k)] = r
				}
			}
			for a, x := range parts {
				if x.Empty() {
					continue
				}
				if x.X < 0 || x.Y < 0 || x.Right() > size[0]+1e-6 || x.Bottom() > size[1]+1e-6 {
					t.Errorf("%v: %s at %v is outside", size, a, x)
				}
				for b, y := range parts {
					if a < b && !y.Empty() && overlap(x, y) {
						t.Errorf("%v: %s at %v lies on %s at %v", size, a, x, b, y)
					}
				}
			}
			if size[0] >= 1280 && size[1] >= 800 && l.lanes[n-1].circle.Empty() {
				t.Errorf("%v: no room for circles of %d", size, n)
			}
		}
	}
}

// TestLanes: what is drawn says who runs and how; where units have no phase a sentence stands in place of the circle.
// Space pauses all, and a small window, which has no room for circles, comes to rest.
func TestLanes(t *testing.T) {
	s, h := racing(t, 3)
	s.SetSize(1280, 800)
	d := &drawing{}
	s.paint(d)
	for _, text := range []string{"model 0", "model 1", "model 2", "trains; answers 1: right", "50 of 100", "97 %"} {
		d.find(t, text)
	}
	sentences := 0
	for _, x := range d.texts {
		if x.text == noPhases {
			sentences++
		}
	}
	l := s.arrange()
	if circles := s.circles(&l); sentences != 2 || len(circles) != 1 || circles[0].view != s.lanes[2].view {
		t.Errorf("%d sentences and %d circles of three lanes", sentences, len(circles))
	}
	s.Press("Space")
	if s.Press("k") || s.Press("x") || s.Press("o") {
		t.Error("a race has keys of clocks")
	}
	if got := h.take(); got != "train false" {
		t.Errorf("the host is asked for %q", got)
	}
	s.SetSize(320, 300)
	s.dirty = false
	if l := s.arrange(); len(s.circles(&l)) != 0 || s.NeedsDraw() || s.NeedsTime() || !s.Resting() {
		t.Error("without room for circles it does not rest")
	}
}

// TestLanesSeconds: U draws the curves over the seconds that each took, to the end of the slowest, and back over
// steps; the foot and the axis say which. A single model's stay over steps.
func TestLanesSeconds(t *testing.T) {
	s, _ := racing(t, 2)
	s.SetSize(1280, 800)
	ends := func() (ends []float64, d *drawing) {
		d = paint(s)
		l, c := s.arrange(), circle.Colours(false)
		for i, ink := range []colour{c.Turning, c.Holding} {
			most := 0.0
			for _, x := range d.lines {
				last := x.points[len(x.points)-1]
				if x.ink == ink && l.shares.Contains(last) && last.Y > l.shares.Y+2*l.em {
					most = max(most, last.X)
				}
			}
			if most == 0 {
				t.Fatalf("curve %d is not drawn", i)
			}
			ends = append(ends, most)
		}
		return ends, d
	}
	hint := func(d *drawing, want string) {
		t.Helper()
		foot := d.texts[len(d.texts)-1].text
		for _, x := range d.texts {
			if strings.Contains(x.text, "?: help") {
				foot = x.text
			}
		}
		if !strings.Contains(foot, want) {
			t.Errorf("the foot says %q, not %q", foot, want)
		}
	}
	steps, d := ends()
	d.find(t, "step 100")
	hint(d, "U: over seconds")
	if math.Abs(steps[0]-steps[1]) > 8 { // a pattern may end in what is left out
		t.Errorf("over steps the curves end at %v", steps)
	}
	if !s.Press("u") {
		t.Fatal("there is no key U")
	}
	seconds, d := ends()
	d.find(t, "4 s of computing")
	hint(d, "U: over steps")
	if seconds[1] < steps[1]+100 || math.Abs(seconds[0]-steps[0]) > 8 { // 2 of 4 s, as 50 of 100 steps
		t.Errorf("over seconds the curves end at %v, over steps at %v", seconds, steps)
	}
	s.Press("u")
	if _, d = ends(); s.seconds {
		t.Error("U does not lead back")
	}
	d.find(t, "step 100")
	alone, _ := screen(t, Options{})
	alone.Press("u")
	paint(alone).find(t, "step 100")
}

// TestLanesPicture: the window draws the circle of a lane.
func TestLanesPicture(t *testing.T) {
	s, _ := racing(t, 2)
	s.SetSize(1280, 800)
	m := snapshot(t, s, 1)
	l, p := s.arrange(), circle.Colours(false)
	if n := count(m, l.lanes[1].circle, 1, p.Turning); n < 20 {
		t.Errorf("the circle has %d pixels of its units", n)
	}
	if n := count(m, l.shares, 1, p.Holding); n < 20 {
		t.Errorf("the chart has %d pixels of the second curve", n)
	}
}

// TestDashed: the parts of a pattern lie on the line, as long as the pattern has it.
func TestDashed(t *testing.T) {
	line := []point{{X: 0, Y: 0}, {X: 30, Y: 40}, {X: 30, Y: 100}} // 110 long
	length := func(ps []point) (sum float64) {
		for i := 1; i < len(ps); i++ {
			sum += math.Hypot(ps[i].X-ps[i-1].X, ps[i].Y-ps[i-1].Y)
		}
		return sum
	}
	parts := dashed(line, []float64{2, 1}, 10)
	drawn := 0.0
	for i, x := range parts {
		drawn += length(x)
		if got := length(x); math.Abs(got-20) > 1e-9 {
			t.Errorf("part %d is %v long", i, got)
		}
	}
	if len(parts) != 4 || math.Abs(drawn-80) > 1e-9 {
		t.Errorf("%d parts, %v long", len(parts), drawn)
	}
	if whole := dashed(line, nil, 10); len(whole) != 1 || length(whole[0]) != 110 {
		t.Errorf("without a pattern: %v", whole)
	}
}
