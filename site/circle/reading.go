package circle

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
)

// Reading is all that the circle draws of one text: T tokens, N complex units, H heads, C outcomes. Every value is as
// the model computed it.
type Reading struct {
	Text    string   `json:"text"`
	Tokens  []string `json:"tokens"`  // [T] as shown, the first is <SOS>
	Width   int      `json:"width"`   // N; 0 where the model has no phases: no unit is drawn
	Heads   int      `json:"heads"`   // H; 0 where the model has no attention
	Turning int      `json:"turning"` // units [0, Turning) turn with the state, the others hold it

	State [][]float32 `json:"state"` // [T][2N], real plane first: h after the token; may be left out where N is 0

	// Memory is m after the token, [T][2M] for M memory units, real plane first; empty where the model has none. Memory
	// unit j turns by 2πj/Period with each token, clockwise; Period is 0 where that is not known.
	Memory [][]float32 `json:"memory,omitempty"`
	Period int         `json:"period,omitempty"`

	Outcomes []string `json:"outcomes"` // [C] what the readout can answer
	// Modulus is m where the first m outcomes are residues, which lie on the circle; else 0.
	Modulus       int         `json:"modulus"`
	Probabilities [][]float32 `json:"probabilities"` // [T][C] the answer if the text ended at the token

	// Those that the model does not have are empty: a Transformer has attention alone.
	Distance  [][][]float32 `json:"distance"`  // [H][T][T] D of row i and column j ≤ i, 0 above the diagonal
	Tree      [][][]float32 `json:"tree"`      // [H][T][T] C̃, likewise
	Attention [][][]float32 `json:"attention"` // [H][T][T] P, likewise
	Fusion    [][][]float32 `json:"fusion"`    // [T][H][H] A: what head k (row) takes of head l (column)

	Answer   string `json:"answer"`   // written by the model on its own
	Expected string `json:"expected"` // empty where it is not known
	Right    bool   `json:"right"`
	Step     int    `json:"step"` // training step of the weights
}

// Check names the first thing in a reading that cannot be drawn.
func (r *Reading) Check() error {
	t := len(r.Tokens)
	switch {
	case t == 0:
		return fmt.Errorf("reading has no tokens: send at least the start token")
	case r.Width < 0:
		return fmt.Errorf("reading has width %d: it must be the number of units, 0 for none", r.Width)
	case r.Turning < 0 || r.Turning > r.Width:
		return fmt.Errorf("reading has %d turning units of %d: it must be 0 to width", r.Turning, r.Width)
	case r.Period < 0:
		return fmt.Errorf("reading has period %d: it must be a number of tokens, 0 where it is not known", r.Period)
	case r.Heads < 0:
		return fmt.Errorf("reading has %d heads: it must be 0 or more", r.Heads)
	case len(r.Outcomes) == 0:
		return fmt.Errorf("reading has no outcomes: send the labels of the readout")
	case r.Modulus < 0 || r.Modulus > len(r.Outcomes):
		return fmt.Errorf("reading has modulus %d and %d outcomes: it must be 0 or at most their number",
			r.Modulus, len(r.Outcomes))
	}
	var err error
	if r.Width > 0 || len(r.State) > 0 {
		err = table("state", r.State, t, 2*r.Width)
	}
	if err == nil && len(r.Memory) > 0 {
		err = table("memory", r.Memory, t, 2*r.Slots())
	}
	if err = cmp.Or(err, table("probabilities", r.Probabilities, t, len(r.Outcomes))); err != nil {
		return err
	}
	for _, m := range []struct {
		name              string
		of                [][][]float32
		count, rows, cols int
	}{
		{"distance", r.Distance, r.Heads, t, t},
		{"tree", r.Tree, r.Heads, t, t},
		{"attention", r.Attention, r.Heads, t, t},
		{"fusion", r.Fusion, t, r.Heads, r.Heads},
	} {
		if r.Heads == 0 || len(m.of) == 0 {
			continue
		}
		if len(m.of) != m.count {
			return fmt.Errorf("reading's %s holds %d matrices: it must hold %d", m.name, len(m.of), m.count)
		}
		for i, x := range m.of {
			if err := table(fmt.Sprintf("%s[%d]", m.name, i), x, m.rows, m.cols); err != nil {
				return err
			}
		}
	}
	return nil
}

// table checks the shape of a matrix and that its values are numbers.
func table(name string, x [][]float32, rows, cols int) error {
	if len(x) != rows {
		return fmt.Errorf("reading's %s has %d rows: it must have %d", name, len(x), rows)
	}
	for i, row := range x {
		if len(row) != cols {
			return fmt.Errorf("reading's %s[%d] has %d values: it must have %d", name, i, len(row), cols)
		}
		for j, v := range row {
			if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
				return fmt.Errorf("reading's %s[%d][%d] is %v: every value must be a finite number", name, i, j, v)
			}
		}
	}
	return nil
}

// Phase is the phase of a unit after token t; ok is false where the state is 0 and has none.
func (r *Reading) Phase(t, unit int) (phase float64, ok bool) {
	re, im := float64(r.State[t][unit]), float64(r.State[t][r.Width+unit])
	return math.Atan2(im, re), re != 0 || im != 0
}

// Slots is the number of memory units.
func (r *Reading) Slots() int {
	if len(r.Memory) == 0 {
		return 0
	}
	return len(r.Memory[0]) / 2
}

// Slot is the number that memory unit j holds after token t.
func (r *Reading) Slot(t, j int) complex128 {
	return complex(float64(r.Memory[t][j]), float64(r.Memory[t][r.Slots()+j]))
}

// Turn is the angle by which memory unit j turns with each token: clockwise, so not above 0.
func (r *Reading) Turn(j int) float64 {
	if r.Period == 0 {
		return 0
	}
	return -DigitPhase(j, r.Period)
}

// longest is the length of the longest memory unit after any token, 0 where there is none.
func (r *Reading) longest() float64 {
	top := 0.0
	for t := range r.Memory {
		for j := range r.Slots() {
			top = max(top, cmplx.Abs(r.Slot(t, j)))
		}
	}
	return top
}

// elsewhere reports whether the model would rather write something that is no outcome after token t.
func (r *Reading) elsewhere(t int) bool {
	sum := 0.0
	for _, p := range r.Probabilities[t] {
		sum += float64(p)
	}
	return sum < 0.5
}

// Sum is the answer's phase readout after token t, Σ_k p_k e^{2πik/m} over the residues k: its argument is the
// direction of the answer, its length (0 to 1) how sure the readout is. It is 0 where outcomes are no residues.
func (r *Reading) Sum(t int) complex128 {
	var sum complex128
	if r.Modulus == 0 {
		return 0
	}
	for k, p := range r.Probabilities[t][:r.Modulus] {
		s, c := math.Sincos(DigitPhase(k, r.Modulus))
		sum += complex(float64(p)*c, float64(p)*s)
	}
	return sum
}

// Best is the most probable outcome after token t, the first of equals, and its probability.
func (r *Reading) Best(t int) (outcome int, probability float64) {
	most := slices.Max(r.Probabilities[t])
	return slices.Index(r.Probabilities[t], most), float64(most)
}

// matrices are those of a layer; empty where the model has none.
func (r *Reading) matrices(l Layer) [][][]float32 {
	if r.Heads == 0 || l == None {
		return nil
	}
	return [...][][][]float32{Distance: r.Distance, Tree: r.Tree, Fusion: r.Fusion, Attention: r.Attention}[l]
}
