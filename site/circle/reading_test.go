package circle

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"mhacsp/tasks/assert"
)

// sample is a reading made by a formula, for tests of the drawing only: unit u stands at phase (t+1)·(u+1)·0.37, and
// the answer after token t is residue t of m.
func sample(tokens []string, width, turning, heads, modulus int) *Reading {
	r := &Reading{
		Tokens: tokens, Width: width, Heads: heads, Turning: turning,
		Modulus: modulus, Answer: "1", Expected: "1", Right: true,
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	outcomes := max(modulus, 2)
	for k := range outcomes {
		r.Outcomes = append(r.Outcomes, string(rune('0'+k)))
	}
	n := len(tokens)
	for t := range n {
		state, probabilities := make([]float32, 2*width), make([]float32, outcomes)
		for u := range width {
			s, c := math.Sincos(samplePhase(t, u))
			state[u], state[width+u] = float32(c), float32(s)
		}
		for k := range probabilities {
			probabilities[k] = 0.2 / float32(outcomes-1)
		}
		probabilities[t%outcomes] = 0.8
		r.State, r.Probabilities = append(r.State, state), append(r.Probabilities, probabilities)
		r.Fusion = append(r.Fusion, square(heads, func(int, int) float32 { return 1 / float32(heads) }))
	}
	for range heads {
		lower := func(i, j int) float32 {
			if j > i {
				return 0
			}
			return rnd.Float32()
		}
		r.Distance = append(r.Distance, square(n, lower))
		r.Tree = append(r.Tree, square(n, lower))
		r.Attention = append(r.Attention, square(n, lower))
	}
	return r
}

// remember gives a reading a memory by a formula: after token t unit j has phase (t+2)·(j+1)·0.23 and length
// (t+1)·(j+1)/5.
func remember(r *Reading, slots, period int) *Reading {
	r.Period = period
	for t := range r.Tokens {
		row := make([]float32, 2*slots)
		for j := range slots {
			z := sampleSlot(t, j)
			row[j], row[slots+j] = float32(real(z)), float32(imag(z))
		}
		r.Memory = append(r.Memory, row)
	}
	return r
}

func sampleSlot(t, j int) complex128 {
	return cmplx.Rect(float64(t+1)*float64(j+1)/5, float64(t+2)*float64(j+1)*0.23)
}

func samplePhase(t, u int) float64 { return float64(t+1) * float64(u+1) * 0.37 }

func square(n int, f func(i, j int) float32) [][]float32 {
	m := make([][]float32, n)
	for i := range m {
		m[i] = make([]float32, n)
		for j := range m[i] {
			m[i][j] = f(i, j)
		}
	}
	return m
}

var sum = []string{"<SOS>", "(", "2", " ", "+", " ", "3", ")", " ", "mod", " ", "9", " ", "=", " "}

func TestReadingCheck(t *testing.T) {
	assert.NoError(t, sample(sum, 12, 6, 2, 9).Check())
	assert.Is(t, remember(sample(sum, 12, 6, 2, 9), 4, 16).Check(), nil, "with a memory")
	assert.Is(t, sample(sum, 12, 12, 0, 0).Check(), nil, "without attention and residues")
	bare := sample(sum, 0, 0, 2, 9)
	assert.Is(t, bare.Check(), nil, "without phases, with empty states")
	bare.State, bare.Distance, bare.Tree, bare.Fusion = nil, nil, nil, nil
	assert.Is(t, bare.Check(), nil, "without phases, with attention alone and no states")
	for says, spoil := range map[string]func(*Reading){
		"no tokens": func(r *Reading) { r.Tokens = nil }, "no outcomes": func(r *Reading) { r.Outcomes = nil },
		"width -1": func(r *Reading) { r.Width = -1 }, "-1 heads": func(r *Reading) { r.Heads = -1 },
		"period -1": func(r *Reading) { r.Period = -1 }, "state has 0 rows": func(r *Reading) { r.State = nil },
		"13 turning units of 12":    func(r *Reading) { r.Turning = 13 },
		"modulus 10 and 9 outcomes": func(r *Reading) { r.Modulus = 10 },
		"state has 14 rows":         func(r *Reading) { r.State = r.State[1:] },
		"state[3] has 23 values":    func(r *Reading) { r.State[3] = r.State[3][1:] },
		"state[2][5] is NaN":        func(r *Reading) { r.State[2][5] = float32(math.NaN()) },
		"tree[1][4][2] is +Inf":     func(r *Reading) { r.Tree[1][4][2] = float32(math.Inf(1)) },
		"probabilities has 0 rows":  func(r *Reading) { r.Probabilities = nil },
		"distance holds 1 matrices": func(r *Reading) { r.Distance = r.Distance[:1] },
		"attention[0] has 13 rows":  func(r *Reading) { r.Attention[0] = r.Attention[0][2:] },
		"memory has 14 rows":        func(r *Reading) { r.Memory = r.Memory[1:] },
		"memory[3] has 7 values":    func(r *Reading) { r.Memory[3] = r.Memory[3][1:] },
		"memory[0] has 7 values":    func(r *Reading) { r.Memory[0] = r.Memory[0][1:] },
		"memory[2][5] is -Inf":      func(r *Reading) { r.Memory[2][5] = float32(math.Inf(-1)) },
		"fusion[0][1] has 0 values": func(r *Reading) { r.Fusion[0][1] = nil },
	} {
		r := remember(sample(sum, 12, 6, 2, 9), 4, 16)
		spoil(r)
		assert.OneLine(t, says, r.Check(), says)
	}
}

func TestReadout(t *testing.T) {
	r := sample(sum, 4, 4, 1, 9)
	arrow := func(what string, want complex128, within float64) {
		t.Helper()
		got := r.Sum(0)
		assert.True(t, cmplx.Abs(got-want) <= within, "%s: arrow %v, want %v", what, got, want)
	}
	for k := range 9 { // all on one residue: an arrow of length 1 at 2πk/9
		r.Probabilities[0] = make([]float32, 9)
		r.Probabilities[0][k] = 1
		arrow(fmt.Sprint("residue ", k), cmplx.Rect(1, 2*math.Pi*float64(k)/9), 1e-12)
		best, p := r.Best(0)
		assert.True(t, best == k && p == 1, "residue %d: best %d with %v", k, best, p)
	}
	r.Probabilities[0] = slices.Repeat([]float32{1.0 / 9}, 9)
	arrow("undecided, no direction", 0, 1e-7)
	r.Modulus, r.Probabilities[0] = 3, []float32{0, 0, 0.5, 0.25, 0.25, 0, 0, 0, 0} // what is no residue has no place
	arrow("residues among other outcomes", cmplx.Rect(0.5, 4*math.Pi/3), 1e-12)
	r.Modulus = 0
	assert.Is(t, r.Sum(0), 0, "no residues: arrow")
	r.State[0][2], r.State[0][6] = 0, 0
	_, ok := r.Phase(0, 2)
	assert.True(t, !ok, "a state of 0 has a phase")
}
