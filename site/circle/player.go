package circle

// Player is where in the text the reading stands, and how it moves on. The zero value stands at the only token of
// nothing.
type Player struct {
	tokens  int
	at      int     // the token that was read last
	from    int     // the token that the motion comes from
	moved   float64 // share of the motion done, 1: at rest
	waited  float64 // seconds since the token was reached
	playing bool
	begun   bool    // play was called since time passed last
	speed   float64 // tokens per second
	reduced bool
}

// Speeds, in tokens per second.
const (
	SlowestSpeed = 0.1
	UsualSpeed   = 2
	FastestSpeed = 60
)

const longestMotion = 0.6 // seconds between two tokens at any speed

func newPlayer() Player { return Player{moved: 1, speed: UsualSpeed} }

// load starts again at the last token, at rest.
func (p *Player) load(tokens int) {
	p.tokens, p.playing = tokens, false
	p.jump(tokens - 1)
}

func (p *Player) jump(at int) {
	p.at = min(max(at, 0), max(p.tokens-1, 0))
	p.from, p.moved, p.waited = p.at, 1, 0
}

// seek goes to a token; to a neighbour it moves, farther it jumps.
func (p *Player) seek(at int) {
	at = min(max(at, 0), max(p.tokens-1, 0))
	if d := at - p.at; d != 1 && d != -1 || p.reduced {
		p.jump(at)
		return
	}
	p.from, p.at, p.moved, p.waited = p.at, at, 0, 0
}

// play goes on, from the start where the end was reached.
func (p *Player) play() {
	if p.tokens < 2 {
		return
	}
	if p.at == p.tokens-1 {
		p.jump(0)
	}
	p.playing, p.begun, p.waited = true, true, 0
}

func (p *Player) setSpeed(tokensPerSecond float64) {
	p.speed = min(max(tokensPerSecond, SlowestSpeed), FastestSpeed)
}

// motion is how long one token's motion lasts: most of its time, so that the dots also rest.
func (p *Player) motion() float64 { return min(longestMotion, 0.75/p.speed) }

func (p *Player) moving() bool { return p.moved < 1 }

// advance lets time pass and reports whether the picture changed.
func (p *Player) advance(dt float64) (changed bool) {
	if p.moving() {
		p.moved, changed = min(1, p.moved+dt/p.motion()), true
	}
	if !p.playing {
		return changed
	}
	if p.begun { // this time passed before
		p.begun, dt = false, 0
	}
	for p.waited += dt; p.waited*p.speed >= 1 && p.at < p.tokens-1; {
		rest := p.waited - 1/p.speed
		p.seek(p.at + 1)
		p.waited, changed = rest, true
		if rest > 0 && p.moving() {
			p.moved = min(1, rest/p.motion())
		}
	}
	if p.at >= p.tokens-1 && !p.moving() {
		p.playing, changed = false, true
	}
	return changed
}

// place is where the motion stands: from token a to token b, the share s of the way.
func (p *Player) place() (a, b int, s float64) { return p.from, p.at, ease(p.moved) }
