package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mhacsp/model/ask"
	"mhacsp/model/backend/cpu"
	"mhacsp/model/sequence/sequencetest"
	"mhacsp/model/train"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// reader finds a network's clocks, or fails.
func reader(t *testing.T, s *Set, n Network) *Reader {
	t.Helper()
	return assert.Must(s.NewReader(n))(t)
}

// add is the sum of lists.
func add(lists ...[]float64) []float64 {
	sum := make([]float64, len(lists[0]))
	for _, list := range lists {
		for i, x := range list {
			sum[i] += x
		}
	}
	return sum
}

// apart is how far two angles differ.
func apart(a, b float64) float64 { return math.Abs(math.Remainder(a-b, 2*math.Pi)) }

func near(a, b []float64, tolerance float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= tolerance })
}

// added is what the clocks vote and the rest.
func added(d *Dials) []float64 {
	sum := d.Rest
	for _, x := range d.Dials {
		sum = add(sum, x.Votes)
	}
	return sum
}

// TestDialsOfKnownClocks: with the clocks that were built in, every hand points at the value so far where the value is
// settled; nobody else reads a clock, so each vote is Weight·cos(φ − Angle) as Votes has it. A clock that is cut votes
// for nothing, and one that is turned by hand is off by that angle from there on, so that it votes for another answer.
func TestDialsOfKnownClocks(t *testing.T) {
	n, s := handBuilt(t, 3), flat(t, 100)
	r := reader(t, s, n)
	assert.Need(t, len(r.Clocks) == 3, "%d clocks", len(r.Clocks))
	for _, sample := range s.plain[:8] {
		d := assert.Must(r.Read(sample.Prompt, Change{}))(t)
		course, _ := r.walker.Read(sample.Prompt, Change{})
		assert.Need(t, near(added(d), d.Sum, 1e-9), "the votes add up to %.3f, not to %.3f", added(d), d.Sum)
		for _, x := range d.Dials {
			votes := assert.Must(Votes(n, s.Task, x.Unit))(t)
			want := make([]float64, len(votes))
			z := course.Head[x.Unit]
			for a, v := range votes {
				want[a] = v.Weight * math.Cos(math.Atan2(imag(z), real(z))-v.Angle)
			}
			assert.Need(t, near(x.Votes, centred(want), 1e-6),
				"unit %d votes %.3f, its columns say %.3f", x.Unit, x.Votes, centred(want))
			for at, m := range d.Moments {
				off := apart(x.Angles[at], turned(x.K*m.Value, 9))
				assert.Need(t, !m.Operand || off <= 0.05 && x.Sure[at] >= 0.99,
					"unit %d, token %d: the hand is off by %.2f, R %.2f", x.Unit, at, off, x.Sure[at])
			}
		}
		last := len(sample.Prompt) - 1
		cut, err := r.Read(sample.Prompt, Change{Cut: []int{22}, Turns: []Turn{{21, last, 2 * math.Pi / 9}}})
		assert.NoError(t, err)
		for i, x := range cut.Dials {
			from := d.Dials[i].Angles[last]
			best := slices.Index(x.Votes, slices.Max(x.Votes))
			want := int(sample.answer())
			switch x.Unit {
			case 22:
				assert.Need(t, x.Cut && slices.Max(x.Votes) == 0 && apart(x.Angles[last], from) <= 1e-9,
					"the clock that is cut: %+v", x)
				continue
			case 21:
				want = (want + 1) % 9
				from += 2 * math.Pi / 9
			}
			moved := apart(x.Angles[last], from)
			assert.Need(t, moved <= 1e-9 && best == want,
				"unit %d moved by %.2f too much and votes for %d, want %d", x.Unit, moved, best, want)
		}
		assert.Need(t, near(added(cut), cut.Sum, 1e-9),
			"after the change the votes add up to %.3f, not to %.3f", added(cut), cut.Sum)
	}
	sums := assert.Must(r.AllSums(parser(s.Task, "direct"), Change{}))(t)
	assert.Need(t, len(sums.Values) == 81 && sums.Texts[80] == "8 + 8" && sums.Values[80] == 7,
		"the sums are %v = %v", sums.Texts, sums.Values)
	for i, v := range sums.Values {
		f := r.kinds[0][Kind{"space after digit", 1}]
		off := apart(sums.Phases[r.Clocks[0].Unit][i], f.Offset+turned(r.Clocks[0].K*v, 9))
		assert.Need(t, off <= 0.05, "%s: the clock's phase is off by %.2f", sums.Texts[i], off)
	}
	table, err := r.Table(parser(s.Task, "direct"))
	assert.Need(t, err == nil && len(table.Hands) == len(r.Clocks), "the table has %+v, %v", table, err)
	for i, v := range sums.Values {
		assert.Need(t, table.Answers[i] == strconv.Itoa(v) && table.Sure[i] > 1./9,
			"%s: it answers %s, with %.2f", sums.Texts[i], table.Answers[i], table.Sure[i])
		for _, h := range table.Hands {
			first, second := apart(h.First[i], turned(h.K*(i/9), 9)), apart(h.Second[i], turned(h.K*v, 9))
			assert.Need(t, max(first, second) <= 0.05,
				"%s: the hand of unit %d is off by %.2f, then %.2f", sums.Texts[i], h.Unit, first, second)
		}
	}
}

func parser(t tasks.Task, format string) func(string) ([]int32, error) {
	return func(text string) ([]int32, error) {
		q, err := ask.Parse(t, format, text)
		return q.Tokens, err
	}
}

// demo is a finished model of the page with its clocks.
func demo(t *testing.T, name string, samples int) (*Reader, func(string) ([]int32, error)) {
	t.Helper()
	n, s, format := shipped(t, name, samples)
	return reader(t, s, n), parser(s.Task, format)
}

// shipped is a model that comes with the page, a set of its task, and the task's format.
func shipped(t *testing.T, name string, samples int) (Network, *Set, string) {
	t.Helper()
	n, text, err := train.LoadModel("../../site/demo/"+name+".safetensors", cpu.New())
	assert.NoError(t, err)
	run, k, err := train.Resolve(text)
	assert.NoError(t, err)
	return n, assert.Must(Draw(k, tasks.Draw{Seed: run.Training.Seed}, samples))(t), run.Training.Format
}

// TestDialsOfFinishedModel: what the page says of the model with four clocks. They vote for the right answer; with
// all four cut it is not sure of it any more; inside a bracket after a minus other units are lit, and none where
// there is no minus.
func TestDialsOfFinishedModel(t *testing.T) {
	r, parse := demo(t, "clocks", 100)
	read := func(text string, c Change) *Dials {
		t.Helper()
		prompt := assert.Must(parse(text))(t)
		return assert.Must(r.Read(prompt, c))(t)
	}
	best := func(x []float64) int { return slices.Index(x, slices.Max(x)) }
	for text, want := range map[string]int{"(3 + 5)": 8, "4 - (3 + 5)": 5, "1 + 1": 2} {
		d := read(text, Change{})
		assert.Need(t, len(d.Dials) == 4 && best(d.Probabilities) == want && near(added(d), d.Sum, 1e-9),
			"%s: %+v", text, d)
		lit := 0
		for at := range d.Lit {
			lit += len(d.Lit[at])
		}
		assert.Is(t, lit > 0, text == "4 - (3 + 5)", "%s: %d times a unit is lit", text, lit)
		var cut []int
		together := make([]float64, 9)
		for _, x := range d.Dials {
			cut, together = append(cut, x.Unit), add(together, x.Votes)
		}
		assert.Is(t, best(together), want, "%s: the clocks, %.1f, vote for", text, together)
		d = read(text, Change{Cut: cut})
		assert.True(t, d.Probabilities[want] <= 0.5 && near(d.Rest, d.Sum, 1e-9),
			"%s: without clocks it is still sure: %.2f", text, d.Probabilities)
	}
}

// TestNoDials: where no clock is found, and where a text cannot be read step by step, it is said so, with the best R,
// chance and the number of samples.
func TestNoDials(t *testing.T) {
	k := task(t, "arithmetic", tasks.Options{})
	parse := parser(k, "repeat")
	prompt := assert.Must(parse("3 + 5"))(t)
	for _, ablation := range []string{"none", "no-tree"} {
		n := random(t, "mha-csp-s", k, sequencetest.Keys{"width": 20, "heads": 2, "ablation": ablation})
		r := reader(t, flat(t, 60), n)
		d := assert.Must(r.Read(prompt, Change{}))(t)
		assert.True(t, len(d.Dials) == 0 && len(d.Best) == 4 && d.Chance != 0 && d.Samples == 60 &&
			(d.Note == "") == (ablation == "none"), "%s: a model without clocks: %+v", ablation, d)
		_, err := r.AllSums(parse, Change{})
		assert.True(t, (err == nil) == (ablation == "none"), "%s: the sums: %v", ablation, err)
	}
	r, parse := demo(t, "parity", 60)
	prompt = assert.Must(parse("1011"))(t)
	d := assert.Must(r.Read(prompt, Change{}))(t)
	assert.True(t, d.Modulus == 2 && len(d.Dials) != 0 && len(d.Answers) == 2, "parity: %+v", d)
}

// TestDialsOfLines: the page's default model has half-turn clocks. Their hands point at the value at all tokens from
// the first digit to mod, with one offset; behind = they are not sure. The flag stands at the unit's own end.
func TestDialsOfLines(t *testing.T) {
	r, _ := demo(t, "arithmetic", 100)
	assert.Need(t, len(r.Clocks) == 0 && len(r.Lines) == 3, "clocks %+v, half-turn clocks %+v", r.Clocks, r.Lines)
	near, agree, all := 0, 0, 0
	for _, sample := range r.set.all {
		d := assert.Must(r.Read(sample.Prompt, Change{}))(t)
		assert.Need(t, len(d.Dials) == 3 && len(d.Answers) == 9 && len(d.Moments) == len(sample.Prompt), "%+v", d)
		ended := false
		for at, m := range d.Moments {
			ended = ended || m.Kind.After == "mod"
			for i := range d.Dials {
				x, begun := &d.Dials[i], begun(d.Moments[:at+1])
				assert.Need(t, (begun || x.Sure[at] == 0) && (at < len(d.Moments)-1 || x.Sure[at] <= 0.75*x.R),
					"token %d: unit %d is sure by %.2f", at, x.Unit, x.Sure[at])
				if ended || !begun {
					continue
				}
				all++
				if math.Cos(x.Angles[at]-turned(x.K*m.Value, 9)) > math.Cos(math.Pi/6) {
					near++
				}
				if x.Line.Flag[at] == x.Line.Own[at] {
					agree++
				}
			}
		}
	}
	assert.True(t, all >= 1000 && near >= all*95/100 && agree >= all*95/100,
		"of %d hands %d point at the value, and %d partners name the end", all, near, agree)
}

// TestTurnedLines: all half-turn clocks turned by hand in the middle of a text, each unit by as much as s more turns
// it, add s to the answer. As many other units that turn do not, nor does one clock alone, nor all of them turned so
// that their hands go as far but units come to the wrong end of their line.
func TestTurnedLines(t *testing.T) {
	r, _ := demo(t, "arithmetic", 200)
	random := rand.New(rand.NewPCG(3, 3))
	busy := map[int]bool{}
	for _, h := range r.Lines {
		busy[h.Unit], busy[h.Partner.Unit] = true, true
	}
	var others []int
	for _, u := range random.Perm(r.walker.turning) {
		if !busy[u] {
			others = append(others, u)
		}
	}
	as, control, alone, half := 0, 0, 0, 0
	for _, sample := range r.set.all {
		first := slices.IndexFunc(sample.at, func(m Moment) bool { return m.Kind.After == "digit" })
		end := slices.IndexFunc(sample.at, func(m Moment) bool { return m.Kind.After == "mod" })
		after, s := first+1+random.IntN(end-first-1), 1+random.IntN(8)
		answer := func(turns ...Turn) int {
			digits := assert.Must(r.walker.Read(sample.Prompt, Change{Turns: turns}))(t).Logits[:9]
			return slices.Index(digits, slices.Max(digits))
		}
		want := (int(sample.answer()) + s) % 9
		var turns, lots, halves []Turn
		for i, h := range r.Lines {
			turns = append(turns, Turn{h.Unit, after, float64(s) * h.Step})
			lots = append(lots, Turn{others[i], after, float64(s) * h.Step})
			halves = append(halves, Turn{h.Unit, after, float64(s) * turned(h.K, 9) / 2})
		}
		count := func(n *int, turns ...Turn) {
			if answer(turns...) == want {
				*n++
			}
		}
		count(&as, turns...)
		count(&control, lots...)
		count(&alone, turns[0])
		if s%2 == 1 { // by half of what 2φ turns: the wrong end
			count(&half, halves...)
		}
	}
	n := len(r.set.all)
	t.Logf("of %d: all lines %d, others %d, one alone %d, the wrong end %d", n, as, control, alone, half)
	assert.True(t, as >= n*99/100 && control <= n/20 && alone <= n*2/3 && half <= n/20,
		"of %d: all lines %d, others %d, one alone %d, the wrong end %d", n, as, control, alone, half)
}
