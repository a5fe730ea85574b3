package probe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"mhacsp/model/internal/oracle"
	"mhacsp/tasks"
	"mhacsp/tasks/strict"
)

// Walker reads single texts token by token in float64 (SPEC §§1 to 7), so that units can be cut and turned by hand on
// the way. It keeps a copy of the parameters that a network had: what happens to the network later does not change it.
// It is for networks of one block without an ablation.
type Walker struct {
	net            *oracle.Net
	units, turning int
	onward         bool           // the answer is written by the cell that goes on alone
	drives         []oracle.Drive // [V]
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

// NewWalker copies a network's parameters. An error says why it cannot be walked through.
func NewWalker(n Network) (*Walker, error) {
	text, err := json.Marshal(n.Config())
	if err != nil {
		return nil, err
	}
	var c oracle.Config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if err := Refuse(n.Config()); err != nil {
		return nil, err
	}
	t, shape := n.Config().Traits(), n.Config().Shape()
	switch {
	case t.Blocks != 1:
		return nil, strict.Unfit("layers", t.Blocks, "; a text is read step by step in networks of one block")
	case c.Ablation != "none" && c.Ablation != "":
		return nil, strict.Unfit("ablation", c.Ablation, "; a text is read step by step in the whole model alone")
	}
	flat, err := n.Params().Download(n.Params().Values())
	if err != nil {
		return nil, err
	}
	params := map[string]oracle.Tensor{}
	for _, x := range n.Params().Tensors {
		data := make([]float64, x.Len)
		for i := range data {
			data[i] = float64(flat[x.Offset+i])
		}
		params[x.Name] = oracle.Tensor{Shape: x.Shape, Data: data}
	}
	w := &Walker{net: oracle.Load(c, params), units: t.Units, turning: t.Turning,
		onward: shape.Classes == 0 && !shape.Prefix}
	w.drives = w.net.Drives()
	return w, nil
}

// Read reads a prompt, <SOS> first.
func (w *Walker) Read(prompt []int32, c Change) (*Course, error) {
	course, err := w.states(prompt, c)
	if err != nil {
		return nil, err
	}
	course.Head = w.net.Output(course.States, c.Cut)
	if w.onward {
		course.Head = w.net.Onward(w.drives[tasks.SOS], course.Head, oracle.Without(course.Head, c.Cut))
	}
	var drives []oracle.Drive
	for _, id := range prompt {
		drives = append(drives, w.drives[id])
	}
	course.Logits = w.net.Logits(course.Head, drives, c.Cut)
	return course, nil
}

func (w *Walker) states(prompt []int32, c Change) (*Course, error) {
	if len(prompt) == 0 {
		return nil, fmt.Errorf("prompt is empty; it begins with <SOS>")
	}
	for _, u := range c.Cut {
		if err := strict.Within("cut", u, 0, w.units-1); err != nil {
			return nil, err
		}
	}
	for _, x := range c.Turns {
		if err := cmp.Or(
			strict.Within("unit", x.Unit, 0, w.units-1), strict.Within("after", x.After, 0, len(prompt)-1),
			strict.Within("angle", x.Angle, -math.MaxFloat64, math.MaxFloat64),
		); err != nil {
			return nil, err
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
		h = w.net.Step(w.drives[prompt[t]], h, oracle.Without(h, c.Cut))
		for _, x := range c.Turns {
			if x.After == t {
				h[x.Unit] *= cmplx.Rect(1, x.Angle)
			}
		}
		states = append(states, h)
	}
	return states
}
