package probe

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"mhacsp/model/sequence"
)

// Share counts right answers.
type Share struct {
	Count int `json:"count"`
	Right int `json:"right"`
}

// Rate is the share of right answers.
func (s Share) Rate() float64 {
	if s.Count == 0 {
		return 0
	}
	return float64(s.Right) / float64(s.Count)
}

// Outcome is how a changed network answers the samples that the whole one answered.
type Outcome struct {
	Share
	Lost  float64       `json:"lost"`   // accuracy of the whole network less this one's
	Error float64       `json:"error"`  // its standard error, of the answers that became wrong or right
	Group map[int]Share `json:"groups"` // by operands; of strings by length, the key a group's greatest, a power of 2
}

// Matters reports whether a loss is more than noise: three standard errors and one answer of a hundred.
func (o *Outcome) Matters() bool { return o != nil && o.Lost >= 0.01 && o.Lost > 3*o.Error }

// Effect is what some units' loss costs.
type Effect struct {
	Units  []int    `json:"units"`
	Cut    *Outcome `json:"cut"`
	Freeze *Outcome `json:"freeze,omitempty"` // nil where the units cannot stand still, or were not frozen
}

// Fairer is the outcome of the freeze, or of the cut where there is none.
func (e *Effect) Fairer() *Outcome {
	if e.Freeze != nil {
		return e.Freeze
	}
	return e.Cut
}

// Experiment is the expensive half of a probe: units are cut, and the answers of the rest are counted. Close it: its
// network is changed meanwhile.
type Experiment struct {
	Cutter *Cutter
	Whole  Outcome // of the network as it is; Lost is 0
	Guess  float64 // the share of the most common answer

	samples []reading
	right   []bool // of the whole network
}

// NewExperiment asks a network the set's samples of any form. The network must be nobody else's until Close.
func NewExperiment(n Network, s *Set) (*Experiment, error) {
	c, err := NewCutter(n, s)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Cutter: c, samples: s.all}
	common := map[int32]int{}
	for i := range e.samples {
		common[e.samples[i].answer()]++
	}
	for _, count := range common {
		e.Guess = max(e.Guess, float64(count)/float64(len(e.samples)))
	}
	if e.right, err = e.answers(); err != nil {
		return nil, err
	}
	e.Whole = e.outcome(e.right)
	return e, nil
}

// Close puts the network's parameters back.
func (e *Experiment) Close() { e.Cutter.Restore() }

// answers tells which samples are answered right: the answer's token is the most probable one where it is due. In the
// format `copy` what stands before it is the right text, not the network's own.
func (e *Experiment) answers() ([]bool, error) {
	right := make([]bool, len(e.samples))
	err := eachLogits(e.Cutter.net, e.samples, func(i int, logits []float32) {
		right[i] = sequence.Argmax(logits) == e.samples[i].answer()
	})
	return right, err
}

func (e *Experiment) outcome(right []bool) Outcome {
	o := Outcome{Group: map[int]Share{}}
	worse, better := 0, 0
	for i, ok := range right {
		s := &e.samples[i]
		key := s.Operands
		if s.Length > 0 {
			key = 1 << bits.Len(uint(s.Length-1))
		}
		g := o.Group[key]
		o.Count++
		g.Count++
		if ok {
			o.Right++
			g.Right++
		}
		o.Group[key] = g
		if e.right[i] && !ok {
			worse++
		} else if !e.right[i] && ok {
			better++
		}
	}
	n := float64(len(right))
	o.Lost = float64(worse-better) / n
	o.Error = math.Sqrt(max(0, float64(worse+better)/n-o.Lost*o.Lost) / n)
	return o
}

// Try cuts the units, counts, then freezes them where they can stand still, and counts again.
func (e *Experiment) Try(units ...int) (Effect, error) {
	f := Effect{Units: slices.Clone(units)}
	slices.Sort(f.Units)
	var err error
	if f.Cut, err = e.after(e.Cutter.Cut, units); err == nil && e.Cutter.noStill == nil {
		f.Freeze, err = e.after(e.Cutter.Freeze, units)
	}
	return f, err
}

// after counts what is right after a change of units.
func (e *Experiment) after(change func(units ...int) error, units []int) (*Outcome, error) {
	if err := change(units...); err != nil {
		return nil, err
	}
	right, err := e.answers()
	if err != nil {
		return nil, err
	}
	return new(e.outcome(right)), nil
}

// Role is what a unit is for, by the rule of CLOCKS.md.
type Role string

// The roles.
const (
	Carries Role = "carries" // a clock whose loss, alone or together with that of all other clocks, costs answers
	Steers  Role = "steers"  // no clock, yet its loss costs answers
	Idle    Role = "idle"    // its loss costs nothing that could be told from noise
)

// Causes is what cutting tells of a network.
type Causes struct {
	Whole   Outcome  `json:"whole"`
	Guess   float64  `json:"guess"`               // what a constant guess gets
	Single  []Effect `json:"single"`              // one a unit, by number
	Clocks  *Effect  `json:"clocks,omitempty"`    // all clocks at once
	Others  []Effect `json:"others,omitempty"`    // for each clock, in their order: all the others at once
	Control []Effect `json:"control,omitempty"`   // as many units that are no clocks, drawn by lot; five draws
	Roles   []Role   `json:"roles"`               // by number
	NoStill string   `json:"no_freeze,omitempty"` // why nothing was frozen
}

// Causes cuts every unit alone, the clocks together, all of them but one, and as many other units for comparison.
// progress, where given, is called before each with what is done and what there is; its error ends the work.
func (e *Experiment) Causes(clocks []Hand, turning int, progress func(done, of int) error) (*Causes, error) {
	c := &Causes{Whole: e.Whole, Guess: e.Guess}
	if e.Cutter.noStill != nil {
		c.NoStill = e.Cutter.noStill.Error()
	}
	var hands []int
	for _, k := range clocks {
		hands = append(hands, k.Unit)
	}
	var plan [][]int
	for u := range e.Cutter.units {
		plan = append(plan, []int{u})
	}
	if len(hands) > 1 {
		plan = append(plan, hands)
	}
	if len(hands) > 2 {
		for _, h := range hands {
			plan = append(plan, slices.DeleteFunc(slices.Clone(hands), func(u int) bool { return u == h }))
		}
	}
	control := control(hands, turning, e.Cutter.units)
	plan = append(plan, control...)
	effects, err := e.tryAll(plan, progress)
	if err != nil {
		return nil, err
	}
	c.Single, effects = effects[:e.Cutter.units], effects[e.Cutter.units:]
	last := len(effects) - len(control)
	effects, c.Control = effects[:last], effects[last:]
	switch {
	case len(hands) > 2:
		c.Clocks, c.Others = &effects[0], effects[1:]
	case len(hands) == 2:
		c.Clocks, c.Others = &effects[0], []Effect{c.Single[hands[1]], c.Single[hands[0]]}
	case len(hands) == 1:
		c.Clocks = &c.Single[hands[0]]
	}
	c.roles(hands)
	return c, nil
}

func (e *Experiment) tryAll(plan [][]int, progress func(done, of int) error) ([]Effect, error) {
	defer e.Cutter.Restore()
	var effects []Effect
	for i, units := range plan {
		if progress != nil {
			if err := progress(i, len(plan)); err != nil {
				return nil, err
			}
		}
		f, err := e.Try(units...)
		if err != nil {
			return nil, err
		}
		effects = append(effects, f)
	}
	return effects, nil
}

// controls is how many draws of other units stand next to the clocks.
const controls = 5

// control draws as many units as there are clocks, among those that turn, or among all where too few of them turn.
func control(hands []int, turning, units int) [][]int {
	var others []int
	for _, most := range []int{turning, units} {
		others = others[:0]
		for u := range most {
			if !slices.Contains(hands, u) {
				others = append(others, u)
			}
		}
		if len(others) >= len(hands) {
			break
		}
	}
	if len(hands) == 0 || len(others) < len(hands) {
		return nil
	}
	var list [][]int
	random := rand.New(rand.NewPCG(1, uint64(units)))
	for range controls {
		random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		list = append(list, slices.Clone(others[:len(hands)]))
	}
	return list
}

// roles sorts the units by what was measured.
func (c *Causes) roles(hands []int) {
	for u := range c.Single {
		role := Idle
		switch at := slices.Index(hands, u); {
		case at >= 0 && (c.Single[u].Fairer().Matters() || c.adds(at)):
			role = Carries
		case at < 0 && c.Single[u].Fairer().Matters():
			role = Steers
		}
		c.Roles = append(c.Roles, role)
	}
}

// adds reports whether the loss of a clock costs answers where all other clocks are lost already.
func (c *Causes) adds(at int) bool {
	if len(c.Others) == 0 {
		return false
	}
	all, without := c.Clocks.Fairer(), c.Others[at].Fairer()
	more := Outcome{Lost: all.Lost - without.Lost, Error: math.Hypot(all.Error, without.Error)}
	return more.Matters()
}
