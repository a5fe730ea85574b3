package probe

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/tasks/strict"
)

// Network is what a probe needs of a network; sequence.Network has it.
type Network interface {
	Config() sequence.Config
	Params() *param.Set
	Logits(*sequence.Batch) ([]float32, error)
	States(*sequence.Batch) ([]sequence.Tensor, error)
}

// Least is the R from which a unit is called a clock.
const Least = 0.6

// The places where clocks are looked for.
const (
	AfterOperand = "operand" // the token after each operand of flat sums
	EveryToken   = "token"   // each token of a string
	AtEnd        = "end"     // the prompt's last token
	AtAnswer     = "answer"  // what the head reads where the answer is written
)

// Place is where a phase was compared with the value.
type Place struct {
	At      string  `json:"at"`
	Samples int     `json:"samples"`
	Chance  float64 `json:"chance"` // the greatest R of any unit and k when the values are shuffled
}

// Following is how well a unit's phase follows the value at one place: φ ≈ 2πk·v/m + Offset.
type Following struct {
	Place
	R      float64 `json:"r"`
	Offset float64 `json:"offset"` // radians, −π to π
}

// Hand is what a unit's phase has to do with the value.
type Hand struct {
	Unit   int         `json:"unit"`
	K      int         `json:"k"`    // times round while the value goes once round, negative: backwards
	R      float64     `json:"r"`    // the least of the places'
	Step   float64     `json:"step"` // radians by which +1 turns it
	Places []Following `json:"places"`
}

// Measured is R of every unit of a network, in its last block.
type Measured struct {
	Modulus int
	Places  []Place
	Units   []Hand // by number; each with the frequency of its greatest R

	tallies []*tally // of Places
	tokens  []*place // those of the first of Places
}

// Refuse says why a network has nothing to probe: nil, or an error of one line.
func Refuse(c sequence.Config) error {
	if c.Traits().Units == 0 {
		return strict.Unfit("model", c.Name(), ", whose units have no phase, so there are no clocks to look for; "+
			"probe a run of csp or mha-csp")
	}
	return nil
}

// Measure finds R of every unit after the operands of flat sums, or after every token of strings, and at the prompt's
// end. It reads states alone: it is the cheap half of a probe.
func (s *Set) Measure(n Network) (*Measured, error) {
	at := []string{AfterOperand, AtEnd}
	if s.Task.Classes() > 0 {
		at[0] = EveryToken
	}
	if s.Task.Name() == "parenthesis" {
		at = at[:1] // the end of a text is at height 0, if it is not a rare mistake: there is nothing to follow
	}
	_, found := places(s.plain, func(r *reading, i int) (string, bool) { return at[0], r.at[i].Operand })
	_, ends := places(s.plain, func(r *reading, i int) (string, bool) { return AtEnd, i == len(r.Prompt)-1 })
	list := []*place{found[0], ends[0]}[:len(at)]
	tallies, err := s.tally(n, s.plain, list, n.Config().Traits().Units, same)
	if err != nil {
		return nil, err
	}
	m := &Measured{Modulus: s.Modulus, tallies: tallies, tokens: found}
	for i := range at {
		m.Places = append(m.Places, tallies[i].place(at[i]))
	}
	for u := range n.Config().Traits().Units {
		best := Hand{Unit: u, R: -1}
		for _, k := range Frequencies(s.Modulus) {
			if x := m.unit(u, k); x.R > best.R {
				best = x
			}
		}
		m.Units = append(m.Units, best)
	}
	return m, nil
}

// unit is how a unit follows the value with frequency k.
func (m *Measured) unit(u, k int) Hand {
	x := Hand{Unit: u, K: k, R: 1, Step: turned(k, m.Modulus)}
	for i, t := range m.tallies {
		f := t.following(m.Places[i], u, k)
		x.R = min(x.R, f.R)
		x.Places = append(x.Places, f)
	}
	return x
}

// Chance is the greatest of the places'.
func (m *Measured) Chance() float64 {
	c := 0.0
	for _, p := range m.Places {
		c = max(c, p.Chance)
	}
	return c
}

// Clocks are the units that follow the value at every place, the greatest R first.
func (m *Measured) Clocks() []Hand {
	list := slices.DeleteFunc(slices.Clone(m.Units), func(h Hand) bool { return !h.IsClock() })
	slices.SortStableFunc(list, func(a, b Hand) int { return cmp.Compare(b.R, a.R) })
	return list
}

// IsClock reports whether at every place R is at least Least and nearer to 1 than to chance.
func (h Hand) IsClock() bool {
	return !slices.ContainsFunc(h.Places, func(x Following) bool { return x.R < Least || x.R < (1+x.Chance)/2 })
}

// Best is the unit of the greatest R for each frequency without its sign, 1 first, whether it is a clock or not.
func (m *Measured) Best() []Hand {
	best := make([]Hand, m.Modulus/2)
	for u := range m.Units {
		for _, k := range Frequencies(m.Modulus) {
			if x := m.unit(u, k); x.R > best[abs(k)-1].R {
				best[abs(k)-1] = x
			}
		}
	}
	return best
}

func abs(k int) int { return max(k, -k) }

// Frequencies are the k that tell the values of a modulus apart: ±1 to ±⌊m/2⌋; of m/2 the two signs are the same.
func Frequencies(modulus int) []int {
	var list []int
	for k := 1; 2*k <= modulus; k++ {
		list = append(list, k)
		if 2*k < modulus {
			list = append(list, -k)
		}
	}
	return list
}

// Offset is a clock's at one kind of token, of sums of any form.
type Offset struct {
	Kind
	Following
}

// Offsets measures given units, each with its own k, at every kind of token that the set's samples of any form have.
// The kinds are in the order in which they were met.
func (s *Set) Offsets(n Network, units []Hand) ([][]Offset, error) {
	kinds, found := places(s.all, func(r *reading, i int) (Kind, bool) { return r.at[i].Kind, true })
	tallies, err := s.tally(n, s.all, found, n.Config().Traits().Units, same)
	if err != nil {
		return nil, err
	}
	out := make([][]Offset, len(units))
	for j, t := range tallies {
		p := t.place("token")
		for i, u := range units {
			out[i] = append(out[i], Offset{kinds[j], t.following(p, u.Unit, u.K)})
		}
	}
	return out, nil
}

// tally is the sums of a place's phasors by value: of the true values and of those dealt out again.
type tally struct {
	modulus, units, samples int
	sums                    [1 + deals][]complex128 // [m·N]
}

func newTally(modulus, units, samples int) *tally {
	t := &tally{modulus: modulus, units: units, samples: samples}
	for i := range t.sums {
		t.sums[i] = make([]complex128, modulus*units)
	}
	return t
}

// phasors are the directions of a state [2N, real plane first]; a unit that is 0 has none.
func phasors(h []complex128, state []float32) {
	for u := range h {
		re, im := float64(state[u]), float64(state[len(state)/2+u])
		h[u] = 0
		if length := math.Sqrt(re*re + im*im); length > 0 {
			h[u] = complex(re/length, im/length)
		}
	}
}

// add counts the phasors of a place's sample number j.
func (t *tally) add(p *place, j int, phasors []complex128) {
	for deal, values := range p.values {
		sum := t.sums[deal][values[j]*t.units:][:t.units]
		for u, z := range phasors {
			sum[u] += z
		}
	}
}

// mean is the mean of exp(i(φ − 2πk·v/m)), whose length is R and whose phase the offset.
func (t *tally) mean(deal, unit, k int) complex128 {
	var z complex128
	for v := range t.modulus {
		z += t.sums[deal][v*t.units+unit] * cmplx.Rect(1, -2*math.Pi*float64(k*v)/float64(t.modulus))
	}
	return z / complex(float64(t.samples), 0)
}

func (t *tally) place(at string) Place {
	p := Place{At: at, Samples: t.samples}
	for d := range deals {
		for u := range t.units {
			for _, k := range Frequencies(t.modulus) {
				p.Chance = max(p.Chance, cmplx.Abs(t.mean(1+d, u, k)))
			}
		}
	}
	return p
}

func (t *tally) following(p Place, unit, k int) Following {
	z := t.mean(0, unit, k)
	return Following{Place: p, R: cmplx.Abs(z), Offset: cmplx.Phase(z)}
}

// dumpBytes bounds the memory of one dump.
const dumpBytes = 64 << 20

// tally runs a network over samples and sums, at the places, count phasors z that of makes of the units' own h.
func (s *Set) tally(n Network, list []reading, at []*place, count int, of func(z, h []complex128)) ([]*tally, error) {
	out, next := make([]*tally, len(at)), make([]int, len(at))
	for i, p := range at {
		out[i] = newTally(s.Modulus, count, len(p.sample))
	}
	z, h := make([]complex128, count), make([]complex128, n.Config().Traits().Units)
	err := states(n, list, "state", func(sample int, rows [][]float32) {
		for i, p := range at {
			for ; next[i] < len(p.sample) && p.sample[next[i]] == sample; next[i]++ {
				phasors(h, rows[p.token[next[i]]])
				of(z, h)
				out[i].add(p, next[i], z)
			}
		}
	})
	return out, err
}

func same(z, h []complex128) { copy(z, h) }

// states dumps samples in parts and gives each sample's rows [T][2N] of one tensor of the last block, in their order.
func states(n Network, list []reading, tensor string, each func(sample int, rows [][]float32)) error {
	traits, shape := n.Config().Traits(), n.Config().Shape()
	if err := Refuse(n.Config()); err != nil {
		return err
	}
	for from := 0; from < len(list); {
		to := min(from+64, len(list))
		for to > from+1 && traits.DumpBytes(shape, batch(list[from:to])) > dumpBytes {
			to = (from + to + 1) / 2
		}
		b := batch(list[from:to])
		if !shape.Prefix {
			b.Targets = nil // the rows are the prompts'
		}
		dump, err := n.States(b)
		if err != nil {
			return err
		}
		x, err := sequence.Find(dump, traits.Blocks-1, tensor)
		if err != nil {
			return err
		}
		for at := 0; from < to; from++ {
			rows := make([][]float32, x.Shape[1])
			for t := range rows {
				rows[t] = x.Data[at:][:2*traits.Units]
				at += 2 * traits.Units
			}
			each(from, rows)
		}
	}
	return nil
}
