package circle

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// View is the picture and its controls. It is not safe for concurrent use; Game.Do brings calls of others to the loop.
type View struct {
	// Position, where set, is told when the place in the text, playing, the layer, the head or the speed changed by
	// whatever cause, at most once an Update.
	Position func(Position)
	// Pointed, where set, is told the unit that the pointer came to rest on, its dot or its dial; −1 when it left.
	Pointed func(unit int)

	reading *Reading
	version int     // counts readings: what is drawn from one is kept under it
	longest float64 // of the reading
	player  Player
	layer   Layer
	head    int
	dark    bool
	theme   Palette
	hidden  bool
	width   float64
	height  float64
	dirty   bool
	told    Position
	scrub   bool // the pointer went down on the track
	dials   *Dials
	clocks  bool // the clocks are shown, not all units
	pointer Point
	pointed int // the unit that Pointed was told
}

// Position is where a view stands.
type Position struct {
	At      int // index of the token read last; −1 where there is no reading
	Playing bool
	Layer   Layer
	Head    int
	Speed   float64 // beats per second
}

// NewView is an empty, visible, light view.
func NewView() *View {
	v := &View{player: newPlayer(), theme: Colours(false), width: Smallest, height: Smallest, dirty: true, pointed: -1}
	v.told = v.Where()
	return v
}

// SetReading shows a reading, or nothing (nil). The view keeps it and does not change it; neither may the caller. A
// reading of the same tokens keeps place and motion, so that a text can be watched while its model trains; any other
// is shown whole, at its last token. A reading that cannot be drawn is refused with an error and leaves the view.
func (v *View) SetReading(r *Reading) error {
	if r == nil {
		v.reading, v.dirty = nil, true
		v.player.load(nil)
		return nil
	}
	if err := r.Check(); err != nil {
		return err
	}
	if v.reading == nil || !slices.Equal(r.Tokens, v.reading.Tokens) {
		v.player.load(beats(r.Tokens))
	}
	v.reading, v.longest, v.dirty = r, r.longest(), true
	v.version++
	v.head = min(v.head, max(r.Heads-1, 0))
	return nil
}

// Play reads on token by token, from the start where the end was reached. Without a reading it does nothing.
func (v *View) Play() { v.player.play(); v.dirty = true }

// Pause stops at the present token; a motion under way is finished.
func (v *View) Pause() { v.player.playing, v.dirty = false, true }

// Step pauses and goes on by one or more tokens, back where by is negative.
func (v *View) Step(by int) { v.Seek(v.player.at + by) }

// Seek pauses and goes to a token; what lies outside the text is its nearest end.
func (v *View) Seek(at int) {
	v.player.playing = false
	v.player.seek(at)
	v.dirty = true
}

// SetSpeed sets the speed of Play, kept between SlowestSpeed and FastestSpeed.
func (v *View) SetSpeed(beatsPerSecond float64) error {
	if math.IsNaN(beatsPerSecond) || beatsPerSecond <= 0 {
		return fmt.Errorf("speed is %v characters per second: it must be above 0", beatsPerSecond)
	}
	v.player.setSpeed(beatsPerSecond)
	return nil
}

// SetLayer chooses what is shown next to the dots, and for which head, counted from 0. A head beyond the reading's
// last is its last.
func (v *View) SetLayer(l Layer, head int) error {
	if l < None || l >= layers {
		return fmt.Errorf("layer %d is not known: give 0 to %d", int(l), layers-1)
	}
	if head < 0 {
		return fmt.Errorf("head is %d: heads count from 0", head)
	}
	if v.reading != nil {
		head = min(head, max(v.reading.Heads-1, 0))
	}
	v.layer, v.head, v.dirty = l, head, true
	return nil
}

// SetTheme chooses dark or light.
func (v *View) SetTheme(dark bool) { v.dark, v.theme, v.dirty = dark, Colours(dark), true }

// SetReducedMotion leaves motion out: dots go from place to place at once.
func (v *View) SetReducedMotion(reduced bool) {
	v.player.reduced, v.dirty = reduced, true
	if reduced {
		v.player.jump(v.player.at)
	}
}

// SetVisible reports whether anyone can see the view. A hidden one is not drawn and its time stands still.
func (v *View) SetVisible(visible bool) { v.hidden, v.dirty = !visible, v.dirty || visible }

// SetSize sets the size in device-independent pixels, Smallest at least.
func (v *View) SetSize(width, height float64) {
	width, height = max(width, Smallest), max(height, Smallest)
	if width != v.width || height != v.height {
		v.width, v.height, v.dirty = width, height, true
	}
}

// Redraw says that the picture was lost.
func (v *View) Redraw() { v.dirty = true }

// Update lets time pass.
func (v *View) Update(dt float64) {
	if !v.hidden && v.player.advance(dt) {
		v.dirty = true
	}
	if p := v.Where(); p != v.told {
		v.told = p
		if v.Position != nil {
			v.Position(p)
		}
	}
}

// NeedsDraw reports whether the picture differs from the one drawn last.
func (v *View) NeedsDraw() bool { return !v.hidden && v.dirty }

// NeedsTime reports whether Update must go on being called: something moves, plays, or is not drawn yet. Otherwise
// nothing changes until a method is called.
func (v *View) NeedsTime() bool {
	return v.Where() != v.told || !v.hidden && (v.dirty || v.player.playing || v.player.moving())
}

// Ended reports whether the reading stands at its last token.
func (v *View) Ended() bool { return v.reading != nil && v.player.at == len(v.reading.Tokens)-1 }

// Text is the text of the reading shown, empty where there is none.
func (v *View) Text() string {
	if v.reading == nil {
		return ""
	}
	return v.reading.Text
}

// Where is the present position.
func (v *View) Where() Position {
	p := Position{v.player.at, v.player.playing, v.layer, v.head, v.player.speed}
	if v.reading == nil {
		p.At = -1
	}
	return p
}

// Describe says in words what the view shows at rest, for those who do not see it.
func (v *View) Describe() string {
	r := v.reading
	if r == nil {
		return hintTitle + " " + hintText
	}
	if v.clocks {
		return v.describeDials()
	}
	at := v.player.at
	best, p := r.Best(at)
	says := "Best guess so far; the answer comes at the end"
	switch {
	case r.elsewhere(at):
		says = "No number is likely; best guess"
	case v.Ended():
		says = "Answer"
	}
	s := fmt.Sprintf("Token %d of %d, %s, was read. %s: %s, %s.",
		at+1, len(r.Tokens), strconv.Quote(tokenText(r.Tokens[at])), says, outcomeText(r.Outcomes[best]), Percent(p))
	switch text, _, ok := v.verdict(); {
	case ok && r.Answer == "":
		s += " Whole answer: " + text + "."
	case ok:
		s += " Whole answer " + r.Answer + ": " + text + "."
	}
	if n := r.Slots(); n > 0 {
		s += fmt.Sprintf(" The memory has %d units; over the text the longest is %s long.", n, short(v.longest))
	}
	return s
}

// verdict compares the answer with what was expected, once the whole text is read.
func (v *View) verdict() (text string, right, ok bool) {
	r := v.reading
	switch {
	case r.Expected == "" || !v.Ended():
		return "", false, false
	case r.Right:
		return "right", true, true
	case r.Answer == "":
		return "no number, expected " + r.Expected, false, true
	}
	return "wrong, expected " + r.Expected, false, true
}

// Percent writes a probability. Only 1 is 100 % and only 0 is 0 %.
func Percent(p float64) string {
	switch x := math.Round(100 * p); {
	case x >= 100 && p < 1:
		return "> 99 %"
	case x <= 0 && p > 0:
		return "< 1 %"
	default:
		return strconv.Itoa(int(x)) + " %"
	}
}

// Resting reports whether the picture shows exactly the model's numbers, nothing under way.
func (v *View) Resting() bool { return !v.player.moving() && !v.player.playing }
