package window

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/circle"
	"mhacsp/site/displaytest"
	"mhacsp/tasks/assert"
)

// phasesOfUnits are those of a model with four units, of which unit u stands at 2π(u+1)v/9 for the value v.
func phasesOfUnits() *Sums {
	x := &Sums{Units: make([]Unit, 4)}
	for a := range 9 {
		for b := range 9 {
			x.Values = append(x.Values, (a+b)%9)
		}
	}
	for u := range x.Units {
		x.Units[u].Name, x.Units[u].Says = "twice its phase 4 times backwards", "R 0.98, chance 0.31, on 200 texts"
		for _, v := range x.Values {
			x.Units[u].Phases = append(x.Units[u].Phases, math.Remainder(2*math.Pi*float64((u+1)*v)/9, 2*math.Pi))
		}
	}
	return x
}

// dialled is a reading with one clock, unit 1.
func dialled() Reading {
	r, zeros := reading("1+2"), make([]float64, 4)
	r.Dials = &circle.Dials{
		Modulus: 3, Values: []int{0, 1, 1, 0}, Changes: []int{0, 1, 0, 2}, Signs: []int{1, 1, 1, 1},
		Lit: make([][]int, 4), Steers: make([][]int, 4), Answers: []string{"0", "1", "2"},
		Rest: make([]float64, 3), Sum: make([]float64, 3), Probabilities: make([]float64, 3),
		Hands: []circle.Hand{{
			Unit: 1, K: 1, R: 1, Angles: zeros, Sure: []float64{1, 1, 1, 1}, Votes: make([]float64, 3),
		}},
	}
	return r
}

// pointAt finds the units of the circle that are first and last from the left, and leaves the pointer on the first.
func pointAt(t *testing.T, s *Screen) (first, last point) {
	t.Helper()
	settle(s)
	area, found := s.arrange().circle, false
	pace := max(3, area.W/200)
	for x := area.X; x < area.Right(); x += pace {
		for y := area.Y; y < area.Bottom(); y += pace {
			if s.PointerOver(point{X: x, Y: y}); s.pointed < 0 {
				continue
			}
			if last = (point{X: x, Y: y}); !found {
				first, found = last, true
			}
		}
	}
	assert.Need(t, found, "there is no unit in %v", area)
	s.PointerOver(first)
	return first, last
}

// TestPointedAsks: the phases are asked for once, when a unit is pointed at and nothing trains or plays; once more
// where the model is another; what was found stays until then.
func TestPointedAsks(t *testing.T) {
	s, h := screen(t, Options{})
	s.SetState(Training)
	at, _ := pointAt(t, s)
	s.Update(0.1)
	assert.True(t, !s.pointing() && h.take() == "", "while it trains the phases are asked for")
	s.SetState(Paused)
	for range 3 {
		s.Update(0.1)
	}
	assert.Is(t, h.take(), "sums", "once it pauses it asks for")
	s.SetSums(phasesOfUnits())
	s.PointerOver(point{})
	s.PointerOver(at)
	s.Update(0.1)
	assert.Is(t, h.take(), "", "what is known is asked for again")
	s.playing = true
	s.SetSums(nil)
	s.Update(0.1)
	assert.Is(t, h.take(), "", "while checkpoints play the phases are asked for")
	s.playing = false
	s.Update(0.1)
	assert.Is(t, h.take(), "sums", "of another model they are not asked for")
	for name, spoil := range map[string]func(*Sums){
		"phases": func(x *Sums) { x.Units[2].Phases = x.Units[2].Phases[1:] },
		"sums":   func(x *Sums) { x.Values, x.Units = nil, []Unit{{}} },
	} {
		x := phasesOfUnits()
		spoil(x)
		s.SetSums(x)
		s.Update(0.1)
		assert.True(t, s.sums.None != "" && s.unitPointed() == nil && h.take() == "",
			"sums without all %s: %q; they are drawn, or asked for without end", name, s.sums.None)
	}
	s.Press("Escape")
	assert.True(t, !s.pointing(), "Escape leaves the chart there")
}

// TestPaintPointed: every sum's dot stands over its value, as high as its phase; before that the chart says what it
// waits for, and where there is none why.
func TestPaintPointed(t *testing.T) {
	s, _ := screen(t, Options{})
	pointAt(t, s)
	l := s.arrange()
	at := s.chartAt(&l)
	chart := func() *drawing { d := &drawing{}; s.paintPointed(d, &l, at); return d }
	chart().find(t, "computing its phase after each sum …")
	s.SetSums(&Sums{None: "there are no sums"})
	chart().find(t, "there are no sums")
	x := phasesOfUnits()
	s.SetSums(x)
	d, c := chart(), circle.Colours(false)
	d.find(t, fmt.Sprintf("Unit %d: twice its phase 4 times backwards", s.pointed))
	d.find(t, "R 0.98, chance 0.31, on 200 texts")
	left, far := d.find(t, "0").area.Center().X, d.find(t, "8").area.Center().X
	low, high := d.find(t, "0°").area.Center().Y, d.find(t, "360°").area.Center().Y
	assert.Need(t, left < far && high < low, "values from %v to %v, phases from %v to %v", left, far, low, high)
	dots := slices.DeleteFunc(d.rects, func(r drawn) bool { return r.ink != c.Turning })
	assert.Need(t, len(dots) == 81, "%d dots", len(dots))
	for i, dot := range dots {
		v := x.Values[i]
		share := float64((s.pointed+1)*v%9) / 9
		want := point{X: left + (far-left)*float64(v)/8, Y: low + (high-low)*share}
		got := dot.area.Center()
		whole := share == 0 && math.Abs(got.Y-high) < 1e-6 // 360° is 0°
		assert.True(t, math.Abs(got.X-want.X) <= 1e-6 && (math.Abs(got.Y-want.Y) <= 1e-6 || whole),
			"sum %d, of value %d, stands at %v, want %v", i, v, got, want)
	}
}

// TestPointedRoom: at any size the chart covers no unit and no dial, nothing by half, and all of it lies in its place;
// where it has no room, words stand below the field.
func TestPointedRoom(t *testing.T) {
	charts := 0
	for _, clocks := range []bool{false, true} {
		for _, class := range []bool{false, true} {
			for _, size := range [][2]float64{
				{280, 280}, {420, 420}, {640, 480}, {640, 1000}, {900, 560}, {1280, 800}, {3840, 2160}, {400, 2000},
			} {
				name := fmt.Sprintf("clocks %t, class %t, %v", clocks, class, size)
				s, _ := screen(t, Options{Class: class, Clocks: clocks})
				s.SetSize(size[0], size[1])
				assert.NoError(t, s.SetReading(dialled()))
				s.SetSums(phasesOfUnits())
				first, last := pointAt(t, s)
				for _, unit := range []point{first, last} {
					s.PointerOver(unit)
					l := s.arrange()
					at := s.chartAt(&l)
					if at.Empty() {
						words := fmt.Sprintf("Unit %d: R 0.98", s.pointed)
						said := func(x drawn) bool { return strings.HasPrefix(x.text, words) }
						assert.True(t, slices.ContainsFunc(paint(s).texts, said), "%s: neither chart nor words", name)
						continue
					}
					charts++
					assert.True(t, !covered(at, l.em).Contains(unit),
						"%s: the chart at %v covers the unit at %v", name, at, unit)
					for part, r := range l.all() {
						assert.True(t, part == "circle" || r.Empty() || !overlap(r, at) || within(r, at, 1e-6),
							"%s: the chart at %v covers half of the %s at %v", name, at, part, r)
					}
					d := &drawing{}
					s.paintPointed(d, &l, at)
					for _, x := range d.texts {
						assert.True(t, within(x.area, at, 1), "%s: %q at %v is outside %v", name, x.text, x.area, at)
					}
				}
			}
		}
	}
	assert.True(t, charts >= 20, "only %d charts have room", charts)
}

// TestPointedRests: with a chart, without one and where it has no room the window is drawn once and then rests.
func TestPointedRests(t *testing.T) {
	for _, size := range [][2]int{{1280, 800}, {640, 480}, {280, 280}} {
		s, _ := screen(t, Options{Clocks: true})
		s.SetSize(float64(size[0]), float64(size[1]))
		assert.NoError(t, s.SetReading(dialled()))
		pointAt(t, s)
		s.Update(0.1)
		w := assert.Must(New(s, "", nil))(t)
		displaytest.Picture(t, size[0], size[1], func(target *ebiten.Image) {
			for _, x := range []*Sums{nil, phasesOfUnits()} {
				s.SetSums(x)
				assert.True(t, s.NeedsDraw(), "%v: what was found is not drawn", size)
				w.paint(target)
				s.Update(0.1)
				assert.True(t, !s.NeedsDraw() && !s.NeedsTime(), "%v: once drawn it does not rest", size)
			}
		})
	}
}

// TestPointedPicture: the chart is seen over what stands there.
func TestPointedPicture(t *testing.T) {
	for _, size := range [][2]float64{{1280, 800}, {640, 480}} {
		s, _ := screen(t, Options{Clocks: true})
		s.SetSize(size[0], size[1])
		assert.NoError(t, s.SetReading(dialled()))
		s.SetSums(phasesOfUnits())
		pointAt(t, s)
		l, c := s.arrange(), circle.Colours(false)
		at := s.chartAt(&l)
		n := count(snapshot(t, s, 1), at, 1, c.Turning)
		assert.True(t, n >= 200, "%v: %d pixels of dots in %v", size, n, at)
	}
}
