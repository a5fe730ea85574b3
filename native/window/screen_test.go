package window

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"

	"mhacsp/site/circle"
	"mhacsp/tasks/assert"
)

// host writes down what it is asked for.
type host struct{ asked []string }

func (h *host) add(format string, a ...any) { h.asked = append(h.asked, fmt.Sprintf(format, a...)) }
func (h *host) Ask(text string)             { h.add("ask %s", text) }
func (h *host) Train(on bool)               { h.add("train %t", on) }
func (h *host) Step()                       { h.add("step") }
func (h *host) Clocks(on bool)              { h.add("clocks %v", on) }
func (h *host) Cut()                        { h.add("cut") }
func (h *host) Turn(after int)              { h.add("turn %d", after) }
func (h *host) Table(on bool)               { h.add("table %v", on) }
func (h *host) Sums()                       { h.add("sums") }
func (h *host) Checkpoint(at int)           { h.add("checkpoint %d", at) }

// take is what was asked for since the last take.
func (h *host) take() string {
	s := strings.Join(h.asked, ", ")
	h.asked = nil
	return s
}

// reading is one of a model with two turning and two holding units that turn by different angles.
func reading(text string) Reading {
	r := &circle.Reading{
		Text: text, Width: 4, Turning: 2, Outcomes: []string{"0", "1", "2"},
		Modulus: 3, Answer: "1", Expected: "1", Right: true,
	}
	var rules []string
	for t, token := range append([]string{"<SOS>"}, strings.Split(text, "")...) {
		r.Tokens = append(r.Tokens, token)
		state := make([]float32, 8)
		for u := range 4 {
			s, c := math.Sincos(0.4*float64(t) + float64(u))
			state[u], state[4+u] = float32(c), float32(s)
		}
		r.State = append(r.State, state)
		r.Probabilities = append(r.Probabilities, []float32{0.1, 0.7, 0.2})
		rules = append(rules, fmt.Sprintf("Rule %d of %s, which is a sentence of some length", t, token))
	}
	return Reading{Reading: r, Rule: rules}
}

func content() Content {
	return Content{
		Rows: []Row{{"step", "40 of 100"}, {"loss", "1.25"}}, Steps: 100, Step: 40,
		Loss:   Chart{Title: "Loss", Series: []Series{{Name: "training", Role: Loss, X: []float64{0, 50, 100}, Y: []float64{3.6, 2, 1}}}},
		Shares: Chart{Title: "Right", Share: true, Series: []Series{{Name: "answer", Role: Answer, Dots: true, X: []float64{50, 100}, Y: []float64{0.5, 1}}}},
		Samples: []Sample{{Prompt: "1+1", Output: "2 repeat 1+1", Target: "2 repeat 1+1", Right: true},
			{Prompt: "2+2", Output: "4 repeat 2-7", Target: "4 repeat 2+2", Right: false}},
		Checkpoints: []int{0, 20, 40}, Checkpoint: 2,
	}
}

func screen(t *testing.T, o Options) (*Screen, *host) {
	t.Helper()
	h := &host{}
	s := NewScreen(h, o)
	s.SetSize(1280, 800)
	assert.NoError(t, s.SetReading(reading("1+2")))
	s.SetContent(content())
	s.Update(1) // at rest
	return s, h
}

// settle lets time pass until nothing moves.
func settle(s *Screen) {
	for i := 0; i < 1000 && !s.Resting(); i++ {
		s.Update(0.05)
	}
}

// TestKeys: each key does what the help says, depending on what training does.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		state State
		keys  string
		asked string
		at    int // token, 3 at first
	}{
		{Training, "Space", "train false", 3}, {Paused, "Space", "train true", 3}, {Ended, "Home Space", "", 0}, {NoTraining, "Home Space", "", 0},
		{Paused, "s s", "step, step", 3}, {Training, "s", "", 3}, {NoTraining, "s", "", 3},
		{Training, "ArrowLeft ArrowLeft ArrowRight", "", 2}, {NoTraining, "Home", "", 0}, {NoTraining, "Home End", "", 3},
		{NoTraining, "PageUp", "checkpoint 1", 3}, {NoTraining, "PageUp PageUp PageUp", "checkpoint 1, checkpoint 0", 3},
		{NoTraining, "PageDown", "", 3}, {NoTraining, "PageUp PageDown", "checkpoint 1, checkpoint 2", 3},
		{Training, "e Space", "", 3}, {Training, "e Enter", "ask 1+2", 3}, {Training, "e Escape Space", "train false", 3},
		{Training, "? Space Space", "train false", 3}, {Training, "F1 ArrowLeft", "", 3}, {Training, "q", "", 3},
	} {
		s, h := screen(t, Options{Example: "1+2"})
		s.SetState(c.state)
		keysOf(s, c.keys)
		got := fmt.Sprintf("asked %q at token %d", h.take(), s.View.Where().At)
		assert.Is(t, got, fmt.Sprintf("asked %q at token %d", c.asked, c.at), "state %d, %s", c.state, c.keys)
	}
	s, _ := screen(t, Options{})
	for key, got := range map[Key]func() bool{
		"F11":    func() bool { return s.fullScreen },
		"t":      func() bool { return s.dark },
		"Ctrl+W": func() bool { return s.closing },
		"c":      func() bool { return s.View.Where().Playing },
		"p":      func() bool { return s.playing },
		"Digit3": func() bool { return s.View.Where().Layer == circle.Tree },
	} {
		assert.True(t, !got() && s.Press(key) && got(), "key %s has no effect", key)
	}
	known := func(k Key) bool { s, _ := screen(t, Options{}); s.SetState(Paused); return s.Press(k) }
	for _, row := range help { // the help names no key that does nothing
		for _, name := range strings.Fields(row[0]) {
			k, written := map[string]Key{
				"←": "ArrowLeft", "→": "ArrowRight", "−": "-", "PgUp": "PageUp", "PgDn": "PageDown",
			}[name]
			switch {
			case written:
			case strings.Contains("12345", name):
				k = Key("Digit" + name)
			case len(name) == 1:
				k = Key(strings.ToLower(name))
			default:
				k = Key(name)
			}
			assert.True(t, known(k), "the help names %q, which is no key", name)
		}
	}
}

// TestTyping: characters go to the line and nowhere else, at the caret.
func TestTyping(t *testing.T) {
	s, h := screen(t, Options{Example: "1+2"})
	s.SetState(Training)
	assert.True(t, !s.Type('s'), "a character goes to the line before it is opened")
	s.Press("e")
	s.Press("End") // else what is typed takes the line's place
	for _, r := range "4 t" {
		s.Type(r)
	}
	keysOf(s, "Backspace Home Delete ArrowRight ArrowRight Backspace t c Space ArrowLeft")
	s.Type('(')
	s.Type('\n')
	assert.Is(t, s.line.String(), "(+4 ", "the line is")
	assert.True(t, !s.dark && len(h.asked) == 0 && s.View.Where().At == 3, "typing does something else")
	s.Press("NumpadEnter")
	got := h.take()
	assert.True(t, got == "ask (+4" && !s.typing, "asked %q, typing %t", got, s.typing)
	keysOf(s, "e Ctrl+U Enter")
	assert.True(t, h.take() == "" && s.bad && s.typing, "an empty line is asked, or nothing is said")
	for range 2 * longestLine {
		s.Type('1')
	}
	assert.Is(t, len(s.line.text), longestLine, "the line takes … characters")
	long := strings.Repeat("1 ", longestLine) + "1"
	s, h = screen(t, Options{Example: long})
	keysOf(s, "e Enter")
	assert.Is(t, h.take(), "ask "+long, "of an expression that was given it asks")
}

// TestNamed: with Ctrl a letter is the one that is printed on the key; what the user's keyboard calls by no letter of
// ours stays the key of a US keyboard.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		key     ebiten.Key
		printed string
		held    bool
		want    Key
	}{
		{ebiten.KeyW, "w", true, "Ctrl+W"}, {ebiten.KeyW, "w", false, "W"}, {ebiten.KeyW, "", true, "Ctrl+W"},
		{ebiten.KeyQ, "a", true, "Ctrl+A"}, {ebiten.KeyW, "z", true, "Ctrl+Z"}, {ebiten.KeyZ, "w", true, "Ctrl+W"},
		{ebiten.KeySemicolon, "m", true, "Ctrl+M"}, {ebiten.KeyW, "ц", true, "Ctrl+W"}, {ebiten.KeyW, ",", true, "Ctrl+,"},
		{ebiten.KeyComma, "w", true, "Ctrl+W"}, {ebiten.KeyDigit1, "&", true, "Digit1"}, {ebiten.KeyEnter, "", true, "Enter"},
	} {
		printed := func(k ebiten.Key) string {
			assert.True(t, k == c.key, "%s is asked for in place of %s", k, c.key)
			return c.printed
		}
		got := named(c.key, c.held, printed)
		assert.True(t, got == c.want,
			"%s with %q printed on it, Ctrl %t: %s, want %s", c.key, c.printed, c.held, got, c.want)
	}
}

// TestClass: the text starts at its first token, each key is one step, and nothing trains or plays by itself.
func TestClass(t *testing.T) {
	s, h := screen(t, Options{Class: true})
	s.SetState(Training)
	at := func() int { settle(s); return s.View.Where().At }
	assert.Is(t, at(), 0, "the text does not start at its first token")
	for _, c := range []struct {
		Key
		at int
	}{
		{"Space", 1}, {"ArrowRight", 2}, {"PageDown", 3}, {"Space", 3},
		{"PageUp", 2}, {"ArrowLeft", 1}, {"c", 1}, {"s", 1}, {"p", 1}, {"Home", 0},
	} {
		s.Press(c.Key)
		assert.Is(t, at(), c.at, "after %s it is at token", c.Key)
	}
	assert.Is(t, h.take(), "", "asked")
	s.Press("ArrowRight")
	err := s.SetReading(reading("1+2"))
	assert.True(t, err == nil && at() == 1, "the same text again goes to token %d, %v", at(), err)
	err = s.SetReading(reading("22"))
	assert.True(t, err == nil && at() == 0, "another text starts at token %d, %v", at(), err)
}

// TestPointer: the line opens, the slider follows, the circle gets what is over it, also where it is drawn larger or
// smaller.
func TestPointer(t *testing.T) {
	s, h := screen(t, Options{})
	l := s.arrange()
	s.PointerDown(l.field.Center())
	s.PointerUp()
	assert.True(t, s.typing && s.Pointing(l.field.Center()) == Text, "a press does not open the line")
	s.PointerDown(l.knob(0, 3))
	s.PointerMove(l.knob(1, 3))
	s.PointerMove(point{X: l.knob(1, 3).X + 1, Y: 10}) // it keeps the knob wherever it goes
	s.PointerUp()
	s.PointerMove(l.knob(2, 3))
	got := h.take()
	assert.True(t, got == "checkpoint 0, checkpoint 1" && !s.typing, "the slider asked for %q", got)
	for _, class := range []bool{false, true} {
		for _, size := range [][2]float64{{1280, 800}, {320, 300}} {
			s, _ := screen(t, Options{Class: class})
			s.SetContent(Content{})
			s.SetSize(size[0], size[1])
			l := s.arrange()
			// The track runs over the whole width: its left end is the first token.
			found := false
			for y := l.circle.Y; y < l.circle.Bottom() && !found; y += 2 {
				p := point{X: l.circle.X + 0.1*l.circle.W, Y: y}
				if s.Pointing(p) != Hand {
					continue
				}
				s.View.Seek(3)
				s.PointerDown(p)
				s.PointerUp()
				found = s.View.Where().At == 0
			}
			assert.True(t, found, "class %t, %v: nothing in the circle leads to the first token", class, size)
		}
	}
}

// TestCheckpoints: they play through at their pace, then the text is read.
func TestCheckpoints(t *testing.T) {
	s, h := screen(t, Options{})
	s.Play()
	for range 100 { // three times playPeriod and a little of the text
		s.Update(0.02)
	}
	assert.Is(t, h.take(), "checkpoint 0, checkpoint 1, checkpoint 2", "asked")
	assert.True(t, !s.playing && s.View.Where().Playing, "the text is not read after the checkpoints")
	settle(s)
	assert.True(t, s.Resting() && s.View.Where().At == 3, "it does not come to rest at the end of the text")
	// The slider stays where it was drawn to until that checkpoint came, or cannot come.
	come := func(checkpoint int) int {
		c := content()
		c.Checkpoint = checkpoint
		s.SetContent(c)
		return s.content.Checkpoint
	}
	s.choose(0)
	s.choose(1)
	assert.Is(t, come(0), 1, "an older answer moves the slider to")
	come(1)
	assert.Is(t, come(2), 2, "the slider stays at")
	s.choose(0)
	s.Refuse("damaged")
	assert.True(t, s.notice == "damaged" && s.bad, "a damaged checkpoint is not told of")
	assert.Is(t, come(2), 2, "after a damaged checkpoint the slider stands at")
}

// TestReadings: what cannot be drawn is refused.
func TestReadings(t *testing.T) {
	s, _ := screen(t, Options{})
	ruleless, stateless := reading("1"), reading("1")
	ruleless.Rule, stateless.State = nil, stateless.State[:1]
	assert.True(t, s.SetReading(ruleless) != nil, "a reading without rules is taken")
	assert.True(t, s.SetReading(stateless) != nil, "a reading without states is taken")
	assert.Is(t, s.View.Text(), "1+2", "it shows")
}

// TestPointerTells: the circle tells of the unit under a pointer that is not down, for a class too.
func TestPointerTells(t *testing.T) {
	for _, class := range []bool{false, true} {
		s, h := screen(t, Options{Class: class})
		s.View.Seek(3)
		settle(s)
		sum, count := map[string]point{}, map[string]float64{}
		area := s.arrange().circle
		for x := area.X; x < area.Right(); x += 2 {
			for y := area.Y; y < area.Bottom(); y += 2 {
				s.PointerOver(point{X: x, Y: y})
				if told := s.View.Told(); told != nil {
					sum[told[0]] = point{X: sum[told[0]].X + x, Y: sum[told[0]].Y + y}
					count[told[0]]++
				}
			}
		}
		middle := func(name string) point { return point{X: sum[name].X / count[name], Y: sum[name].Y / count[name]} }
		above, left := middle("unit 0, which turns"), middle("unit 2, which holds") // at 1.2 and 3.2 radians
		assert.True(t, len(count) == 4 && above.Y < left.Y && left.X < above.X,
			"class %t: units told %v, the first at %v, the third at %v", class, count, above, left)
		s.PointerOver(point{X: area.X - 5, Y: area.Y - 5})
		assert.True(t, s.View.Told() == nil && h.take() == "",
			"class %t: next to the circle something is reported or asked", class)
	}
}

// TestClocksKeys: K shows the clocks and asks for them; while they are shown X cuts the next, and O turns all after
// the token that was read last.
func TestClocksKeys(t *testing.T) {
	h := &host{}
	s := NewScreen(h, Options{})
	s.Press("x")
	assert.Is(t, h.take(), "", "without clocks X asks for")
	keysOf(s, "k x")
	assert.Is(t, h.take(), "clocks true, cut", "K and X ask for")
	s.Press("o")
	assert.Is(t, h.take(), "", "without a reading O asks for")
	r := reading("12")
	r.Dials = &circle.Dials{None: []string{"No clock was found."}}
	assert.NoError(t, s.SetReading(r))
	assert.Says(t, s.View.Describe(), "No clock was found.")
	for at, want := range map[int]string{1: "turn 1", 2: ""} {
		s.View.Seek(at)
		h.take()
		s.Press("o")
		assert.Is(t, h.take(), want, "at token %d of 0 to 2 O asks for", at)
		assert.Is(t, s.bad, want == "", "at token %d of 0 to 2 O gives a reason, %q", at, s.notice)
		s.SetNotice("", false)
	}
	s.Press("k")
	assert.Is(t, h.take(), "clocks false", "K once more asks for")
	got := s.View.Describe()
	assert.True(t, !strings.Contains(got, "No clock was found."), "the view of all units says %q", got)
	NewScreen(h, Options{Clocks: true})
	assert.Is(t, h.take(), "clocks true", "a screen that starts with the clocks does not ask for them")
}
