package window

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

// table is one of modulus 9 that has every sum right but 3 + 5, and two hands that are exact.
func table() *Table {
	t := &Table{Step: "step 40 of 100"}
	for _, k := range []int{2, -1, 2} {
		t.Hands = append(t.Hands, Swept{K: k, R: 0.98})
	}
	for i := range 81 {
		t.Answers, t.Sure = append(t.Answers, (i/9+i%9)%9), append(t.Sure, 0.5)
		for j := range t.Hands {
			h := &t.Hands[j]
			turned := func(x int) float64 { return math.Remainder(circle.DigitPhase(h.K*x, 9), 2*math.Pi) }
			h.First, h.Second = append(h.First, turned(i/9)), append(h.Second, turned(i/9+i%9)+0.1)
		}
	}
	t.Answers[3*9+5] = 4
	return t
}

func addingScreen(t *testing.T) (*Screen, *host) {
	t.Helper()
	h := &host{}
	s := NewScreen(h, Options{Modulus: 9, Adding: true})
	s.SetSize(1280, 800)
	assert.Is(t, h.take(), "table true", "it asks for")
	s.SetContent(Content{Table: table()})
	return s, h
}

func keysOf(s *Screen, keys string) {
	for _, k := range strings.Fields(keys) {
		s.Press(Key(k))
	}
}

// TestAddingKeys: digits turn the hand, and the arcs of the clock and of the model's hands lie end to end.
func TestAddingKeys(t *testing.T) {
	for keys, want := range map[string]string{
		"": "[] The hand", "3": "[3] A sum begins. Turned by 3.", "3 5": "[3 5] 3 + 5 = 8. ",
		"3 5 7":     "[7] A sum begins. Turned by 7.",
		"7 5 4 - 3": "[4 -3] 4 − 3 = 1. ", "- 2": "[-2] A sum begins. Turned by −2.",
		"3 Backspace": "[] The", "3 - Backspace 2": "[3 2] 3 + 2 = 5. ", "3 5 Backspace": "[3] ",
		"7 6": "[7 6] 7 + 6 = 4. Turned by 7, then on by 6: past 8 it begins again at 0, so it stands at 4",
		"3 9": "[3] A sum", "3 Digit4 c x o h": "[3] ", "3 a a": "[3] ", "3 5 Space": "[3 5] ",
	} {
		s, h := addingScreen(t)
		keysOf(s, keys)
		got := fmt.Sprint(s.adding.terms) + " " + s.worked()
		assert.True(t, strings.HasPrefix(got, want), "%s: %s, want %s", keys, got, want)
		assert.Is(t, h.take(), map[string]string{"3 a a": "table false, table true"}[keys], "%s asks for", keys)
	}
	s, _ := addingScreen(t)
	keysOf(s, "3 5")
	faces := paint(s).faces
	assert.Need(t, len(faces) == 3 && faces[0].K == 1 && faces[1].K == -1 && faces[2].K == 2, "clocks: %+v", faces)
	for i, f := range faces {
		for k, sum := range []int{0, 3, 8} {
			want := circle.DigitPhase(f.K*sum, 9) // unwound
			off := f.Stops[k] - want
			assert.True(t, math.Abs(off) <= 1e-9 || i != 0 && k >= 2 && math.Abs(off-0.1) <= 1e-9,
				"clock %d stands at %v after %d, want %v", f.K, f.Stops[k], sum, want)
		}
	}
	keysOf(s, "9")
	assert.Says(t, s.notice, "no 9")
	keysOf(s, "e")
	assert.True(t, !s.adding.shown && s.typing, "E does not open the line")
	s = NewScreen(&host{}, Options{})
	keysOf(s, "a")
	assert.True(t, !s.adding.shown && s.bad, "a task without sums has a table of them")
}

// TestAddingPointer: the hand is dragged, back too; a square is read when pressed.
func TestAddingPointer(t *testing.T) {
	s, _ := addingScreen(t)
	a := s.arrangeAdding()
	c, radius := a.face()
	drag := func(from, to float64) {
		at := func(x float64) point { return circle.OnCircle(c, 0.5*radius, circle.DigitPhase(1, 9)*x) }
		s.PointerDown(at(from))
		for i := range 21 {
			s.PointerMove(at(from + (to-from)*float64(i)/20))
		}
		s.PointerUp()
	}
	drag(0, 3.2)
	drag(3, -1.1)
	const worked = "3 − 4 = 8. Turned by 3, then back by 4: before 0 comes 8"
	assert.True(t, slices.Equal(s.adding.terms, []int{3, -4}) && strings.HasPrefix(s.worked(), worked),
		"dragged by 3 and back by 4: %v, %s", s.adding.terms, s.worked())
	drag(8, 10)
	assert.Is(t, s.adding.terms, []int{8, 2}, "dragged on from where it stands")
	square := a.square(9, 3, 5).Center()
	s.PointerOver(square)
	assert.Is(t, s.saysOf(s.content.Table), "3 + 5: the network says 4 (50 % sure). The clock says 8.", "a square")
	assert.True(t, s.Pointing(square) == Hand && s.Pointing(c) == Hand && s.Pointing(a.foot.Center()) == Plain,
		"the pointer does not show what can be pressed")
	s.PointerDown(square)
	assert.Is(t, s.adding.terms, []int{3, 5}, "a square pressed")
}

// TestAddingInside: at any size nothing leaves the window and no words lie on others or on a clock; squares have the
// colour of their answer, and the wrong one is struck out.
func TestAddingInside(t *testing.T) {
	for _, class := range []bool{false, true} {
		for _, size := range [][2]float64{
			{280, 280}, {420, 420}, {640, 1000}, {900, 560}, {1280, 800}, {1366, 768}, {1920, 1080}, {400, 2000},
		} {
			s, _ := addingScreen(t)
			s.class = class
			s.SetSize(size[0], size[1])
			keysOf(s, "7 6")
			d := paint(s)
			inside := func(what string, r rect) {
				assert.True(t, within(r, rect{W: size[0], H: size[1]}, 0.5),
					"class %t, %v: %s at %v is outside", class, size, what, r)
			}
			for i, x := range d.texts {
				inside(x.text, x.area)
				for _, y := range d.texts[:i] {
					assert.True(t, !overlap(x.area, y.area), "class %t, %v: %q is on %q", class, size, x.text, y.text)
				}
				for _, f := range d.faces {
					assert.True(t, !overlap(x.area, f.area), "class %t, %v: %q on clock %d", class, size, x.text, f.K)
				}
			}
			for _, f := range d.faces {
				inside("a clock", f.area)
			}
			a, c := s.arrangeAdding(), circle.Colours(false)
			struck := 0
			for _, x := range d.rects {
				for i, answer := range s.content.Table.Answers {
					square, ink := a.square(9, i/9, i%9), c.Square(answer, 9, (0.5-1/9.)/(1-1/9.))
					assert.True(t, x.area != square || x.ink == ink, "square %d has the colour %v", i, x.ink)
					if x.ink == c.Text && x.area.H < 0.2*square.H && square.Contains(x.area.Center()) && i == 32 {
						struck++
					}
				}
			}
			assert.Is(t, struck, 1, "class %t, %v: the wrong answer is struck out … times", class, size)
		}
	}
}
