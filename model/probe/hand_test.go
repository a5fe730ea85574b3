package probe

import (
	"math"
	"slices"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// handBuilt is a network whose clocks are known: its parameters are set by hand, so that one token after each digit d
// unit clockUnits[i] turns by ±2π·frequencies[i]·d/9, backwards after a minus, and the head reads the clocks' phases.
//
// The embedding is one-hot, so every matrix that reads it is a table over the tokens. Beside each clock stands a unit
// that holds the sign: it is 1, a minus turns it to −1, a digit turns it by an angle ω_d, after which its imaginary
// part is ±sin ω_d. The clock's angle reads that imaginary part. A last unit reports whether the token was a digit;
// then the sign's unit forgets and is 1 again. So brackets have no sign of their own here: the sums must be flat.
const (
	handWidth = 32
	firstHand = 21 // the units below are the embedding's alone, and 0
	firstSign = 24
	digitUnit = 27
)

func clockUnits() []int  { return []int{21, 22, 23} }
func frequencies() []int { return []int{1, -2, 4} }

func paper(t *testing.T) tasks.Task {
	return task(t, "arithmetic", tasks.Options{Preset: "paper", Format: "direct"})
}

// handBuilt makes the network with the first of the clocks, that many.
func handBuilt(t *testing.T, clocks int) sequence.Network {
	t.Helper()
	k := paper(t)
	c := assert.Must(zoo.Parse([]byte(`{"model": "csp", "width": 32, "theta": "state"}`), false))(t)
	c.Fit(k.Vocabulary().Size(), 0)
	n := assert.Must(c.Open(reference.New[float32]()))(t)
	b := builder{n: n, flat: make([]float32, n.Params().Size())}
	b.build(clocks)
	n.Params().Upload(b.flat)
	return n
}

type builder struct {
	n    sequence.Network
	flat []float32
}

// set writes an element of a parameter; of a vector the row is 0.
func (b *builder) set(name string, row, column int, x float64) {
	w, columns := b.n.Params().Find(b.flat, name)
	w[row*columns+column] = float32(x)
}

const minusToken, vocabulary = 11, 21

func (b *builder) build(clocks int) {
	const cell, slope, keeps = "blocks.0.", 2, -60
	// angle is what W_θ needs for a turn.
	angle := func(turn float64) float64 { return math.Atanh(math.Remainder(turn, 2*math.Pi) / math.Pi) }
	for x := range vocabulary {
		b.set("embedding.weight", x, x, 1)
		b.set(cell+"input.weight", digitUnit, x, map[bool]float64{true: 1, false: -1}[x < 10])
	}
	for u := firstHand; u <= digitUnit; u++ {
		b.set(cell+"gamma.bias", 0, u, math.Pi/2) // γ = 1
	}
	b.set(cell+"delta.bias", 0, digitUnit, -keeps)
	for i := range clocks {
		hand, sign, k := firstHand+i, firstSign+i, frequencies()[i]
		b.set(cell+"delta.bias", 0, hand, keeps)
		b.set(cell+"input.weight", hand, int(tasks.SOS), 0.01)
		b.set(cell+"theta_h.weight", hand, handWidth+sign, slope)
		b.set(cell+"delta_h.weight", sign, digitUnit, -keeps)
		for d := range 10 {
			omega := math.Asin(angle(2*math.Pi*float64(k*d)/9) / slope)
			b.set(cell+"theta.weight", sign, d, angle(omega))
		}
		b.set(cell+"theta.weight", sign, minusToken, 20) // tanh is 1: a turn by π
		for x := 10; x < vocabulary; x++ {
			b.set(cell+"input.weight", sign, x, 0.1)
		}
		for v := range 9 {
			b.set("head.weight", v, hand, math.Cos(2*math.Pi*float64(k*v)/9))
			b.set("head.weight", v, handWidth+hand, math.Sin(2*math.Pi*float64(k*v)/9))
		}
	}
	for x := 9; x < vocabulary; x++ {
		b.set("head.bias", 0, x, -100)
	}
}

// flat is a set of flat sums alone, whose brackets the hand-built network would not understand.
func flat(t *testing.T, n int) *Set {
	t.Helper()
	s := assert.Must(Draw(paper(t), tasks.Draw{Seed: 3}, n))(t)
	s.all = s.plain
	return s
}

// TestHandBuiltClocks: the clocks that were built in are found, with k, its sign, R and offset, at all places; no
// other unit is one. A minus turns them backwards: else no sum with a minus would end at its value.
func TestHandBuiltClocks(t *testing.T) {
	n, s := handBuilt(t, 3), flat(t, 100)
	m := assert.Must(s.Measure(n))(t)
	clocks := m.Clocks()
	assert.Need(t, len(clocks) == 3, "clocks are %+v", clocks)
	for _, h := range clocks {
		i := slices.Index(clockUnits(), h.Unit)
		assert.Need(t, i >= 0 && h.K == frequencies()[i] && len(h.Places) == 2 && h.Step == 2*math.Pi*float64(h.K)/9,
			"found %+v", h)
		for _, p := range h.Places {
			assert.True(t, p.R >= 0.999 && math.Abs(p.Offset) <= 0.02 && p.Samples >= 100 && p.Chance <= 0.5,
				"unit %d: %+v", h.Unit, p)
		}
	}
	kinds := assert.Must(s.Offsets(n, clocks))(t)
	checked := 0
	for i := range clocks {
		for _, o := range kinds[i] {
			// At the digit itself the clock has not turned yet; "(" and "sign" do not occur.
			if o.After == "digit" {
				continue
			}
			checked++
			assert.True(t, o.R >= 0.999 && math.Abs(o.Offset) <= 0.02,
				"unit %d after %+v: R %.3f, offset %.3f", clocks[i].Unit, o.Kind, o.R, o.Offset)
		}
	}
	assert.True(t, checked >= 3*10, "only %d kinds of tokens", checked)
	best := m.Best()
	assert.True(t, len(best) == 4 && best[0].Unit == 21 && best[1].K == -2 && best[3].Unit == 23 && best[2].R <= 0.5,
		"the best of each frequency: %+v", best)
}

// TestHandBuiltReversal: in a text with a minus each clock turns by −k·d/9 of a circle one token after the digit.
func TestHandBuiltReversal(t *testing.T) {
	n, k := handBuilt(t, 3), paper(t)
	prompt := append([]int32{tasks.SOS}, assert.Must(k.Vocabulary().Tokenise("4 - 3 + 2 - 7 mod 9 = "))(t)...)
	dump := assert.Must(n.States(&sequence.Batch{Prompts: [][]int32{prompt}}))(t)
	state := assert.Must(sequence.Find(dump, 0, "state"))(t)
	moments := assert.Must(Follow(k, prompt))(t)
	phase := func(at, unit int) float64 {
		row := state.Data[at*2*handWidth:][:2*handWidth]
		return math.Atan2(float64(row[handWidth+unit]), float64(row[unit]))
	}
	seen := ""
	for at := 2; at < len(prompt); at++ {
		change := moments[at-1].Change
		for i, u := range clockUnits() {
			got, want := phase(at, u)-phase(at-1, u), turned(frequencies()[i]*change, 9)
			assert.True(t, apart(got, want) <= 1e-3, "unit %d at token %d turned by %.3f, want %.3f", u, at, got, want)
		}
		if change != 0 {
			seen += map[bool]string{true: "+", false: "-"}[change > 0]
		}
	}
	assert.Is(t, seen, "+-+-", "the signs of the digits are")
}

// TestHandBuiltCauses: cutting and freezing the only clock leaves what a constant answer gets; with three the others
// go on voting; the units that hold sign and digit steer; all others are idle. Afterwards the network is as before.
func TestHandBuiltCauses(t *testing.T) {
	for _, clocks := range []int{1, 3} {
		n, s := handBuilt(t, clocks), flat(t, 60)
		before := assert.Must(n.Params().Download(n.Params().Values()))(t)
		r := assert.Must(s.Report(n, true, nil))(t)
		c := r.Causes
		assert.Need(t, len(r.Clocks) == clocks && c.Whole.Rate() == 1 && c.NoStill == "",
			"%d clocks; %+v of %d answers are right; %s", len(r.Clocks), c.Whole, c.Whole.Count, c.NoStill)
		all := c.Clocks
		assert.True(t, all.Cut.Rate() <= 0.25 && all.Freeze.Rate() <= 0.25 && all.Cut.Lost == 1-all.Cut.Rate(),
			"without its clocks it has %.2f cut and %.2f frozen right", all.Cut.Rate(), all.Freeze.Rate())
		for u, role := range c.Roles {
			want := Idle
			switch {
			case u >= firstHand && u < firstHand+clocks:
				want = Carries
			case u >= firstSign && u < firstSign+clocks || u == digitUnit:
				want = Steers
			}
			assert.True(t, role == want,
				"%d clocks: unit %d %s (%+v), want %s", clocks, u, role, *c.Single[u].Fairer(), want)
		}
		for _, e := range c.Control {
			assert.True(t, len(e.Units) == clocks && !slices.Contains(e.Units, firstHand),
				"drawn for comparison: %v", e.Units)
		}
		k := r.Clocks[0]
		assert.True(t, k.Answer.R >= 0.99 && k.Role == Carries && *k.Cut == c.Single[k.Unit].Cut.Lost,
			"the first clock is %+v", k)
		assert.Is(t, before, assert.Must(n.Params().Download(n.Params().Values()))(t), "the parameters have changed")
	}
}

// TestHandBuiltVotes: each clock votes for answer v with the cosine of its phase from 2πk·v/9.
func TestHandBuiltVotes(t *testing.T) {
	n := handBuilt(t, 3)
	for i, u := range clockUnits() {
		for v, x := range assert.Must(Votes(n, paper(t), u))(t) {
			off := apart(x.Angle, turned(frequencies()[i]*v, 9))
			assert.True(t, x.Answer == string(rune('0'+v)) && math.Abs(x.Weight-1) <= 1e-6 && off <= 1e-6,
				"unit %d: %+v", u, x)
		}
	}
}

// TestChance: the chance level is what phases that know nothing of the value reach, and shrinks with the samples.
func TestChance(t *testing.T) {
	k := task(t, "arithmetic", tasks.Options{})
	n := random(t, "csp", k, sequencetest.Keys{"width": 24})
	last := 1.0
	for _, count := range []int{16, 200} {
		s := assert.Must(Draw(k, tasks.Draw{Seed: 2}, count))(t)
		m := assert.Must(s.Measure(n))(t)
		// The greatest of some two thousand draws of |mean of N unit numbers| lies near √(ln 2000 / N).
		for _, p := range m.Places {
			want := math.Sqrt(math.Log(2e3) / float64(p.Samples))
			assert.True(t, p.Chance >= want/2 && p.Chance <= 2*want,
				"%d samples: chance %s is %.3f, about %.3f expected", p.Samples, p.At, p.Chance, want)
		}
		assert.True(t, m.Chance() < last,
			"chance is %.3f with %d samples and %.3f with fewer", m.Chance(), count, last)
		last = m.Chance()
	}
}
