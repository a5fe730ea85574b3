package probe

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"
)

// HalfTurn is a unit that keeps the value with its line through the centre, not with its arrow: twice its phase φ
// follows the value, 2φ ≈ 2πk·v/m + Offset, and so φ is one of two places half a turn apart. A token's angle is at
// most π·tanh(…), and a line needs angles up to π/2 only.
type HalfTurn struct {
	Unit int `json:"unit"`
	K    int `json:"k"` // times that 2φ goes round while the value goes once round
	Following
	Step    float64  `json:"step"`              // radians by which +1 turns the unit itself
	Partner *Partner `json:"partner,omitempty"` // nil where no unit tells the two ends of the line apart
}

// Partner is the unit that tells the two ends of a half-turn clock's line apart: with φ' for its phase φ + Sign·φ'
// follows the value as a clock's does, with frequency K, where 2K is the line's frequency modulo m.
type Partner struct {
	Unit int `json:"unit"`
	Sign int `json:"sign"` // 1 or −1
	K    int `json:"k"`
	Following
}

// step is the angle by which +1 turns the unit itself, where the ends of its line are told apart: 2κ is k modulo m,
// and κ the partner's k, or the only one there is. Where there is none it is half of what 2φ turns.
func (h *HalfTurn) step(modulus int) float64 {
	turns := float64(h.K) / 2
	if h.Partner != nil {
		turns = float64(h.Partner.K)
	} else if list := halves(h.K, modulus); len(list) == 1 {
		turns = float64(list[0])
	}
	return turns * turned(1, modulus)
}

// halves are the frequencies κ with 2κ = k modulo m.
func halves(k, modulus int) []int {
	var list []int
	for _, f := range Frequencies(modulus) {
		if (2*f-k)%modulus == 0 {
			list = append(list, f)
		}
	}
	return list
}

// Words says in a sentence what a half-turn clock does.
func (h *HalfTurn) Words(modulus int) string { return "twice its phase " + Hand{K: h.K}.Words(modulus) }

// HalfTurns finds the half-turn clocks after the operands of flat sums, or after every token of strings, the greatest
// R first. R of 2φ must be as great as Hand.IsClock asks, and greater than R of φ; a unit that m, measured on the same
// set, calls a clock is none.
func (s *Set) HalfTurns(n Network, m *Measured) ([]HalfTurn, error) {
	units, arrows := n.Config().Traits().Units, m.tallies[0]
	tallies, err := s.tally(n, s.plain, m.tokens, units, squares)
	if err != nil {
		return nil, err
	}
	list, lines, where := []HalfTurn{}, tallies[0], tallies[0].place(m.Places[0].At)
	for u := range units {
		k, line := lines.greatest(where, u)
		_, arrow := arrows.greatest(Place{}, u)
		if (Hand{Places: []Following{line}}).IsClock() && line.R > arrow.R && !m.Units[u].IsClock() {
			list = append(list, HalfTurn{Unit: u, K: k, Following: line})
		}
	}
	for i := range list {
		if list[i].Partner, err = s.partner(n, m, &list[i]); err != nil {
			return nil, err
		}
		list[i].Step = list[i].step(s.Modulus)
	}
	slices.SortStableFunc(list, func(a, b HalfTurn) int { return cmp.Compare(b.R, a.R) })
	return list, nil
}

// partner is the unit with which a line follows the value best, or nil where that is not well enough for a clock.
func (s *Set) partner(n Network, m *Measured, line *HalfTurn) (*Partner, error) {
	units := n.Config().Traits().Units
	tallies, err := s.tally(n, s.plain, m.tokens, 2*units, func(z, h []complex128) {
		for u := range h {
			z[u], z[units+u] = h[line.Unit]*h[u], h[line.Unit]*cmplx.Conj(h[u])
		}
		z[line.Unit], z[units+line.Unit] = 0, 0 // no partner of itself, nor in the level of chance
	})
	if err != nil {
		return nil, err
	}
	pairs, where, best := tallies[0], tallies[0].place(m.Places[0].At), (*Partner)(nil)
	for _, k := range halves(line.K, s.Modulus) {
		for i := range 2 * units {
			f, sign := pairs.following(where, i, k), 1
			if i >= units {
				sign = -1
			}
			if i%units != line.Unit && (best == nil || f.R > best.R) {
				best = &Partner{Unit: i % units, Sign: sign, K: k, Following: f}
			}
		}
	}
	if best == nil || !(Hand{Places: []Following{best.Following}}).IsClock() {
		return nil, nil
	}
	return best, nil
}

// squares are the phasors of twice each unit's phase.
func squares(z, h []complex128) {
	for u := range h {
		z[u] = h[u] * h[u]
	}
}

// greatest is a phasor's best frequency.
func (t *tally) greatest(p Place, unit int) (k int, best Following) {
	for _, f := range Frequencies(t.modulus) {
		if x := t.following(p, unit, f); x.R >= best.R {
			k, best = f, x
		}
	}
	return k, best
}

// lineKinds measures half-turn clocks, each with its own k and offset, at every kind of token from the first digit on,
// in samples of any form. R of a kind is how well twice the phase follows the value with the clock's one offset.
func (s *Set) lineKinds(n Network, lines []HalfTurn) ([]map[Kind]Following, error) {
	kinds, found := places(s.all, func(r *reading, i int) (Kind, bool) { return r.at[i].Kind, begun(r.at[:i+1]) })
	tallies, err := s.tally(n, s.all, found, n.Config().Traits().Units, squares)
	if err != nil {
		return nil, err
	}
	out := make([]map[Kind]Following, len(lines))
	for i, h := range lines {
		out[i] = map[Kind]Following{}
		for j, t := range tallies {
			f := t.following(Place{Samples: t.samples}, h.Unit, h.K)
			f.R = max(0, f.R*math.Cos(f.Offset-h.Offset))
			f.Offset = h.Offset
			out[i][kinds[j]] = f
		}
	}
	return out, nil
}

// begun reports whether a value stands: before the first digit a line is nowhere.
func begun(at []Moment) bool {
	return slices.ContainsFunc(at, func(m Moment) bool { return m.Operand || m.Kind.After == "digit" })
}

// Line is what a half-turn clock's units do while one text of T tokens is read.
type Line struct {
	Partner int       `json:"partner"` // unit; −1: none
	Step    float64   `json:"step"`    // radians by which +1 turns the unit itself
	Own     []float64 `json:"own"`     // [T] the unit's own phase less half of its offset: an end of its line
	Flag    []float64 `json:"flag"`    // [T] the end that the partner says it is; empty where there is none
}

// line adds a token's states to a line: hand is where its hand stands, 2φ − Offset.
func (h *HalfTurn) line(l *Line, state []complex128, hand float64, modulus int) {
	phase := cmplx.Phase(state[h.Unit])
	own := phase - h.Offset/2
	l.Own = append(l.Own, math.Remainder(own, 2*math.Pi))
	p := h.Partner
	if p == nil {
		return
	}
	value, best := 0, -2.0 // that the hand is nearest to
	for v := range modulus {
		if c := math.Cos(hand - turned(h.K*v, modulus)); c > best+1e-9 {
			value, best = v, c
		}
	}
	pair := phase + float64(p.Sign)*cmplx.Phase(state[p.Unit]) - p.Offset
	if math.Cos(pair-turned(p.K*value, modulus)) < 0 {
		own += math.Pi
	}
	l.Flag = append(l.Flag, math.Remainder(own, 2*math.Pi))
}

// turned is the angle by which that many marks turn a hand that goes once round.
func turned(places, modulus int) float64 { return 2 * math.Pi * float64(places) / float64(modulus) }
