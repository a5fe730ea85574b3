package probe

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"mhacsp/model/sequence/sequencetest"
	"mhacsp/tasks"
	"mhacsp/tasks/assert"
)

// TestShipped: the model with clocks that comes with the page has at least one far above chance, and without its
// clocks it loses most of its answers.
func TestShipped(t *testing.T) {
	n, s, _ := shipped(t, "clocks", 100)
	m := assert.Must(s.Measure(n))(t)
	clocks := m.Clocks()
	assert.Need(t, len(clocks) != 0 && clocks[0].R >= 0.8 && clocks[0].R >= 2.5*m.Chance(),
		"clocks are %+v, chance %.2f", clocks, m.Chance())
	e := assert.Must(NewExperiment(n, s))(t)
	defer e.Close()
	var units []int
	for _, c := range clocks {
		units = append(units, c.Unit)
	}
	f := assert.Must(e.Try(units...))(t)
	assert.True(t, e.Whole.Rate() >= 0.8 && f.Cut.Lost >= 0.3 && f.Freeze != nil && f.Freeze.Lost >= 0.3,
		"%.2f are right; without units %v %.2f fewer, frozen %+v", e.Whole.Rate(), units, f.Cut.Lost, f.Freeze)
}

// TestDocument: CLOCKS.md names every key that is printed.
func TestDocument(t *testing.T) {
	page := string(assert.Must(os.ReadFile("CLOCKS.md"))(t))
	seen := map[string]bool{}
	var keys func(reflect.Type)
	keys = func(x reflect.Type) {
		for x.Kind() == reflect.Slice || x.Kind() == reflect.Pointer || x.Kind() == reflect.Map {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct {
			return
		}
		for f := range x.Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && !seen[key] {
				seen[key] = true
				assert.True(t, strings.Contains(page, "`"+key+"`") || strings.Contains(page, `"`+key+`"`),
					"CLOCKS.md does not name the key %q of %v", key, x)
			}
			keys(f.Type)
		}
	}
	keys(reflect.TypeFor[Report]())
	for _, want := range []string{"unit", "k", "r", "cut", "chance", "samples", "angle", "groups", "no_freeze"} {
		assert.True(t, seen[want], "a report has no key %q", want)
	}
}

// TestMemoryUnits: of a network with a memory of positions the core's units alone are looked at; the others are
// counted apart.
func TestMemoryUnits(t *testing.T) {
	k := task(t, "arithmetic", tasks.Options{})
	n := random(t, "mha-csp-m", k, sequencetest.Keys{"width": 20, "heads": 2, "memory": 8})
	r := assert.Must(draws(t, k).Report(n, false, nil))(t)
	assert.True(t, r.Units == 12 && r.Memory == 8 && r.Turning == 9 && r.Causes == nil && r.NoCut != "", "%+v", r)
}

// TestRefuse: a network without phases is refused in one line, and so are parameters that are no numbers.
func TestRefuse(t *testing.T) {
	k := task(t, "parity", tasks.Options{})
	n := random(t, "csp", k, sequencetest.Keys{"width": 8})
	s := draws(t, k)
	without := random(t, "lstm", k, sequencetest.Keys{"width": 8})
	_, err := s.Measure(without)
	sequencetest.Unfit(t, "no phases", err, "model", "lstm")
	_, err = NewCutter(without, s)
	sequencetest.Unfit(t, "a cut without phases", err, "model", "lstm")

	flat := assert.Must(n.Params().Download(n.Params().Values()))(t)
	w, _ := n.Params().Find(flat, "head.weight")
	w[3] /= w[3] - w[3]
	n.Params().Upload(flat)
	_, err = s.Report(n, true, nil)
	assert.OneLine(t, "not finite", err, "not finite", "earlier checkpoint")
}

// TestWords: what is said of a clock.
func TestWords(t *testing.T) {
	for _, x := range []struct {
		k, modulus int
		want       string
	}{
		{1, 9, "goes once round for 9: +1 turns it by 40°"},
		{-2, 9, "goes twice round for 9, backwards: +1 turns it by -80°"},
		{4, 9, "goes 4 times round for 9: +1 turns it by 160°"}, {1, 2, "goes once round for 2: +1 turns it by 180°"},
	} {
		assert.Is(t, (Hand{K: x.k}).Words(x.modulus), x.want, "%d of %d", x.k, x.modulus)
	}
	assert.Is(t, Frequencies(9), []int{1, -1, 2, -2, 3, -3, 4, -4}, "frequencies of 9")
	assert.Is(t, Frequencies(2), []int{1}, "frequencies of 2")
}

// TestOutcome: what is lost, its error and when it matters.
func TestOutcome(t *testing.T) {
	e := &Experiment{samples: make([]reading, 200), right: make([]bool, 200)}
	now := make([]bool, 200)
	for i := range 200 {
		e.samples[i].Operands = 2 + i%2
		e.right[i] = i < 150        // 150 right before
		now[i] = i >= 30 && i < 155 // 30 became wrong, 5 right
	}
	o := e.outcome(now)
	assert.True(t, o.Count == 200 && o.Right == 125 && o.Lost == 0.125 && o.Group[2].Count == 100 &&
		len(o.Groups()) == 2, "%+v", o)
	// √((35/200 − 0.125²)/200) = 0.0282
	assert.True(t, o.Error >= 0.028 && o.Error <= 0.0285 && o.Matters(),
		"error %.4f, matters %t", o.Error, o.Matters())
	small := Outcome{Lost: 0.009, Error: 0.001}
	noise := Outcome{Lost: 0.1, Error: 0.04}
	assert.True(t, !small.Matters() && !noise.Matters(), "what is small or noise matters")
}
