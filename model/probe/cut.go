package probe

import (
	"maps"
	"math"
	"math/cmplx"
	"slices"

	"mhacsp/tasks/strict"
)

// Cutter takes units of a network out of what the others read (CLOCKS.md). It writes the network's parameters: give it
// a network that nobody else uses. Restore puts back what was there.
type Cutter struct {
	net      Network
	original []float32
	flat     []float32
	units    int // N_c: those with a phase

	still   []float32   // the row of W_B that makes a unit stand still; nil where none does
	noStill error       // why not
	states  []complex64 // [N_c] mean phasor of the state over all tokens
	answers []complex64 // [N_c] mean phasor of what the head reads at the answer
	heads   [][]float32 // [samples][2N] what the head reads at the answer
}

// off is the parameter of a metric's diagonal whose softplus is as good as 0.
const off = -60

// held is the bias of a forgetting that keeps nothing.
const held = 60

// NewCutter reads a network's parameters and the mean phasors of its units over the set's samples of any form. A cut
// is defined for networks of one block.
func NewCutter(n Network, s *Set) (*Cutter, error) {
	if err := Refuse(n.Config()); err != nil {
		return nil, err
	}
	if l := n.Config().Traits().Blocks; l != 1 {
		return nil, strict.Unfit("layers", l, "; a cut is defined for networks of one block")
	}
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return nil, err
	}
	c := &Cutter{net: n, original: flat, flat: slices.Clone(flat), units: n.Config().Traits().Units}
	if err := c.means(s); err != nil {
		return nil, err
	}
	c.still, c.noStill = c.stillRow(s)
	return c, nil
}

// tensor is a parameter by its name, as rows of columns; nil where the network has none of that name.
func (c *Cutter) tensor(name string) (data []float32, columns int) {
	return c.net.Params().Find(c.flat, name)
}

// stateReaders are what reads the state; the head reads the output.
var stateReaders = []string{"blocks.0.delta_h.weight", "blocks.0.theta_h.weight"}

// Cut is the network in which nobody reads the units: their columns in W_δh, W_θh and W_out and their rows in the
// metric are zero. What was cut or frozen before is whole again.
func (c *Cutter) Cut(units ...int) error { return c.change(units, func(u int) { c.read(u, 0, 0) }) }

// Freeze is the network in which every reader finds the units at their mean phasor: of the state for W_δh and W_θh,
// of the output for W_out; in the metric, which knows differences alone, they are as if cut. What was cut or frozen
// before is whole again. An error says why the network's units cannot stand still.
func (c *Cutter) Freeze(units ...int) error {
	if c.noStill != nil {
		return c.noStill
	}
	return c.change(units, func(u int) {
		c.stop(u)
		c.read(u, c.states[u], c.answers[u])
	})
}

// Restore is the network as it was.
func (c *Cutter) Restore() {
	copy(c.flat, c.original)
	c.upload()
}

// change makes the network the original but for what is done to units.
func (c *Cutter) change(units []int, do func(unit int)) error {
	for _, u := range units {
		if err := strict.Within("unit", u, 0, c.units-1); err != nil {
			return err
		}
	}
	copy(c.flat, c.original)
	for _, u := range units {
		do(u)
	}
	c.upload()
	return nil
}

func (c *Cutter) upload() { c.net.Params().Upload(c.flat) }

// read makes all readers of a unit see a constant in place of it, given that the unit itself stands at 1, or that
// the constant is 0.
func (c *Cutter) read(unit int, state, output complex64) {
	for _, name := range stateReaders {
		c.column(name, unit, state)
	}
	c.column("head.weight", unit, output)
	factor, d := c.tensor("blocks.0.metric.factor")
	if factor == nil {
		return
	}
	head, row := unit/d, unit%d
	at := factor[(head*d+row)*d:][:d]
	clear(at)
	at[row] = off
}

// column turns and shortens a unit's two columns by a phasor.
func (c *Cutter) column(name string, unit int, by complex64) {
	w, columns := c.tensor(name)
	for at := 0; at < len(w); at += columns {
		re, im := &w[at+unit], &w[at+columns/2+unit]
		*re, *im = *re*real(by)+*im*imag(by), 0
	}
}

// stop lets a unit stand at 1 from the first token on: it forgets all (α = 0), its gate is open (γ = 1), and its
// input is 1 whatever the token (see stillRow). What the other units take from it, its angle θ, stays.
func (c *Cutter) stop(unit int) {
	row := func(name string) []float32 {
		w, columns := c.tensor(name)
		return w[unit*columns:][:columns]
	}
	copy(row("blocks.0.input.weight"), c.still)
	for _, name := range []string{"blocks.0.gamma.weight", "blocks.0.delta_h.weight", "blocks.0.delta_u.weight"} {
		clear(row(name))
	}
	c.bias("blocks.0.gamma.bias", unit, math.Pi/2)
	c.bias("blocks.0.delta.bias", unit, held)
}

func (c *Cutter) bias(name string, unit int, to float32) {
	b, _ := c.tensor(name)
	b[unit] = to
}

// means measures the mean phasors.
func (c *Cutter) means(s *Set) error {
	c.states, c.answers = make([]complex64, c.units), make([]complex64, c.units)
	sums, count := make([]complex128, c.units), 0
	err := states(c.net, s.all, "state", func(sample int, rows [][]float32) {
		for _, row := range rows[:len(s.all[sample].Prompt)] {
			count++
			addPhasors(sums, row)
		}
	})
	if err != nil {
		return err
	}
	mean(c.states, sums, count)
	if c.heads, err = c.reads(s.all); err != nil {
		return err
	}
	clear(sums)
	for _, row := range c.heads {
		addPhasors(sums, row)
	}
	mean(c.answers, sums, len(c.heads))
	return nil
}

func addPhasors(sums []complex128, row []float32) {
	half := len(row) / 2
	for u := range sums {
		sums[u] += complex(float64(row[u]), float64(row[half+u]))
	}
}

func mean(to []complex64, sums []complex128, count int) {
	for u, z := range sums {
		to[u] = complex64(z / complex(float64(count), 0))
	}
}

// reads is what the head reads where the answer is written, [samples][2·N_c]. Where the answer is written by the
// decoder no dump has it; then the head itself tells: with rows of 0 and a 1 for its weights its logits are what it
// reads.
func (c *Cutter) reads(list []reading) ([][]float32, error) {
	shape := c.net.Config().Shape()
	out := make([][]float32, len(list))
	if shape.Classes > 0 || shape.Prefix {
		err := states(c.net, list, "output", func(sample int, rows [][]float32) {
			out[sample] = slices.Clone(rows[len(list[sample].Prompt)-1+max(list[sample].AnswerAt, 0)])
		})
		return out, err
	}
	defer c.Restore()
	for i := range out {
		out[i] = make([]float32, 2*c.units)
	}
	for first := 0; first < 2*c.units; first += shape.Outputs() {
		copy(c.flat, c.original)
		w, columns := c.tensor("head.weight")
		b, _ := c.tensor("head.bias")
		clear(w)
		clear(b)
		count := min(shape.Outputs(), 2*c.units-first)
		for r := range count {
			plane, unit := (first+r)/c.units, (first+r)%c.units
			w[r*columns+plane*columns/2+unit] = 1
		}
		c.upload()
		err := eachLogits(c.net, list, func(sample int, logits []float32) {
			copy(out[sample][first:], logits[:count])
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachLogits gives each sample's logits at its answer.
func eachLogits(n Network, list []reading, each func(sample int, logits []float32)) error {
	const size = 128
	outputs := n.Config().Shape().Outputs()
	for from := 0; from < len(list); from += size {
		part := list[from:min(from+size, len(list))]
		logits, err := n.Logits(batch(part))
		if err != nil {
			return err
		}
		for i := range part {
			logits = logits[max(part[i].AnswerAt, 0)*outputs:]
			each(from+i, logits[:outputs])
			logits = logits[outputs:]
		}
	}
	return nil
}

// stillRow is a row w of W_B with Σ w_n u_n e^{iθ_n} = 1 for the u and θ of every token that is read before the
// answer: the least of all such rows. An error says that there is none.
func (c *Cutter) stillRow(s *Set) ([]float32, error) {
	tokens := map[int32]bool{}
	for _, r := range s.all {
		for _, id := range slices.Concat(r.Prompt, r.Target[:max(r.AnswerAt, 0)]) {
			tokens[id] = true
		}
	}
	embedding, n := c.tensor("embedding.weight")
	theta, _ := c.tensor("blocks.0.theta.weight")
	bias, _ := c.tensor("blocks.0.theta.bias")
	var rows [][]float64 // of the equations: real and imaginary part for each token
	var right []float64
	for _, id := range slices.Sorted(maps.Keys(tokens)) {
		u := embedding[int(id)*n:][:n]
		re, im := make([]float64, n), make([]float64, n)
		for i := range n {
			z := complex(float64(u[i]), 0) * cmplx.Rect(1, math.Pi*math.Tanh(dot(theta[i*n:][:n], u)+float64(bias[i])))
			re[i], im[i] = real(z), imag(z)
		}
		rows, right = append(rows, re, im), append(right, 1, 0)
	}
	w := leastNorm(rows, right)
	row := make([]float32, n)
	for i := range w {
		row[i] = float32(w[i])
	}
	for i, r := range rows {
		if !(math.Abs(dot(row, r)-right[i]) < 1e-3) {
			return nil, strict.Unfit("width", n,
				", too few units to hold one still over %d tokens; a freeze needs more", len(rows)/2)
		}
	}
	return row, nil
}

func dot[A, B float32 | float64](a []A, b []B) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// leastNorm is the shortest x with rows·x = right: rowsᵀ (rows·rowsᵀ)⁻¹ right, by elimination with pivots. Where the
// rows depend on each other x is no solution.
func leastNorm(rows [][]float64, right []float64) []float64 {
	m := len(rows)
	a := make([][]float64, m) // [m][m+1]
	for i := range a {
		a[i] = make([]float64, m+1)
		for j := range m {
			a[i][j] = dot(rows[i], rows[j])
		}
		a[i][m] = right[i]
	}
	for i := range a {
		best := i
		for j := i; j < m; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[best][i]) {
				best = j
			}
		}
		a[i], a[best] = a[best], a[i]
		for j := range a {
			if j == i || a[i][i] == 0 {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := i; k <= m; k++ {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	x := make([]float64, len(rows[0]))
	for i := range a {
		if a[i][i] == 0 {
			continue
		}
		for k := range x {
			x[k] += a[i][m] / a[i][i] * rows[i][k]
		}
	}
	return x
}
