package circle

// Key is a key that the view knows: its name in KeyboardEvent.code, or the one character it writes.
type Key string

// keys are all keys that the view knows, and what they do.
var keys = []struct {
	Key
	press func(*View)
}{
	{"Space", func(v *View) {
		if v.player.playing {
			v.Pause()
		} else {
			v.Play()
		}
	}},
	{"ArrowLeft", func(v *View) { v.Step(-1) }},
	{"ArrowRight", func(v *View) { v.Step(1) }},
	{"Home", func(v *View) { v.Seek(0) }},
	{"End", func(v *View) { v.Seek(len(v.player.beats) - 1) }},
	{"Digit1", func(v *View) { v.show(None) }},
	{"Digit2", func(v *View) { v.show(Distance) }},
	{"Digit3", func(v *View) { v.show(Tree) }},
	{"Digit4", func(v *View) { v.show(Fusion) }},
	{"Digit5", func(v *View) { v.show(Attention) }},
	{"h", func(v *View) {
		if v.reading != nil && v.reading.Heads > 0 {
			v.head, v.dirty = (v.head+1)%v.reading.Heads, true
		}
	}},
	{"+", func(v *View) { v.player.setSpeed(v.player.speed * 1.5) }},
	{"=", func(v *View) { v.player.setSpeed(v.player.speed * 1.5) }}, // + without Shift on many keyboards
	{"-", func(v *View) { v.player.setSpeed(v.player.speed / 1.5) }},
}

// Keys are the keys that Press knows: Space plays and pauses, the arrows step, Home and End go to the ends, 1 to 5
// choose the layer (none, distance, tree, fusion, attention), H the next head, + and − the speed.
func Keys() []Key {
	var all []Key
	for _, k := range keys {
		all = append(all, k.Key)
	}
	return all
}

// Press does what a key stands for and reports whether there is such a key.
func (v *View) Press(k Key) bool {
	for _, x := range keys {
		if x.Key == k {
			x.press(v)
			return true
		}
	}
	return false
}

func (v *View) show(l Layer) { v.layer, v.dirty = l, true }

// target is what a point in the view belongs to.
type target int

const (
	nothing target = iota
	onToken
	onTrack
	onHead
	onDial
)

// hit finds what lies under a point: a token or a place on the track (index: the token), a head's chip (index: the
// head), or the dial.
func (v *View) hit(p Point) (what target, index int) {
	r := v.reading
	if r == nil {
		return nothing, 0
	}
	l := v.arrange()
	cells, _, _ := v.tokenCells(l)
	for _, c := range cells {
		if c.rect.Contains(p) {
			return onToken, c.index
		}
	}
	if l.Track.Contains(p) {
		return onTrack, v.trackToken(l, p)
	}
	if v.clocks {
		return nothing, 0
	}
	if !l.Panel.Empty() && len(r.matrices(v.layer)) > 0 {
		for k, c := range arrangePanel(l.Panel, l.Em, v.layer, r.Heads).chips {
			if c.Contains(p) {
				return onHead, k
			}
		}
	}
	if l.Dial.Contains(p) {
		return onDial, 0
	}
	return nothing, 0
}

// trackToken is the token at a place on the track; next to it, the nearest.
func (v *View) trackToken(l Layout, p Point) int {
	n := len(v.reading.Tokens)
	return min(max(int((p.X-l.Track.X)/l.Track.W*float64(n)), 0), n-1)
}

// PointerDown acts on a press at a point: a token is read up to, the track sought in, a head chosen, and the dial
// plays and pauses. A unit there is reported again: a finger has no other way to ask once more.
func (v *View) PointerDown(p Point) {
	v.PointerOver(p)
	if v.pointed >= 0 && v.Pointed != nil {
		v.Pointed(v.pointed)
	}
	switch what, index := v.hit(p); what {
	case onToken:
		v.Seek(index)
	case onTrack:
		v.scrub = true
		v.Seek(index)
	case onHead:
		v.head, v.dirty = index, true
	case onDial:
		v.Press("Space")
	}
}

// PointerMove acts on a move while the pointer is down: it seeks on where it went down on the track.
func (v *View) PointerMove(p Point) {
	if v.scrub && v.reading != nil {
		if i := v.trackToken(v.arrange(), p); i != v.player.at {
			v.Seek(i)
		}
	}
}

// TouchDown begins to scrub where a finger comes down on the track; elsewhere it does nothing, for a tap is a press
// too. x and y are shares of the view's width and height, from the top left.
func (v *View) TouchDown(x, y float64) {
	p := Point{x * v.width, y * v.height}
	if what, index := v.hit(p); what == onTrack {
		v.scrub = true
		v.Seek(index)
	}
}

// TouchMove follows a finger, PointerUp ends its touch.
func (v *View) TouchMove(x, y float64) { v.PointerMove(Point{x * v.width, y * v.height}) }

// PointerUp ends a press.
func (v *View) PointerUp() { v.scrub = false }

// Clickable reports whether a press at a point does something.
func (v *View) Clickable(p Point) bool {
	what, _ := v.hit(p)
	return what != nothing
}

func (v *View) arrange() Layout {
	return Arrange(v.width, v.height, v.layer != None && !v.clocks, v.reading != nil && v.reading.Slots() > 0)
}

func (v *View) tokenCells(l Layout) (cells []tokenCell, before, after bool) {
	a, b, s := v.player.place()
	return tokenLine(v.reading.Tokens, l.Tokens, tokenSize(l), lerp(float64(a), float64(b), s))
}

func tokenSize(l Layout) float64 { return 1.8 * l.Em }
