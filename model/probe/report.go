package probe

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Clock is a clock with all that was found out about it.
type Clock struct {
	Hand
	Answer *Following `json:"answer,omitempty"` // where the head reads it; measured with the causes
	Cut    *float64   `json:"cut,omitempty"`    // accuracy lost when it alone is cut
	Freeze *float64   `json:"freeze,omitempty"` // and frozen
	Role   Role       `json:"role,omitempty"`
	Kinds  []Offset   `json:"kinds"` // by kind of token, in texts of any form
	Votes  []Vote     `json:"votes"`
}

// Report is what `mhacsp probe --json` prints of one network (CLOCKS.md).
type Report struct {
	Task    string  `json:"task"`
	Modulus int     `json:"modulus"`
	Units   int     `json:"units"`   // with a phase; clocks are looked for among them
	Turning int     `json:"turning"` // the first of them, which turn with the state
	Memory  int     `json:"memory"`  // units of a memory of positions: no clocks, never cut
	Clocks  []Clock `json:"clocks"`  // the greatest R first
	// HalfTurns keep the value with their line, not with their arrow; the greatest R first.
	HalfTurns []HalfTurn `json:"half_turns"`

	Chance  float64 `json:"chance"`  // the greatest of the places'
	Samples int     `json:"samples"` // texts on which R was measured; each place says how many tokens
	Places  []Place `json:"places"`
	Best    []Hand  `json:"best"`             // for each frequency the unit of the greatest R, clock or not
	Causes  *Causes `json:"causes,omitempty"` // where units were cut
	NoCut   string  `json:"no_cut,omitempty"` // why none was
	Steps   []Step  `json:"steps,omitempty"`  // of a run's kept checkpoints
}

// Step is the cheap half of a probe at one step of a training.
type Step struct {
	Step      int     `json:"step"`
	Clocks    int     `json:"clocks"`
	HalfTurns int     `json:"half_turns"`
	Chance    float64 `json:"chance"`
	Best      []Hand  `json:"best"`
}

// Step measures a network at a step of its training.
func (s *Set) Step(n Network, step int) (Step, error) {
	m, err := s.Measure(n)
	if err != nil {
		return Step{}, err
	}
	lines, err := s.HalfTurns(n, m)
	return Step{step, len(m.Clocks()), len(lines), m.Chance(), m.Best()}, err
}

// Report looks for a network's clocks and, where cut is set, cuts every unit: the network is then nobody else's
// meanwhile. progress, where given, hears what is done of what there is; its error ends the work.
func (s *Set) Report(n Network, cut bool, progress func(done, of int) error) (*Report, error) {
	flat, err := finite(n)
	if err != nil {
		return nil, err
	}
	m, err := s.Measure(n)
	if err != nil {
		return nil, err
	}
	traits := n.Config().Traits()
	_, columns := n.Params().Find(flat, "head.weight") // two for each unit, with a phase or without
	r := &Report{
		Task: s.Task.Name(), Modulus: s.Modulus, Units: traits.Units, Turning: traits.Turning,
		Memory: columns/2 - traits.Units, Clocks: []Clock{}, Chance: m.Chance(), Samples: len(s.plain),
		Places: m.Places, Best: m.Best(),
	}
	if r.HalfTurns, err = s.HalfTurns(n, m); err != nil {
		return nil, err
	}
	clocks := m.Clocks()
	kinds, err := s.Offsets(n, clocks)
	if err != nil {
		return nil, err
	}
	for i, u := range clocks {
		votes, err := Votes(n, s.Task, u.Unit)
		if err != nil {
			return nil, err
		}
		r.Clocks = append(r.Clocks, Clock{Hand: u, Kinds: kinds[i], Votes: votes})
	}
	switch {
	case !cut:
		r.NoCut = "it was not asked for"
	case traits.Blocks > 1:
		r.NoCut = fmt.Sprintf("the model has %d blocks; a cut is defined for one", traits.Blocks)
	default:
		err = s.causes(n, r, clocks, progress)
	}
	return r, err
}

// finite are the parameters, if all are numbers.
func finite(n Network) ([]float32, error) {
	flat, err := n.Params().Download(n.Params().Values())
	for i := range flat {
		if x := float64(flat[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("the parameters hold numbers that are not finite; probe an earlier checkpoint")
		}
	}
	return flat, err
}

func (s *Set) causes(n Network, r *Report, clocks []Hand, progress func(done, of int) error) error {
	e, err := NewExperiment(n, s)
	if err != nil {
		return err
	}
	defer e.Close()
	if r.Causes, err = e.Causes(clocks, r.Turning, progress); err != nil {
		return err
	}
	at := e.Cutter.answer(s)
	place := at.place(AtAnswer)
	for i := range r.Clocks {
		c := &r.Clocks[i]
		c.Answer, c.Role = new(at.following(place, c.Unit, c.K)), r.Causes.Roles[c.Unit]
		single := r.Causes.Single[c.Unit]
		c.Cut = &single.Cut.Lost
		if single.Freeze != nil {
			c.Freeze = &single.Freeze.Lost
		}
	}
	return nil
}

// answer is the tally of what the head reads where the answer is written, against the value at the prompt's end.
func (c *Cutter) answer(s *Set) *tally {
	_, found := places(s.all, func(r *reading, i int) (string, bool) { return AtAnswer, i == len(r.Prompt)-1 })
	t := newTally(s.Modulus, c.units, len(found[0].sample))
	h := make([]complex128, c.units)
	for i, row := range c.heads {
		phasors(h, row)
		t.add(found[0], i, h)
	}
	return t
}

// Words says in a sentence what a clock does.
func (h Hand) Words(modulus int) string {
	times := cmp.Or(map[int]string{1: "once", 2: "twice"}[abs(h.K)], fmt.Sprintf("%d times", abs(h.K)))
	way := ""
	if h.K < 0 {
		way = ", backwards"
	}
	return fmt.Sprintf("goes %s round for %d%s: +1 turns it by %.4g°", times, modulus, way,
		360*float64(h.K)/float64(modulus))
}

// Groups are the keys of an outcome's groups in ascending order.
func (o *Outcome) Groups() []int { return slices.Sorted(maps.Keys(o.Group)) }
