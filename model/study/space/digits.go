// Package space measures how a trained network lays out what it learned (FIGURES.md): the embeddings of the digits,
// the angles by which they turn, and the principal components of its last states.
package space

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mhacsp/model/param"
	"mhacsp/model/sequence"
	"mhacsp/model/study/inside"
	"mhacsp/tasks"
	"mhacsp/tasks/token"
)

// Digits are the characters of a task that are digits, as a network knows them.
type Digits struct {
	Names   []string
	Values  []int // modulo Modulus
	Modulus int
	Rows    [][]float64 // [digits][N]: the embeddings
	Angles  [][]float64 // [digits][N]: θ of the first block (SPEC §2), by the token alone; nil where there is no θ
	// Phases [digits][N] are those of the last block's states after a text of the digit alone, and in an expression
	// the space behind it: what the digit does to the state. nil where units have no phase.
	Phases [][]float64
}

// Network is what DigitsOf needs of a network.
type Network interface {
	Config() sequence.Config
	Params() *param.Set
	States(*sequence.Batch) ([]sequence.Tensor, error)
}

// DigitsOf reads the digits of a task. A task whose characters are no digits, or fewer than inside.Fewest, is an
// error, and so are numbers that are not finite.
func DigitsOf(n Network, t tasks.Task) (*Digits, error) {
	d := &Digits{Modulus: cmp.Or(t.Classes(), tasks.Modulus)}
	var ids []int32
	for _, c := range t.Characters() {
		if c < '0' || c > '9' {
			return nil, fmt.Errorf("task %s has no digits", t.Name())
		}
		id, err := t.Vocabulary().Tokenise(string(c))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id[0])
		d.Names, d.Values = append(d.Names, string(c)), append(d.Values, int(c-'0')%d.Modulus)
	}
	if len(ids) < inside.Fewest {
		return nil, fmt.Errorf("task %s has %d digits, and so few lie on a circle by chance", t.Name(), len(ids))
	}
	set := n.Params()
	flat, err := set.Download(set.Values())
	if err != nil {
		return nil, err
	}
	table, width := set.Find(flat, "embedding.weight")
	weight, _ := set.Find(flat, "blocks.0.theta.weight")
	bias, _ := set.Find(flat, "blocks.0.theta.bias")
	if table == nil {
		return nil, errors.New("the model has no embedding.weight")
	}
	for _, id := range ids {
		row := make([]float64, width)
		for i, x := range table[int(id)*width:][:width] {
			row[i] = float64(x)
		}
		d.Rows = append(d.Rows, row)
		if weight == nil || len(weight) != width*width || len(bias) != width {
			continue
		}
		angles := make([]float64, width)
		for i := range angles {
			sum := float64(bias[i])
			for j, x := range row {
				sum += float64(weight[i*width+j]) * x
			}
			angles[i] = math.Pi * math.Tanh(sum)
		}
		d.Angles = append(d.Angles, angles)
	}
	if err := d.read(n, t, ids); err != nil {
		return nil, err
	}
	if !finite(d.Rows) || !finite(d.Angles) || !finite(d.Phases) {
		return nil, errors.New("the digits' embeddings or angles are not finite")
	}
	return d, nil
}

// read finds the Phases.
func (d *Digits) read(n Network, t tasks.Task, ids []int32) error {
	if n.Config().Traits().Units == 0 {
		return nil
	}
	var behind []int32
	if t.Classes() == 0 {
		var err error
		if behind, err = t.Vocabulary().Tokenise(" "); err != nil {
			return err
		}
	}
	b := &sequence.Batch{}
	for _, id := range ids {
		b.Prompts = append(b.Prompts, append([]int32{token.SOS, id}, behind...))
	}
	states, err := tensor(n, b, "state")
	if err != nil {
		return err
	}
	last := len(b.Prompts[0]) - 1
	for i := range ids {
		row := states[i][last]
		phases := make([]float64, len(row)/2)
		for j := range phases {
			phases[j] = math.Atan2(row[len(phases)+j], row[j])
		}
		d.Phases = append(d.Phases, phases)
	}
	return nil
}

// frequencies are the k from 1 to half of the modulus at which every value has a place of its own on the circle.
func (d *Digits) frequencies() (list []int) {
	for k := 1; k <= d.Modulus/2; k++ {
		a, b := d.Modulus, k
		for b > 0 {
			a, b = b, a%b
		}
		if a == 1 {
			list = append(list, k)
		}
	}
	return list
}

// deals is how often the values are dealt out again to find the level of chance.
const deals = 200

// judged is what of finds of the values, with the score that one of twenty deals of them exceeds.
func (d *Digits) judged(of func(values []int) inside.Circularity) inside.Circularity {
	best := of(d.Values)
	random := rand.New(rand.NewPCG(1, uint64(len(d.Values))))
	values, all := slices.Clone(d.Values), make([]float64, deals)
	for i := range all {
		random.Shuffle(len(values), func(a, b int) { values[a], values[b] = values[b], values[a] })
		all[i] = of(values).Score
	}
	slices.Sort(all)
	best.Chance = all[deals*19/20]
	return best
}

// Turn is the circularity of Angles, or of Phases: R of the unit that follows the values best (FIGURES.md).
func (d *Digits) Turn(angles [][]float64) inside.Circularity {
	return d.judged(func(values []int) inside.Circularity { return d.turn(angles, values) })
}

func (d *Digits) turn(angles [][]float64, values []int) (best inside.Circularity) {
	phasors := make([]complex128, d.Modulus)
	for _, k := range d.frequencies() {
		for v := range phasors {
			phasors[v] = cmplx.Rect(1, 2*math.Pi*float64(k*v)/float64(d.Modulus))
		}
		for unit := range angles[0] {
			var with, against complex128
			for i, row := range angles {
				z := cmplx.Rect(1, row[unit])
				with, against = with+z*cmplx.Conj(phasors[values[i]]), against+z*phasors[values[i]]
			}
			for _, x := range []struct {
				sum complex128
				k   int
			}{{with, k}, {against, -k}} {
				if r := cmplx.Abs(x.sum) / float64(len(values)); r > best.Score {
					best = inside.Circularity{Score: r, K: x.k, Unit: unit, Offset: cmplx.Phase(x.sum)}
				}
			}
		}
	}
	return best
}

// Ring is the circularity of the embeddings: the greatest share of their variance that lies on one circle, or ellipse,
// k times round (FIGURES.md).
func (d *Digits) Ring() inside.Circularity {
	centred := centre(d.Rows)
	return d.judged(func(values []int) inside.Circularity { return d.ring(centred, values) })
}

func (d *Digits) ring(centred [][]float64, values []int) (best inside.Circularity) {
	total := 0.0
	for _, row := range centred {
		total += floats.Dot(row, row)
	}
	if total == 0 {
		return best
	}
	for _, k := range d.frequencies() {
		share := 0.0
		for _, w := range waves(values, k, d.Modulus) {
			along := make([]float64, len(centred[0]))
			for i, row := range centred {
				floats.AddScaled(along, w[i], row)
			}
			share += floats.Dot(along, along) / total
		}
		if share > best.Score {
			best = inside.Circularity{Score: share, K: k}
		}
	}
	return best
}

// waves are an orthonormal basis of the centred cosine and sine of 2πk·v/m over the values.
func waves(values []int, k, m int) [][]float64 {
	var basis [][]float64
	for _, f := range []func(float64) float64{math.Cos, math.Sin} {
		w := make([]float64, len(values))
		for i, v := range values {
			w[i] = f(2 * math.Pi * float64(k*v) / float64(m))
		}
		floats.AddConst(-floats.Sum(w)/float64(len(w)), w)
		for _, b := range basis {
			floats.AddScaled(w, -floats.Dot(w, b), b)
		}
		if length := floats.Norm(w, 2); length > 1e-9 { // half of an even modulus has no sine
			floats.Scale(1/length, w)
			basis = append(basis, w)
		}
	}
	return basis
}

// Same compares the distance of digits that are the same modulo m (9 and 0) with the mean distance of all pairs: 0
// where they have one embedding, about 1 where the network does not know it. ok is false where no two are the same.
func (d *Digits) Same() (ratio float64, ok bool) {
	var same, all, pairs, twins float64
	for i := range d.Rows {
		for j := range i {
			x := floats.Distance(d.Rows[i], d.Rows[j], 2)
			all, pairs = all+x, pairs+1
			if d.Values[i] == d.Values[j] {
				same, twins = same+x, twins+1
			}
		}
	}
	if twins == 0 || all == 0 {
		return 0, false
	}
	return (same / twins) / (all / pairs), true
}
