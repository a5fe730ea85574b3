package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"mhacsp/tasks"
)

// Walker reads single texts token by token in float64 (SPEC §§1 to 7), so that units can be cut and turned by hand on
// the way. It keeps a copy of the parameters that a network had: what happens to the network later does not change it.
// It is for networks of one block without an ablation.
type Walker struct {
	units, turning, heads        int
	steered, product, prefix     bool
	fusion                       string
	classes                      int
	embedding                    [][]float64
	deltaH, thetaH, factor, mesh [][]float64
	thetaHB, rho                 []float64
	head                         [][]float64
	headB                        []float64
	drives                       []drive // [V]

	period int         // of a memory of positions
	phase  []float64   // [N_m] ψ; none without a memory
	gate   [][]float64 // [V][N_m] ζ
}

// drive is what a step takes from its token alone.
type drive struct {
	theta, delta []float64    // [N] before the tanh; [N_c] W_δu u + b_δ
	written      []complex128 // [N] γ ⊙ r, those of a memory of positions last
}

// Change is what is done to a network while it reads.
type Change struct {
	Cut   []int  `json:"cut,omitempty"`   // units that nobody reads, from the first token on
	Turns []Turn `json:"turns,omitempty"` // in any order
}

// Turn is a unit turned by hand: after a token its phase is greater by an angle, and the network reads on from there.
type Turn struct {
	Unit  int     `json:"unit"`
	After int     `json:"after"` // index of the token; 0 is <SOS>
	Angle float64 `json:"angle"` // radians
}

// Course is what a network did while it read a text of T tokens.
type Course struct {
	States [][]complex128 // [T][N] after each token, turns by hand included
	Head   []complex128   // [N] what the head reads where the first token of the answer is written
	Logits []float64      // [C] there
}

// walkable says why a network cannot be walked through.
func walkable(n Network, ablation string) error {
	if err := Refuse(n.Config()); err != nil {
		return err
	}
	switch t := n.Config().Traits(); {
	case t.Blocks != 1:
		return fmt.Errorf("layers is %d; a text is read step by step in networks of one block", t.Blocks)
	case ablation != "none" && ablation != "":
		return fmt.Errorf("ablation is %q; a text is read step by step in the whole model alone", ablation)
	}
	return nil
}

// NewWalker copies a network's parameters.
func NewWalker(n Network) (*Walker, error) {
	text, err := json.Marshal(n.Config())
	if err != nil {
		return nil, err
	}
	var keys struct{ Theta, Fusion, Ablation string }
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, err
	}
	if err := walkable(n, keys.Ablation); err != nil {
		return nil, err
	}
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return nil, err
	}
	t, shape := n.Config().Traits(), n.Config().Shape()
	w := &Walker{
		units: t.Units, turning: t.Turning, heads: t.Heads, steered: keys.Theta != "token",
		product: keys.Theta == "product", prefix: shape.Prefix, fusion: keys.Fusion, classes: shape.Classes,
	}
	rows := func(name string) [][]float64 {
		data, columns := tensor(n.Params(), flat, name)
		var list [][]float64
		for at := 0; at < len(data); at += columns {
			row := make([]float64, columns)
			for i, x := range data[at : at+columns] {
				row[i] = float64(x)
			}
			list = append(list, row)
		}
		return list
	}
	vector := func(name string) []float64 { return slices.Concat(rows(name)...) }
	cell := func(name string) string { return "blocks.0." + name }
	w.embedding, w.deltaH = rows("embedding.weight"), rows(cell("delta_h.weight"))
	w.thetaH, w.thetaHB = rows(cell("theta_h.weight")), vector(cell("theta_h.bias"))
	w.factor, w.mesh, w.rho = rows(cell("metric.factor")), rows(cell("fusion.weight")), vector(cell("metric.rho"))
	w.head, w.headB = rows("head.weight"), vector("head.bias")
	w.period, w.phase, w.gate = t.Reach, vector(cell("memory.phase")), rows(cell("memory.gate"))

	theta, thetaB := rows(cell("theta.weight")), vector(cell("theta.bias"))
	gamma, gammaB := rows(cell("gamma.weight")), vector(cell("gamma.bias"))
	input, deltaU, deltaB := rows(cell("input.weight")), rows(cell("delta_u.weight")), vector(cell("delta.bias"))
	for _, u := range w.embedding {
		d := drive{make([]float64, len(u)), make([]float64, w.units), make([]complex128, len(u))}
		turned := make([]complex128, len(u))
		for i := range u {
			d.theta[i] = dot(theta[i], u) + thetaB[i]
			turned[i] = complex(u[i], 0) * cmplx.Rect(1, math.Pi*math.Tanh(d.theta[i]))
		}
		for i := range d.delta {
			d.delta[i] = dot(deltaU[i], u) + deltaB[i]
		}
		for i := range u {
			var r complex128
			for j, z := range turned {
				r += complex(input[i][j], 0) * z
			}
			d.written[i] = complex((1+math.Sin(dot(gamma[i], u)+gammaB[i]))/2, 0) * r
		}
		w.drives = append(w.drives, d)
	}
	return w, nil
}

// read is [Re z ; Im z] as its readers see it, what is cut as 0.
func read(z []complex128, cut []int) []float64 {
	x := make([]float64, 2*len(z))
	for i, z := range z {
		x[i], x[len(x)/2+i] = real(z), imag(z)
	}
	for _, u := range cut {
		x[u], x[len(z)+u] = 0, 0
	}
	return x
}

// step is one step of the recurrence (SPEC §2).
func (w *Walker) step(token int32, h []complex128, cut []int) []complex128 {
	d, past, next := &w.drives[token], read(h, cut), make([]complex128, w.units)
	for i := range next {
		p := h[i]
		if i < w.turning {
			angle := d.theta[i]
			switch {
			case w.product:
				angle = math.Pi * math.Tanh(angle) * math.Tanh(dot(w.thetaH[i], past)+w.thetaHB[i])
			case w.steered:
				angle = math.Pi * math.Tanh(angle+dot(w.thetaH[i], past))
			default:
				angle = math.Pi * math.Tanh(angle)
			}
			p *= cmplx.Rect(1, angle)
		}
		keep := 1 / (1 + math.Exp(dot(w.deltaH[i], past)+d.delta[i]))
		next[i] = complex(keep, 0)*p + d.written[i]
	}
	return onCircle(next)
}

// onCircle is z/sqrt(|z|² + ε).
func onCircle(z []complex128) []complex128 {
	y := make([]complex128, len(z))
	for i, z := range z {
		re, im := real(z), imag(z)
		y[i] = z / complex(math.Sqrt(re*re+im*im+1e-8), 0)
	}
	return y
}

// output is the block's output at the last of the states (SPEC §§3 to 6).
func (w *Walker) output(states [][]complex128, cut []int) []complex128 {
	last := len(states) - 1
	if w.heads == 0 {
		return onCircle(states[last])
	}
	size := w.units / w.heads
	spans := make([][]float64, w.heads) // D̃ of the last row
	back := make([]float64, w.heads)    // c
	for k := range w.heads {
		q := make([][]complex128, len(states))
		for t, h := range states {
			q[t] = w.metric(k, size, h, cut)
		}
		tree, rho := 0.0, softplus(w.rho[k])
		spans[k] = make([]float64, len(states))
		for j := last; j >= 0; j-- {
			if j < last {
				tree = logAddExp(tree, distance(q[j], q[j+1]))
			}
			spans[k][j] = distance(q[last], q[j]) + rho*tree
		}
		back[k] = tree
	}
	mesh := w.meshes(back)
	out := make([]complex128, w.units)
	for k := range w.heads {
		scores := make([]float64, len(states))
		for j := range scores {
			for l, a := range mesh[k] {
				scores[j] -= a * spans[l][j]
			}
		}
		for j, p := range softmax(scores) {
			for i := k * size; i < (k+1)*size; i++ {
				out[i] += complex(p, 0) * states[j][i]
			}
		}
	}
	return onCircle(out)
}

// metric is Λᵀh of a head, what is cut read as 0.
func (w *Walker) metric(head, size int, h []complex128, cut []int) []complex128 {
	q := make([]complex128, size)
	for row := range size {
		unit := head*size + row
		if slices.Contains(cut, unit) {
			continue
		}
		factor := w.factor[unit]
		for column := range row {
			q[column] += complex(factor[column], 0) * h[unit]
		}
		q[row] += complex(softplus(factor[row]), 0) * h[unit]
	}
	return q
}

// meshes is what each head takes of each (SPEC §5).
func (w *Walker) meshes(back []float64) [][]float64 {
	mesh, mean := make([][]float64, w.heads), make([]float64, w.heads)
	for k := range mesh {
		mesh[k] = make([]float64, w.heads)
		for l := range mesh[k] {
			if w.fusion != "mean" {
				mesh[k][l] = back[k] * w.mesh[k][l] * back[l]
			}
		}
		mesh[k] = softmax(mesh[k])
		for l, a := range mesh[k] {
			mean[l] += a / float64(w.heads)
		}
	}
	if w.fusion == "pooled" {
		for k := range mesh {
			mesh[k] = mean
		}
	}
	return mesh
}

// recall is what the head reads of a memory of positions where the first token of the answer is written (SPEC §2).
func (w *Walker) recall(prompt []int32) []complex128 {
	m := make([]complex128, len(w.phase))
	for j := range m {
		rate := 2 * math.Pi * float64(j) / float64(w.period)
		step := func(token int32) { m[j] = m[j]*cmplx.Rect(1, -rate) + w.drives[token].written[w.units+j] }
		for _, id := range prompt {
			step(id)
		}
		m[j] *= cmplx.Rect(1, w.phase[j]+rate*float64(len(prompt)))
		step(tasks.SOS)
		m[j] *= complex(w.gate[tasks.SOS][j], 0)
	}
	return m
}

// Read reads a prompt, <SOS> first.
func (w *Walker) Read(prompt []int32, c Change) (*Course, error) {
	course, err := w.states(prompt, c)
	if err != nil {
		return nil, err
	}
	course.Head = w.output(course.States, c.Cut)
	if w.classes == 0 && !w.prefix { // the answer is written by the cell that goes on alone
		course.Head = onCircle(w.step(tasks.SOS, course.Head, c.Cut))
	}
	x := read(slices.Concat(course.Head, w.recall(prompt)), c.Cut)
	for i, b := range w.headB {
		course.Logits = append(course.Logits, b+dot(w.head[i], x))
	}
	return course, nil
}

func (w *Walker) states(prompt []int32, c Change) (*Course, error) {
	if len(prompt) == 0 {
		return nil, fmt.Errorf("prompt is empty; it begins with <SOS>")
	}
	for _, u := range c.Cut {
		if err := w.has("cut", u); err != nil {
			return nil, err
		}
	}
	for _, x := range c.Turns {
		if err := w.has("unit", x.Unit); err != nil {
			return nil, err
		}
		if x.After < 0 || x.After >= len(prompt) {
			return nil, fmt.Errorf("after is %d; the text has tokens 0 to %d", x.After, len(prompt)-1)
		}
		if math.IsNaN(x.Angle) || math.IsInf(x.Angle, 0) {
			return nil, fmt.Errorf("angle is %v; give a number of radians", x.Angle)
		}
	}
	for t, id := range prompt {
		if id < 0 || int(id) >= len(w.drives) {
			return nil, fmt.Errorf("prompt[%d] is token %d; the network knows tokens 0 to %d", t, id, len(w.drives)-1)
		}
	}
	return &Course{States: w.goOn(nil, prompt, c)}, nil
}

// goOn reads a prompt to its end from the states [t][N] that its first tokens left, and returns those of all tokens.
// What c cuts is read up to those states, and no longer after them. The states given are not changed.
func (w *Walker) goOn(states [][]complex128, prompt []int32, c Change) [][]complex128 {
	h := make([]complex128, w.units)
	if len(states) > 0 {
		h = states[len(states)-1]
	}
	states = slices.Clip(states)
	for t := len(states); t < len(prompt); t++ {
		h = w.step(prompt[t], h, c.Cut)
		for _, x := range c.Turns {
			if x.After == t {
				h[x.Unit] *= cmplx.Rect(1, x.Angle)
			}
		}
		states = append(states, h)
	}
	return states
}

func (w *Walker) has(field string, unit int) error {
	if unit < 0 || unit >= w.units {
		return fmt.Errorf("%s is %d; the network has units with a phase 0 to %d", field, unit, w.units-1)
	}
	return nil
}

func distance(a, b []complex128) float64 {
	sum := 0.0
	for i := range a {
		d := a[i] - b[i]
		sum += real(d)*real(d) + imag(d)*imag(d)
	}
	return sum
}

func softplus(x float64) float64 { return logAddExp(0, x) }

func logAddExp(a, b float64) float64 { return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b))) }

func softmax(x []float64) []float64 {
	top, sum, p := slices.Max(x), 0.0, make([]float64, len(x))
	for i := range x {
		p[i] = math.Exp(x[i] - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
