package window

import (
	"strings"

	"mhacsp/site/circle"
)

// Key is a key's name, or the one character that it writes, lower case; with "Ctrl+" before it where held.
type Key string

// help lists the keys. The page has the same, but for what a run's folder decides (seed, start, download).
var help = [][2]string{
	{"Space", "train, pause; of a finished model: play"},
	{"S", "one training step"},
	{"C", "play or pause the reading"},
	{"← →", "one token back, on"},
	{"Home End", "first token, last"},
	{"+ −", "faster, slower"},
	{"1 2 3 4 5", "layer: none, distance, tree, fusion, attention"},
	{"H", "next head"},
	{"K", "the clocks, all units"},
	{"X", "with the clocks: cut the next one, none after the last"},
	{"O", "with the clocks: turn all on by one mark, here"},
	{"", "a unit under the pointer: its phase after each sum"},
	{"A", "of sums: clock and table of all sums; all units"},
	{"", "there digits turn the hand, after − they turn back"},
	{"E", "type an expression; Enter reads it, Esc leaves"},
	{"PgUp PgDn", "earlier checkpoint, later"},
	{"P", "play all checkpoints"},
	{"T", "dark, light"},
	{"F11", "full screen"},
	{"?", "this help"},
	{"Ctrl+W", "close; a run's checkpoint is written first"},
}

// Press does what a key stands for and reports whether there is such a key.
func (s *Screen) Press(k Key) bool {
	switch k {
	case "F11":
		s.fullScreen = !s.fullScreen
		return true
	case "Ctrl+W", "Ctrl+Q":
		s.closing = true
		return true
	}
	if s.help {
		if k == "Escape" || k == "?" || k == "Space" || k == "Enter" {
			s.help, s.dirty = false, true
			return true
		}
		return false
	}
	if s.typing {
		return s.typed(k)
	}
	if strings.HasPrefix(string(k), "Ctrl+") {
		return false
	}
	return s.command(k)
}

// typed is a key while the line is edited; the characters come by Type.
func (s *Screen) typed(k Key) bool {
	switch k {
	case "Enter", "NumpadEnter":
		s.ask()
	case "Escape", "Tab":
		s.typing, s.notice = false, ""
		if text := s.View.Text(); text != "" {
			s.line.set(text)
		}
	default:
		if !s.line.edit(k) {
			return false
		}
	}
	s.dirty = true
	return true
}

// Type is a character that was written. It reports whether the line took it; where not, Press has it.
func (s *Screen) Type(r rune) bool {
	if !s.typing {
		return false
	}
	s.line.insert(r)
	s.dirty = true
	return true
}

// command is a single key.
func (s *Screen) command(k Key) bool {
	if k == "a" {
		s.showAdding(!s.adding.shown)
		return true
	}
	if s.adding.shown {
		if done, known := s.addingKey(k); done {
			return known
		}
	}
	if s.class && !s.adding.shown { // one step a key
		switch k {
		case "Space", "Enter", "PageDown":
			k = "ArrowRight"
		case "PageUp", "Backspace":
			k = "ArrowLeft"
		case "c", "s", "p":
			return false
		}
	}
	switch k {
	case "Space": // trains and pauses, or plays where there is no training
		if s.state == Training || s.state == Paused {
			s.host.Train(s.state == Paused)
		} else {
			s.View.Press("Space")
		}
	case "s":
		if s.state == Paused {
			s.host.Step()
		}
	case "c":
		s.View.Press("Space")
	case "e", "Enter":
		s.edit()
	case "t":
		s.SetTheme(!s.dark)
	case "?", "F1":
		s.help = true
	case "k":
		s.showClocks(!s.clocks)
	case "x":
		if s.clocks {
			s.host.Cut()
		}
	case "o":
		switch at := s.View.Where().At; {
		case !s.clocks || at <= 0:
		case s.View.Ended():
			s.SetNotice("O turns the hands for what is read after them: nothing is, go back with ← first.", true)
		default:
			s.host.Turn(at)
		}
	case "PageUp":
		s.playing = false
		s.choose(s.content.Checkpoint - 1)
	case "PageDown":
		s.playing = false
		s.choose(s.content.Checkpoint + 1)
	case "p":
		if n := len(s.content.Checkpoints); n > 1 {
			s.playing, s.waited = !s.playing, 0
			if s.playing && s.content.Checkpoint == n-1 {
				s.choose(0)
			}
		}
	case "Escape":
		s.fullScreen, s.pointed = false, -1
	default:
		return !s.adding.shown && s.View.Press(circle.Key(k))
	}
	s.dirty = true
	return true
}

func (s *Screen) edit() { s.typing, s.line.caret, s.line.whole = true, len(s.line.text), true }

// PointerDown acts on a press at a point.
func (s *Screen) PointerDown(p point) {
	l := s.arrange()
	s.dirty = true
	if s.help {
		s.help = false
		return
	}
	if s.adding.shown {
		s.takeHand(p)
		return
	}
	if l.field.Contains(p) {
		s.edit()
		return
	}
	s.typing = false
	if l.slider.Contains(p) {
		s.sliding, s.playing = true, false
		s.slide(l, p)
	} else if s.pressed = l.circle.Contains(p); s.pressed {
		s.View.PointerDown(s.inCircle(l.circle, p))
	}
}

// PointerMove acts on a move while the pointer is down.
func (s *Screen) PointerMove(p point) {
	s.dragHand(p)
	l := s.arrange()
	if s.sliding {
		s.slide(l, p)
	} else if s.pressed {
		s.View.PointerMove(s.inCircle(l.circle, p))
	}
}

// PointerOver follows a pointer that is not down: a circle tells what is under it.
func (s *Screen) PointerOver(p point) {
	if s.adding.shown {
		if i := s.squareAt(p); i != s.adding.cell {
			s.adding.cell, s.dirty = i, true
		}
		return
	}
	s.View.PointerOver(s.inCircle(s.arrange().circle, p))
}

// PointerUp ends a press.
func (s *Screen) PointerUp() {
	s.dropHand()
	s.sliding, s.pressed = false, false
	s.View.PointerUp()
}

func (s *Screen) slide(l layout, p point) {
	if n := len(s.content.Checkpoints); n > 1 {
		s.choose(l.checkpointAt(p, n))
	}
}

// Pointing is the shape of the pointer at a place.
func (s *Screen) Pointing(p point) Pointer {
	l := s.arrange()
	switch {
	case s.help:
		return Plain
	case s.adding.shown:
		if a := s.arrangeAdding(); s.adding.held || s.squareAt(p) >= 0 || a.clock.Contains(p) {
			return Hand
		}
		return Plain
	case l.field.Contains(p):
		return Text
	case l.slider.Contains(p) || l.circle.Contains(p) && s.View.Clickable(s.inCircle(l.circle, p)):
		return Hand
	}
	return Plain
}

// Pointer is a shape of the pointer.
type Pointer int

const (
	Plain Pointer = iota
	Hand
	Text
)

// inCircle is a place as a view has it that stands at a rectangle.
func (s *Screen) inCircle(at rect, p point) point {
	k := s.zoom(at)
	return point{X: (p.X - at.X) / k, Y: (p.Y - at.Y) / k}
}

// classZoom is how much larger than usual the circle's type is for a class.
const classZoom = 1.5

// zoom is how much larger than itself the view is drawn in an area: never so large
// that less than its smallest is seen.
func (s *Screen) zoom(r rect) float64 {
	most := 1.0
	if s.class {
		most = classZoom
	}
	return min(most, max(r.W, 1)/circle.Smallest, max(r.H, 1)/circle.Smallest)
}
