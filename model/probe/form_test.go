package probe

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"mhacsp/model/backend/reference"
	"mhacsp/model/internal/oracle"
	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// form is a csp in float64, by the oracle. A unit of state and head is read as a constant in place of itself.
type form struct {
	net    *oracle.Net
	drives []oracle.Drive
	n      int
	state  map[int]complex128 // what W_δh and W_θh read of a unit
	head   map[int]complex128 // what W_out reads of it
}

func newForm(t *testing.T, n Network) *form {
	t.Helper()
	w := walker(t, n)
	return &form{net: w.net, drives: w.drives, n: w.units}
}

// stilled is z with the constants in their places.
func stilled(z []complex128, constant map[int]complex128) []complex128 {
	z = slices.Clone(z)
	for i, c := range constant {
		z[i] = c
	}
	return z
}

func (f *form) cell(token int32, h []complex128) []complex128 {
	return f.net.Step(f.drives[token], h, stilled(h, f.state))
}

// answer is what the head reads after the prompt's last state, and the logits of that.
func (f *form) answer(h []complex128) (last []complex128, logits []float64) {
	y := f.net.Output([][]complex128{h}, nil)
	last = f.net.Onward(f.drives[tasks.SOS], y, stilled(y, f.state))
	return last, f.net.Logits(stilled(last, f.head), nil, nil)
}

// read runs a prompt and gives every state, what the head reads after it, and the answer's logits.
func (f *form) read(prompt []int32) (states [][]complex128, last []complex128, logits []float64) {
	h := make([]complex128, f.n)
	for i, id := range prompt {
		if i == 0 { // nothing is held before the first token
			h = f.net.Step(f.drives[id], h, h)
		} else {
			h = f.cell(id, h)
		}
		states = append(states, h)
	}
	last, logits = f.answer(h)
	return states, last, logits
}

func random(t *testing.T, preset string, k tasks.Task, keys sequencetest.Keys) sequence.Network {
	t.Helper()
	c := assert.Must(zoo.Preset(preset))(t)
	c.Fit(k.Vocabulary().Size(), k.Classes())
	sequencetest.Usable(t, sequencetest.Small(t, c, keys))
	n := assert.Must(c.Open(reference.New[float64]()))(t)
	n.Initialise(7)
	// Readers of the state start near 0; here their part must show.
	flat := assert.Must(n.Params().Download(n.Params().Values()))(t)
	for _, name := range stateReaders {
		w, _ := n.Params().Find(flat, name)
		for i := range w {
			w[i] = float32(0.1 * math.Sin(float64(i*i)))
		}
	}
	n.Params().Upload(flat)
	return n
}

// TestForm: R, its offset, what the head reads, and the logits of the cut and of the frozen network are those of the
// float64 form. Freezing reads the mean phasors, so that they are checked too.
func TestForm(t *testing.T) {
	k := task(t, "arithmetic", tasks.Options{Format: "direct"})
	n := random(t, "csp", k, sequencetest.Keys{"width": 48, "rotate": "mixed", "theta": "state"})
	s := assert.Must(Draw(k, tasks.Draw{Seed: 1}, 24))(t)
	f := newForm(t, n)
	m := assert.Must(s.Measure(n))(t)
	for u := range f.n {
		for at, want := range f.following(s, u, m.Units[u].K) {
			got := m.Units[u].Places[at]
			r, at := cmplx.Polar(want)
			assert.True(t, math.Abs(got.R-r) <= 1e-4 && (got.R <= 0.05 || apart(got.Offset, at) <= 1e-2),
				"unit %d: %+v, want R %.5f at %.4f", u, got, r, at)
		}
	}
	c := assert.Must(NewCutter(n, s))(t)
	defer c.Restore()
	state, head := f.means(s)
	units := []int{3, 17, 40} // two that turn, one that holds
	for name, x := range map[string]struct {
		change      func(...int) error
		state, head []complex128
	}{
		"cut":    {c.Cut, make([]complex128, f.n), make([]complex128, f.n)},
		"freeze": {c.Freeze, state, head},
	} {
		assert.NoError(t, x.change(units...))
		f.state, f.head = map[int]complex128{}, map[int]complex128{}
		for _, u := range units {
			f.state[u], f.head[u] = x.state[u], x.head[u]
		}
		var off, size float64
		err := eachLogits(n, s.all, func(i int, logits []float32) {
			_, _, want := f.read(s.all[i].Prompt)
			for c := range want {
				off += (float64(logits[c]) - want[c]) * (float64(logits[c]) - want[c])
				size += want[c] * want[c]
			}
		})
		assert.NoError(t, err)
		e := math.Sqrt(off / size)
		assert.True(t, e < 1e-4, "%s: the logits differ by %.2g", name, e)
	}
}

// following is the mean of exp(i(φ − 2πk·v/9)) after operands and at the end, straight from CLOCKS.md.
func (f *form) following(s *Set, u, k int) [2]complex128 {
	var sum [2]complex128
	var count [2]int
	for _, r := range s.plain {
		states, _, _ := f.read(r.Prompt)
		for i, h := range states {
			z := cmplx.Rect(1, cmplx.Phase(h[u])-2*math.Pi*float64(k*r.at[i].Value)/9)
			if r.at[i].Operand {
				sum[0], count[0] = sum[0]+z, count[0]+1
			}
			if i == len(states)-1 {
				sum[1], count[1] = sum[1]+z, count[1]+1
			}
		}
	}
	return [2]complex128{sum[0] / complex(float64(count[0]), 0), sum[1] / complex(float64(count[1]), 0)}
}

// means are those of every unit's state over all tokens, and of what the head reads.
func (f *form) means(s *Set) (state, head []complex128) {
	state, head = make([]complex128, f.n), make([]complex128, f.n)
	count := 0.0
	for _, r := range s.all {
		states, last, _ := f.read(r.Prompt)
		for _, h := range states {
			count++
			for u := range h {
				state[u] += h[u]
			}
		}
		for u := range last {
			head[u] += last[u] / complex(float64(len(s.all)), 0)
		}
	}
	for u := range state {
		state[u] /= complex(count, 0)
	}
	return state, head
}

// TestCutIsRead: when a unit is cut, in any family and for any task, nothing that it does changes an answer's logits
// any more, to the bit; before, it did. A frozen unit stands at 1 from the first token on.
func TestCutIsRead(t *testing.T) {
	for _, task1 := range []string{"arithmetic", "parity"} {
		for _, p := range zoo.Presets() {
			for _, supervision := range sequencetest.Supervisions(p.New()) {
				for _, format := range map[string][]string{"arithmetic": {"direct", "copy"}, "parity": {""}}[task1] {
					t.Run(fmt.Sprintf("%s/%s/%s/%s", task1, p.Name, supervision, format), func(t *testing.T) {
						k := task(t, task1, tasks.Options{Format: format})
						n := random(t, p.Name, k, sequencetest.Keys{
							"width": 40, "heads": 2, "memory": memoryOf(p.Name), "supervision": supervision,
						})
						s, traits := draws(t, k), n.Config().Traits()
						if traits.Units > 0 && traits.Blocks == 1 {
							cutIsRead(t, n, s)
							return
						}
						_, err := NewCutter(n, s)
						if traits.Units == 0 {
							sequencetest.Unfit(t, "no phases", err, "model", p.Name)
							return
						}
						sequencetest.Unfit(t, "two blocks", err, "layers", 2)
						r := assert.Must(s.Report(n, true, nil))(t)
						assert.True(t, r.Causes == nil && r.NoCut != "", "a report of two blocks: %+v", r)
					})
				}
			}
		}
	}
}

func memoryOf(preset string) int {
	if preset == "mha-csp-m" {
		return 8
	}
	return 0
}

func draws(t *testing.T, k tasks.Task) *Set {
	t.Helper()
	return assert.Must(Draw(k, tasks.Draw{Seed: 1, MaxLength: 12}, 6))(t)
}

func cutIsRead(t *testing.T, n sequence.Network, s *Set) {
	c := assert.Must(NewCutter(n, s))(t)
	defer c.Restore()
	logits := func() (all []float32) {
		assert.NoError(t, eachLogits(n, s.all, func(_ int, x []float32) { all = append(all, x...) }))
		return all
	}
	// pull changes what the unit does, and nothing else: its forgetting and its gate.
	pull := func(unit int) {
		c.bias("blocks.0.delta.bias", unit, 0.7)
		c.bias("blocks.0.gamma.bias", unit, -0.4)
		c.upload()
	}
	for _, unit := range []int{0, 5, c.units - 1} {
		c.Restore()
		whole := logits()
		pull(unit)
		assert.True(t, !slices.Equal(whole, logits()), "unit %d changes nothing even when it is whole", unit)
		assert.NoError(t, c.Cut(unit))
		cut := logits()
		assert.True(t, !slices.Equal(whole, cut), "the cut of unit %d changes nothing", unit)
		pull(unit)
		assert.Is(t, cut, logits(), "unit %d is cut and still read", unit)
	}
	assert.Need(t, c.noStill == nil, "%v", c.noStill)
	assert.NoError(t, c.Freeze(1, c.units-1))
	err := states(n, s.all, "state", func(i int, rows [][]float32) {
		for _, row := range rows[:len(s.all[i].Prompt)] {
			for _, u := range []int{1, c.units - 1} {
				assert.Need(t, math.Abs(float64(row[u])-1) <= 1e-4 && math.Abs(float64(row[c.units+u])) <= 1e-3,
					"unit %d is frozen and stands at %v, %v", u, row[u], row[c.units+u])
			}
		}
	})
	assert.NoError(t, err)
	sequencetest.Unfit(t, "no such unit", c.Cut(c.units), "unit", c.units)
}
