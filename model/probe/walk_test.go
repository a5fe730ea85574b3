package probe

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/zoo"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// walker walks through a network, or fails.
func walker(t *testing.T, n Network) *Walker {
	t.Helper()
	return assert.Must(NewWalker(n))(t)
}

// TestWalk: a walk's states and logits are the network's own, in every family, supervision, form of the angle and of
// the fusion; with units cut they are those of the network whose units are cut. What cannot be walked is refused.
func TestWalk(t *testing.T) {
	type variant struct {
		preset string
		keys   sequencetest.Keys
	}
	var list []variant
	for _, p := range zoo.Presets() {
		for _, supervision := range sequencetest.Supervisions(p.New()) {
			list = append(list, variant{p.Name, sequencetest.Keys{"supervision": supervision}})
		}
	}
	for _, theta := range []string{"state", "product"} {
		list = append(list, variant{"csp", sequencetest.Keys{"theta": theta}})
	}
	for _, fusion := range []string{"pooled", "mean"} {
		list = append(list, variant{"mha-csp-s", sequencetest.Keys{"fusion": fusion}})
	}
	list = append(list, variant{"mha-csp", sequencetest.Keys{"ablation": "no-tree"}})
	walked := 0
	for _, task1 := range []string{"arithmetic", "parity"} {
		for _, x := range list {
			t.Run(fmt.Sprint(task1, x), func(t *testing.T) {
				k := task(t, task1, tasks.Options{Format: map[string]string{"arithmetic": "direct"}[task1]})
				x.keys["width"], x.keys["heads"], x.keys["memory"] = 40, 2, memoryOf(x.preset)
				n := random(t, x.preset, k, x.keys)
				traits := n.Config().Traits()
				w, err := NewWalker(n)
				switch {
				case traits.Units == 0:
					sequencetest.Unfit(t, "no phases", err, "model", x.preset)
				case traits.Blocks > 1:
					sequencetest.Unfit(t, "two blocks", err, "layers", 2)
				case x.keys["ablation"] != nil:
					sequencetest.Unfit(t, "an ablation", err, "ablation", "no-tree")
				default:
					assert.NoError(t, err)
					walked++
					walksAs(t, w, n, draws(t, k))
				}
			})
		}
	}
	assert.True(t, walked >= 12, "%d networks were walked through", walked)
}

func walksAs(t *testing.T, w *Walker, n sequence.Network, s *Set) {
	same := func(what string, got []float64, want []float32) {
		t.Helper()
		for i := range got {
			assert.Need(t, math.Abs(got[i]-float64(want[i])) <= 1e-4,
				"%s: element %d is %.6f, the network's %.6f", what, i, got[i], want[i])
		}
	}
	walk := func(i int, c Change) *Course {
		t.Helper()
		return assert.Must(w.Read(s.all[i].Prompt, c))(t)
	}
	err := states(n, s.all, "state", func(i int, rows [][]float32) {
		for at, h := range walk(i, Change{}).States {
			x := make([]float64, 2*len(h))
			for u, z := range h {
				x[u], x[len(h)+u] = real(z), imag(z)
			}
			same("state", x, rows[at])
		}
	})
	assert.NoError(t, err)
	c := assert.Must(NewCutter(n, s))(t)
	defer c.Restore()
	for _, cut := range [][]int{nil, {0, 5, c.units - 1}} {
		assert.NoError(t, c.Cut(cut...))
		err := eachLogits(n, s.all, func(i int, logits []float32) {
			same("logits", walk(i, Change{Cut: cut}).Logits, logits)
		})
		assert.NoError(t, err)
	}
}

// TestTurnByHand: a unit turned after a token stands there by that angle further, all before is as it was, and all
// after is what the float64 form gives that goes on from the turned state.
func TestTurnByHand(t *testing.T) {
	k := task(t, "arithmetic", tasks.Options{Format: "direct"})
	n := random(t, "csp", k, sequencetest.Keys{"width": 48, "rotate": "mixed", "theta": "state"})
	w, f, s := walker(t, n), newForm(t, n), draws(t, k)
	const angle = 1.1
	for _, r := range s.all {
		for _, turn := range []Turn{{3, 0, angle}, {40, len(r.Prompt) / 2, -angle}, {17, len(r.Prompt) - 1, angle}} {
			got := assert.Must(w.Read(r.Prompt, Change{Turns: []Turn{turn}}))(t)
			whole, _ := w.Read(r.Prompt, Change{})
			h := make([]complex128, f.n)
			for at, id := range r.Prompt {
				h = f.cell(id, h)
				if at == turn.After {
					before := cmplx.Phase(h[turn.Unit])
					h[turn.Unit] *= cmplx.Rect(1, turn.Angle)
					off := apart(cmplx.Phase(h[turn.Unit]), before+turn.Angle)
					assert.Need(t, off <= 1e-9, "the form is turned by another angle: off by %g", off)
				}
				for u := range h {
					assert.Need(t, cmplx.Abs(h[u]-got.States[at][u]) <= 1e-6,
						"%+v: token %d, unit %d: %v, the form has %v", turn, at, u, got.States[at][u], h[u])
					assert.Need(t, at >= turn.After || got.States[at][u] == whole.States[at][u],
						"%+v: token %d, before the turn, has changed", turn, at)
				}
			}
			off := 0.0
			_, logits := f.answer(h)
			for i, want := range logits {
				off = max(off, math.Abs(got.Logits[i]-want))
			}
			assert.True(t, off <= 1e-6, "%+v: the logits are off by %g", turn, off)
		}
	}
	prompt := s.all[0].Prompt
	for _, x := range []struct {
		field string
		value any
		c     Change
	}{
		{"cut", 48, Change{Cut: []int{48}}}, {"unit", -1, Change{Turns: []Turn{{-1, 0, 1}}}},
		{"after", len(prompt), Change{Turns: []Turn{{0, len(prompt), 1}}}},
		{"angle", "NaN", Change{Turns: []Turn{{0, 0, math.NaN()}}}},
	} {
		_, err := w.Read(prompt, x.c)
		sequencetest.Unfit(t, "a change that cannot be made", err, x.field, x.value)
	}
}
