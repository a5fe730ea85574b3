package probe

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"slices"

	"mhacsp/model/internal/oracle"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Dial is what a clock does while one text of T tokens is read, with the offset of each kind of token taken off: while
// the clock follows exactly, Angles[t] is 2πk·v/m for the value v. Of a half-turn clock the angle is 2φ less its one
// offset.
type Dial struct {
	Unit   int       `json:"unit"`
	K      int       `json:"k"`
	R      float64   `json:"r"`              // the least of the places'
	Angles []float64 `json:"angles"`         // [T] radians, −π to π
	Sure   []float64 `json:"sure"`           // [T] R at tokens of this kind in the samples; 0 where they had none
	Counts []int     `json:"counts"`         // [T] tokens of this kind in the samples
	Cut    bool      `json:"cut"`            // nobody reads it
	Votes  []float64 `json:"votes"`          // [C] what it adds to the answers' logits, less their mean; or none
	Line   *Line     `json:"line,omitempty"` // of a half-turn clock
}

// Dials are a network's clocks while it reads one text of T tokens, and its answer as a sum of votes (CLOCKS.md): the
// clocks' votes and Rest add up to Sum, the answers' logits less their mean.
type Dials struct {
	Modulus  int    `json:"modulus"`
	Quantity string `json:"quantity"` // what the values are, of Quantity
	Dials    []Dial `json:"dials"`    // clocks, then half-turn clocks, the greatest R first; none where none was found
	Best     []Hand `json:"best"`     // for each frequency the unit of the greatest R, clock or not
	// Chance is the greatest of the places', Samples the texts on which R was measured.
	Chance  float64  `json:"chance"`
	Samples int      `json:"samples"`
	Moments []Moment `json:"moments"` // [T]

	Answers       []string  `json:"answers"`       // [C]; empty where the answer is not the first that is written
	Rest          []float64 `json:"rest"`          // [C] what is left of Sum where no clock is read
	Sum           []float64 `json:"sum"`           // [C]
	Probabilities []float64 `json:"probabilities"` // [C] of the answers, of a softmax over all outputs

	// Lit[t] are the units that know at token t of a minus before a bracket: read with plus signs instead, their phase
	// is another by LitFrom or more. Clocks and partners are not among them.
	Lit [][]int `json:"lit"`
	// Steers[t] are those of Lit[t] that steer: where nobody reads the unit from token t on, a hand stands nearer to
	// another mark after the next digit that the minus turns. It is null from the token on where SteerSteps are spent.
	Steers [][]int `json:"steers"`

	// Note says why a text cannot be read step by step, so that there are no dials whatever was found; else empty.
	Note string `json:"note,omitempty"`
}

// LitFrom is the difference of phases from which a unit is said to know of a minus: a quarter turn.
const LitFrom = math.Pi / 2

// Reader reads texts of a network whose clocks were found.
type Reader struct {
	Measured *Measured
	Clocks   []Hand     // the greatest R first
	Lines    []HalfTurn // the same

	walker *Walker // nil where the network cannot be walked through
	note   error   // why not
	set    *Set
	kinds  []map[Kind]Following // of each clock
	lines  []map[Kind]Following // of each half-turn clock
}

// NewReader finds a network's clocks on a set and keeps its parameters as they are: the network may train on.
func (s *Set) NewReader(n Network) (*Reader, error) {
	if _, err := finite(n); err != nil {
		return nil, err
	}
	r := &Reader{set: s}
	var err error
	if r.Measured, err = s.Measure(n); err != nil {
		return nil, err
	}
	r.Clocks = r.Measured.Clocks()
	if r.Lines, err = s.HalfTurns(n, r.Measured); err != nil {
		return nil, err
	}
	if r.walker, r.note = NewWalker(n); r.note != nil {
		return r, nil
	}
	if len(r.Lines) > 0 {
		if r.lines, err = s.lineKinds(n, r.Lines); err != nil {
			return nil, err
		}
	}
	if len(r.Clocks) == 0 {
		return r, nil
	}
	offsets, err := s.Offsets(n, r.Clocks)
	for _, list := range offsets {
		kinds := map[Kind]Following{}
		for _, o := range list {
			kinds[o.Kind] = o.Following
		}
		r.kinds = append(r.kinds, kinds)
	}
	return r, err
}

// group is a clock's unit with those that are cut with it: the partner of a half-turn clock.
func (r *Reader) group(unit int) []int {
	list := []int{unit}
	for _, h := range r.Lines {
		if h.Unit == unit && h.Partner != nil {
			list = append(list, h.Partner.Unit)
		}
	}
	return list
}

// whole is a change in which half-turn clocks are cut with their partners.
func (r *Reader) whole(c Change) Change {
	var cut []int
	for _, u := range c.Cut {
		cut = append(cut, r.group(u)...)
	}
	return Change{Cut: cut, Turns: c.Turns}
}

// Read reads a prompt of the set's task, <SOS> first. Where a half-turn clock's unit is cut, so is its partner.
func (r *Reader) Read(prompt []int32, c Change) (*Dials, error) {
	moments, err := Follow(r.set.Task, prompt)
	if err != nil {
		return nil, err
	}
	d := &Dials{
		Modulus: r.set.Modulus, Quantity: Quantity(r.set.Task), Dials: []Dial{}, Best: r.Measured.Best(),
		Chance: r.Measured.Chance(), Samples: len(r.set.plain), Moments: moments,
		Lit: slices.Repeat([][]int{{}}, len(prompt)), Steers: make([][]int, len(prompt)),
		Answers: []string{}, Rest: []float64{}, Sum: []float64{}, Probabilities: []float64{},
	}
	if r.note != nil {
		d.Note = r.note.Error()
		return d, nil
	}
	c = r.whole(c)
	course, err := r.walker.Read(prompt, c)
	if err != nil {
		return nil, err
	}
	d.Dials = r.dials(moments, course, c)
	if err := r.votes(d, prompt, course, c); err != nil {
		return nil, err
	}
	return d, r.light(d, prompt, course, c)
}

// dials are the clocks and half-turn clocks while a text is read, without their votes.
func (r *Reader) dials(moments []Moment, course *Course, c Change) []Dial {
	list := []Dial{}
	for i, clock := range r.Clocks {
		cut := slices.Contains(c.Cut, clock.Unit)
		x := Dial{Unit: clock.Unit, K: clock.K, R: clock.R, Cut: cut, Votes: []float64{}}
		for t, m := range moments {
			f := r.kinds[i][m.Kind]
			angle := math.Remainder(cmplx.Phase(course.States[t][clock.Unit])-f.Offset, 2*math.Pi)
			x.Angles, x.Sure, x.Counts = append(x.Angles, angle), append(x.Sure, f.R), append(x.Counts, f.Samples)
		}
		list = append(list, x)
	}
	for i := range r.Lines {
		list = append(list, r.line(i, moments, course, c))
	}
	return list
}

// line is the dial of a half-turn clock.
func (r *Reader) line(i int, moments []Moment, course *Course, c Change) Dial {
	h := &r.Lines[i]
	l := &Line{Partner: -1, Step: h.Step, Own: []float64{}, Flag: []float64{}}
	if h.Partner != nil {
		l.Partner = h.Partner.Unit
	}
	x := Dial{Unit: h.Unit, K: h.K, R: h.R, Cut: slices.Contains(c.Cut, h.Unit), Votes: []float64{}, Line: l}
	for t, m := range moments {
		f := r.lines[i][m.Kind]
		if !begun(moments[:t+1]) {
			f = Following{}
		}
		angle := math.Remainder(2*cmplx.Phase(course.States[t][h.Unit])-h.Offset, 2*math.Pi)
		x.Angles, x.Sure, x.Counts = append(x.Angles, angle), append(x.Sure, f.R), append(x.Counts, f.Samples)
		h.line(l, course.States[t], angle, r.set.Modulus)
	}
	return x
}

// voters is how many clocks, those of the greatest R, votes are told apart for: each doubles the work.
const voters = 6

// votes splits the answers' logits into what each clock adds and the rest. A clock's vote is what the logits lose when
// it is cut, averaged over all orders in which the clocks can be cut one after another (Shapley's value): so the votes
// and what is left with all of them cut add up to the whole.
func (r *Reader) votes(d *Dials, prompt []int32, course *Course, c Change) error {
	if !r.answersFirst() {
		return nil
	}
	d.Answers = Answers(r.set.Task)
	d.Sum = centred(course.Logits[:len(d.Answers)])
	d.Probabilities = oracle.Softmax(course.Logits)[:len(d.Answers)]
	var players []*Dial
	for i := range d.Dials {
		x := &d.Dials[i]
		x.Votes = make([]float64, len(d.Answers))
		if !x.Cut && len(players) < voters {
			players = append(players, x)
		}
	}
	sums := make([][]float64, 1<<len(players)) // by the set of players that are read
	sums[len(sums)-1] = d.Sum
	for set := range len(sums) - 1 {
		other := Change{Cut: slices.Clone(c.Cut), Turns: c.Turns}
		for i, x := range players {
			if set>>i&1 == 0 {
				other.Cut = append(other.Cut, r.group(x.Unit)...)
			}
		}
		course, err := r.walker.Read(prompt, other)
		if err != nil {
			return err
		}
		sums[set] = centred(course.Logits[:len(d.Answers)])
	}
	d.Rest = sums[0]
	for i, x := range players {
		for set := range sums {
			if set>>i&1 == 1 {
				continue
			}
			share := 1 / float64(len(players)) // that of the orders in which exactly the set comes before the player
			for j := range bits.OnesCount(uint(set)) {
				share *= float64(j+1) / float64(len(players)-1-j)
			}
			for a := range x.Votes {
				x.Votes[a] += share * (sums[set|1<<i][a] - sums[set][a])
			}
		}
	}
	return nil
}

// answersFirst reports whether the first that is written is the answer: a label, or what stands first in the targets.
func (r *Reader) answersFirst() bool { return r.set.all[0].AnswerAt <= 0 }

// centred is a list less its mean.
func centred(x []float64) []float64 {
	mean, y := 0.0, make([]float64, len(x))
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i, v := range x {
		y[i] = v - mean
	}
	return y
}

// light finds the units that know of a minus before a bracket, by reading the text with plus signs in its place, and
// those of them that steer.
func (r *Reader) light(d *Dials, prompt []int32, course *Course, c Change) error {
	other, turned := slices.Clone(prompt), make([]bool, len(prompt))
	if !r.plus(d.Moments, other) {
		return nil
	}
	moments, err := Follow(r.set.Task, other)
	if err != nil {
		return err
	}
	with, err := r.walker.Read(other, c)
	if err != nil {
		return err
	}
	for t := range prompt {
		if moments[t].Sign == d.Moments[t].Sign && moments[t].Kind.Sign == d.Moments[t].Kind.Sign {
			continue // the sign that rules here is the same
		}
		turned[t] = true
		for u := range r.walker.units {
			clock := slices.ContainsFunc(d.Dials, func(x Dial) bool {
				return x.Unit == u || x.Line != nil && x.Line.Partner == u
			})
			turn := cmplx.Phase(course.States[t][u]) - cmplx.Phase(with.States[t][u])
			if !clock && math.Abs(math.Remainder(turn, 2*math.Pi)) >= LitFrom {
				d.Lit[t] = append(d.Lit[t], u)
			}
		}
	}
	r.steer(d, turned, prompt, course.States, c)
	return nil
}

// plus puts a plus in the place of every minus that stands before a bracket, and reports whether there was any.
func (r *Reader) plus(moments []Moment, prompt []int32) (any bool) {
	v := r.set.Task.Vocabulary()
	plus, _ := v.Tokenise("+") // sums have it
	minus := -1
	for t, id := range prompt {
		switch token := v.Token(id); {
		case token == "-":
			minus = t
		case token == "(" && minus >= 0 && len(plus) == 1 && moments[minus].Kind.After == "-":
			prompt[minus], minus, any = plus[0], -1, true
		case token != " ":
			minus = -1
		}
	}
	return any
}

// Sums are the states after the second operand of all sums of two digits, as the place "operand" reads them: the value
// of each, and the phase of every unit.
type Sums struct {
	Texts  []string    `json:"texts"`  // [m²]
	Values []int       `json:"values"` // [m²]
	Phases [][]float64 `json:"phases"` // [N][m²] radians
}

// AllSums reads every sum of two digits from 0 to 8. parse makes the prompt of a text.
func (r *Reader) AllSums(parse func(text string) ([]int32, error), c Change) (*Sums, error) {
	s := &Sums{}
	err := r.pairs(parse, func(text string, prompt []int32, moments []Moment, _, second int) error {
		course, err := r.walker.states(prompt, r.whole(c))
		if err != nil {
			return err
		}
		if s.Phases == nil {
			s.Phases = make([][]float64, r.walker.units)
		}
		s.Texts, s.Values = append(s.Texts, text), append(s.Values, moments[second].Value)
		for u, z := range course.States[second] {
			s.Phases[u] = append(s.Phases[u], cmplx.Phase(z))
		}
		return nil
	})
	return s, err
}

// Table is what a network answers to every sum a + b of two digits, at index m·a + b, and where its clocks point.
type Table struct {
	Answers []string  `json:"answers"` // [m²] the most probable
	Sure    []float64 `json:"sure"`    // [m²] its probability
	Hands   []Swept   `json:"hands"`   // clocks, then half-turn clocks, the greatest R first
}

// Swept is where a clock's hand points in every sum a + b of two digits, in radians, −π to π, as a Dial's angles.
type Swept struct {
	Unit   int       `json:"unit"`
	K      int       `json:"k"`
	R      float64   `json:"r"`
	First  []float64 `json:"first"`  // [m²] after a
	Second []float64 `json:"second"` // [m²] after b
}

// Table reads every sum of two digits from 0 to 8 and its answer. parse makes the prompt of a text.
func (r *Reader) Table(parse func(text string) ([]int32, error)) (*Table, error) {
	if !r.answersFirst() {
		return nil, strict.Unfit("format", "copy",
			", which writes the sum again before its answer; open one that answers first")
	}
	x, answers := &Table{Hands: []Swept{}}, Answers(r.set.Task)
	err := r.pairs(parse, func(_ string, prompt []int32, moments []Moment, first, second int) error {
		course, err := r.walker.Read(prompt, Change{})
		if err != nil {
			return err
		}
		chances := oracle.Softmax(course.Logits)[:len(answers)]
		sure := slices.Max(chances)
		x.Answers, x.Sure = append(x.Answers, answers[slices.Index(chances, sure)]), append(x.Sure, sure)
		for i, d := range r.dials(moments, course, Change{}) {
			if i == len(x.Hands) {
				x.Hands = append(x.Hands, Swept{Unit: d.Unit, K: d.K, R: d.R})
			}
			h := &x.Hands[i]
			h.First, h.Second = append(h.First, d.Angles[first]), append(h.Second, d.Angles[second])
		}
		return nil
	})
	return x, err
}

// pairs calls each for every sum of two digits from 0 to 8, with the tokens behind its digits, where the place
// "operand" looks.
func (r *Reader) pairs(
	parse func(text string) ([]int32, error),
	each func(text string, prompt []int32, moments []Moment, first, second int) error,
) error {
	if r.set.Task.Name() != "arithmetic" {
		return strict.Unfit("task", r.set.Task.Name(), ", which has no sums of two digits; open a model of arithmetic")
	}
	if r.note != nil {
		return r.note
	}
	for a := range tasks.Modulus {
		for b := range tasks.Modulus {
			text := fmt.Sprintf("%d + %d", a, b)
			prompt, err := parse(text)
			if err != nil {
				return err
			}
			moments, err := Follow(r.set.Task, prompt)
			if err != nil {
				return err
			}
			operand := func(m Moment) bool { return m.Operand }
			first := slices.IndexFunc(moments, operand)
			second := first + 1 + slices.IndexFunc(moments[first+1:], operand)
			if err := each(text, prompt, moments, first, second); err != nil {
				return err
			}
		}
	}
	return nil
}
