package circle

import "strings"

// Player is where in the text the reading stands, and how it moves on. newPlayer has nothing to read.
type Player struct {
	beats   []float64 // share of a beat that each token takes, as many as tokens
	at      int       // the token that was read last
	from    int       // the token that the motion comes from
	moved   float64   // share of the motion done, 1: at rest
	waited  float64   // seconds since the token was reached
	playing bool
	begun   bool    // play was called since time passed last
	speed   float64 // beats per second
	reduced bool
}

// Speeds, in beats per second: a character takes one, with the spaces behind it, and so does "mod 9 =".
const (
	SlowestSpeed = 0.1
	UsualSpeed   = 1.5
	FastestSpeed = 60
)

const longestMotion = 0.6 // seconds between two tokens at any speed

func newPlayer() Player { return Player{moved: 1, speed: UsualSpeed} }

// load starts again at the last token, at rest.
func (p *Player) load(beats []float64) {
	p.beats, p.playing = beats, false
	p.jump(max(len(p.beats)-1, 0))
}

// beats are the shares of a beat that tokens take when they are played: those that change nothing go with what stands
// before them, and together take one.
func beats(tokens []string) []float64 {
	shares, begin, ends := make([]float64, len(tokens)), 0, false
	for i, token := range tokens {
		if i > 0 && strings.TrimSpace(token) != "" && !ends {
			begin = i
		}
		ends = ends || token == "mod"
		for j := begin; j <= i; j++ {
			shares[j] = 1 / float64(i-begin+1)
		}
	}
	return shares
}

func (p *Player) jump(at int) { p.from, p.at, p.moved, p.waited = at, at, 1, 0 }

// seek goes to a token; to a neighbour it moves, farther it jumps.
func (p *Player) seek(at int) {
	at = min(max(at, 0), max(len(p.beats)-1, 0))
	if d := at - p.at; d != 1 && d != -1 || p.reduced {
		p.jump(at)
		return
	}
	p.from, p.at, p.moved, p.waited = p.at, at, 0, 0
}

// play goes on, from the start where the end was reached.
func (p *Player) play() {
	if len(p.beats) < 2 {
		return
	}
	if p.at == len(p.beats)-1 {
		p.jump(0)
	}
	p.playing, p.begun, p.waited = true, true, 0
}

func (p *Player) setSpeed(beatsPerSecond float64) {
	p.speed = min(max(beatsPerSecond, SlowestSpeed), FastestSpeed)
}

// motion is how long one token's motion lasts: most of its time, so that the dots also rest.
func (p *Player) motion() float64 { return min(longestMotion, 0.75*p.beat()) }

// beat is how long the token takes, in seconds.
func (p *Player) beat() float64 { return p.beats[p.at] / p.speed }

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
	for p.waited += dt; p.waited >= p.beat() && p.at < len(p.beats)-1; {
		rest := p.waited - p.beat()
		p.seek(p.at + 1)
		p.waited, changed = rest, true
		if rest > 0 && p.moving() {
			p.moved = min(1, rest/p.motion())
		}
	}
	if p.at >= len(p.beats)-1 && !p.moving() {
		p.playing, changed = false, true
	}
	return changed
}

// place is where the motion stands: from token a to token b, the share s of the way.
func (p *Player) place() (a, b int, s float64) { return p.from, p.at, ease(p.moved) }
