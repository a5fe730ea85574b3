package window

import (
	"fmt"
	"strings"

	"mhacsp/site/circle"
)

// Options are what a window starts with.
type Options struct {
	Example string // an expression of the task, in the line at first
	Class   bool
	Dark    bool
	Clocks  bool // the clocks are shown, not all units
	Modulus int  // of the task's sums of two digits; 0: it has none
	Adding  bool // begins with them: the first view
}

// Screen is what is shown and how it answers. It is not safe for concurrent use; Window.Do brings calls to the loop.
type Screen struct {
	View *circle.View

	host    Host
	content Content
	rules   []string // of the reading
	modulus int      // of sums of two digits, 0: the task has none
	adding  adding
	state   State
	class   bool
	dark    bool
	clocks  bool // are shown

	line    line
	typing  bool
	notice  string
	bad     bool // the notice tells of a mistake
	trouble string
	help    bool

	width, height float64
	dirty         bool
	sliding       bool // the pointer went down on the slider
	pressed       bool // the pointer went down on the circle
	asked         int  // checkpoint asked for and not come yet, −1: none
	playing       bool // through the checkpoints
	waited        float64
	reads         bool // the expression, once the checkpoints were played
	fullScreen    bool
	closing       bool
	closesAtRest  bool

	pointed int   // the unit that the pointer is on, −1: none
	sums    *Sums // of the model that is shown; nil: not known
	asking  bool  // for them
}

// NewScreen is a screen that shows nothing yet.
func NewScreen(h Host, o Options) *Screen {
	s := &Screen{View: circle.NewView(), host: h, class: o.Class, dirty: true, width: 1, height: 1}
	s.asked, s.pointed = -1, -1
	s.View.Pointed = func(unit int) { s.pointed, s.dirty = unit, true }
	s.line.set(o.Example)
	s.SetTheme(o.Dark)
	s.showClocks(o.Clocks)
	s.modulus, s.adding.cell = o.Modulus, -1
	if o.Adding {
		s.showAdding(true)
	}
	return s
}

// SetTheme chooses dark or light.
func (s *Screen) SetTheme(dark bool) {
	s.dark, s.dirty = dark, true
	s.View.SetTheme(dark)
}

// showClocks chooses between the clocks and all units.
func (s *Screen) showClocks(on bool) {
	if on != s.clocks {
		s.host.Clocks(on)
	}
	s.clocks = on
	s.View.SetClocks(on)
}

// SetReading shows what the model made of a text. In class mode a new text starts at its first token.
func (s *Screen) SetReading(r Reading) error {
	if n := len(r.Rule); n != len(r.Tokens) && (n > 0 || r.Width > 0) {
		return fmt.Errorf("window: %d rules for %d tokens", n, len(r.Tokens))
	}
	before := s.View.Text()
	if err := s.View.SetReading(r.Reading); err != nil {
		return err
	}
	if err := s.View.SetDials(r.Dials); err != nil {
		return err
	}
	if s.class && before != r.Text {
		s.View.Seek(0)
	}
	s.rules, s.notice, s.bad, s.dirty = r.Rule, "", false, true
	return nil
}

// SetNotice writes a line beneath the line that is typed in.
func (s *Screen) SetNotice(text string, bad bool) { s.notice, s.bad, s.dirty = text, bad, true }

// SetTrouble writes a line that comes back after every notice: training ended with an error.
func (s *Screen) SetTrouble(text string) { s.trouble, s.notice, s.dirty = text, "", true }

// SetContent replaces what stands next to the circle.
func (s *Screen) SetContent(c Content) {
	switch {
	case c.Checkpoint == s.asked:
		s.asked = -1
	case s.asked >= 0 && s.asked < len(c.Checkpoints): // an older answer: the slider stays where it was drawn to
		c.Checkpoint = s.asked
	}
	s.content, s.dirty = c, true
	s.fit()
}

// Refuse says that the checkpoint asked for does not come, and why.
func (s *Screen) Refuse(reason string) {
	s.asked, s.playing = -1, false
	s.SetNotice(reason, true)
}

// SetState says what training does.
func (s *Screen) SetState(state State) { s.state, s.dirty = state, true }

// SetSize sets the size of the screen.
func (s *Screen) SetSize(width, height float64) {
	if width != s.width || height != s.height {
		s.width, s.height, s.dirty = width, height, true
	}
	s.fit()
}

// fit gives the view the room that the layout has for it.
func (s *Screen) fit() {
	at := s.arrange().circle
	k := s.zoom(at)
	s.View.SetSize(at.W/k, at.H/k)
}

func (s *Screen) arrange() layout {
	c := &s.content
	return arrange(s.width, s.height, wants{
		class: s.class, slider: len(c.Checkpoints) > 1, samples: len(c.Samples) > 0, rows: len(c.Rows),
		charts: len(c.Loss.Series)+len(c.Shares.Series) > 0,
	})
}

// A checkpoint's time when they are played through, long enough to be looked at.
const playPeriod = 0.6

// Update lets time pass.
func (s *Screen) Update(dt float64) {
	s.View.Update(dt)
	if s.pointing() && s.sums == nil && !s.asking && !s.playing { // for what is said of the unit
		s.asking = true
		s.host.Sums()
	}
	if !s.playing {
		return
	}
	if s.waited += dt; s.waited < playPeriod {
		return
	}
	s.waited = 0
	if s.content.Checkpoint >= len(s.content.Checkpoints)-1 {
		s.playing, s.dirty = false, true
		if s.reads {
			s.View.Play()
		}
		return
	}
	s.choose(s.content.Checkpoint + 1)
}

// Play plays the checkpoints through, where there are some, and then reads the expression from its start.
func (s *Screen) Play() {
	if len(s.content.Checkpoints) < 2 {
		s.View.Play()
		return
	}
	s.playing, s.reads, s.waited = true, true, 0
	s.choose(0)
}

// CloseAtRest closes the window once nothing moves or plays.
func (s *Screen) CloseAtRest() { s.closesAtRest = true }

// choose asks for a checkpoint, at once on the slider.
func (s *Screen) choose(at int) {
	at = min(max(at, 0), len(s.content.Checkpoints)-1)
	if at >= 0 && at != s.content.Checkpoint {
		s.content.Checkpoint, s.asked, s.dirty = at, at, true
		s.host.Checkpoint(at)
	}
}

// NeedsDraw reports whether anything differs from what was drawn last.
func (s *Screen) NeedsDraw() bool { return s.dirty || !s.adding.shown && s.View.NeedsDraw() }

// NeedsTime reports whether Update must go on being called.
func (s *Screen) NeedsTime() bool {
	return s.dirty || s.playing || !s.adding.shown && s.View.NeedsTime()
}

// Resting reports whether nothing moves or plays.
func (s *Screen) Resting() bool { return !s.playing && (s.adding.shown || s.View.Resting()) }

// ask hands the line to the host.
func (s *Screen) ask() {
	text := strings.TrimSpace(s.line.String())
	if text == "" {
		s.SetNotice("Nothing is written here: type an expression, then Enter.", true)
		return
	}
	s.typing = false
	s.SetNotice("reading…", false)
	s.host.Ask(text)
}

// foot is the lowest line: what training does and which keys matter now, the less important later, but for the last.
func (s *Screen) foot() []string {
	switch {
	case s.typing:
		return []string{"Enter: read it", "Esc: leave the line"}
	case s.adding.shown:
		return s.addingFoot()
	case s.class:
		words := []string{"Space or →: read on", "←: back", "E: type an expression", "F11: full screen", "?: help"}
		if s.modulus > 0 {
			words[3] = "A: the clock"
		}
		return words
	}
	words := [...][]string{
		NoTraining: {"Space: play"}, Training: {"Training.", "Space: pause", "C: play"},
		Paused: {"Paused.", "Space: go on", "S: one step", "C: play"}, Ended: {"Training has ended.", "Space: play"},
	}[s.state]
	if len(s.content.Checkpoints) > 1 {
		words = append(words, "P: play the checkpoints")
	}
	if s.modulus > 0 {
		words = append(words, "A: adding")
	}
	return append(words, "E: type an expression", "1–5: layer", "?: help")
}
