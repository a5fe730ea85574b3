//go:build !js

package native

import (
	"bufio"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"mhacsp/model/probe"
)

// TestProbe: a run that kept checkpoints is probed, in text and as JSON; what was not cut is called no cause.
func TestProbe(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("train", "--task", "parity", "--model", "csp", "--width", "8", "--max-length", "6", "--steps", "8",
		"--checkpoint-every", "4", "--keep-checkpoints", "4", "--batch", "8", "--test-samples", "8",
		"--eval-samples", "8", "--backend", "cpu", "--out", "runs/one")
	text := p.ok("probe", "--run", "runs/one", "--n", "40", "--backend", "cpu")
	for _, want := range []string{
		"values count modulo 2", "8 with a phase", "40 strings", "A clock is a unit", "what is lost: 40 strings",
		"a constant guess", "roles:", "during training", "1 × round",
		"half-turn clocks",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
	var r probed
	text = p.ok("probe", "--run", "runs/one", "--n", "40", "--backend", "cpu", "--json")
	if newest := p.ok("probe", "--n", "40", "--backend", "cpu", "--json"); newest != text {
		t.Errorf("without --run it prints\n%s\nnot\n%s", newest, text)
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if r.Run != "runs/one" || r.Modulus != 2 || r.Units != 8 || r.Samples != 40 ||
		r.Clocks == nil || len(r.Places) != 2 ||
		r.Causes == nil || len(r.Causes.Single) != 8 || len(r.Causes.Roles) != 8 {
		t.Errorf("%+v", r)
	}
	var steps []int
	for _, s := range r.Steps {
		steps = append(steps, s.Step)
		if len(s.Best) != 1 || s.Chance <= 0 {
			t.Errorf("step %d: %+v", s.Step, s)
		}
	}
	if len(steps) < 2 || steps[len(steps)-1] != 8 {
		t.Fatalf("kept checkpoints were measured at %v", steps)
	}
	// The last kept checkpoint is the run's own model.
	if last := r.Steps[len(r.Steps)-1]; last.Best[0].R != r.Best[0].R {
		t.Errorf("step 8 has R %v, the run's model %v", last.Best[0].R, r.Best[0].R)
	}
	quick := p.ok("probe", "--run", "runs/one/model.safetensors", "--n", "40", "--quick", "--backend", "cpu")
	if !strings.Contains(quick, "No unit was cut") || strings.Contains(quick, "roles") ||
		strings.Contains(quick, "during training") {
		t.Errorf("--quick says\n%s", quick)
	}
}

// TestProbeReads: the table of votes and the sentence of each clock, of clocks given by hand.
func TestProbeReads(t *testing.T) {
	var s strings.Builder
	out := bufio.NewWriter(&s)
	place := probe.Place{At: probe.AfterOperand, Samples: 1443, Chance: 0.08}
	hand := probe.Hand{Unit: 43, K: 1, R: 0.92, Places: []probe.Following{{Place: place, R: 0.92, Offset: 1}}}
	r := &probe.Report{
		Task: "arithmetic", Modulus: 9, Units: 84, Turning: 42, Memory: 72, Samples: 500, Chance: 0.08,
		Places: []probe.Place{place}, Best: []probe.Hand{hand}, NoCut: "it was not asked for",
		Clocks: []probe.Clock{{
			Hand: hand, Answer: &probe.Following{Place: place, R: 0.9, Offset: 1},
			Kinds: []probe.Offset{{
				Kind:      probe.Kind{After: "space after digit", Sign: -1},
				Following: probe.Following{Place: place, R: 0.76, Offset: math.Pi / 2},
			}},
			Votes: []probe.Vote{{Answer: "0", Weight: 0.28, Angle: 1}, {Answer: "8", Weight: 0.25, Angle: 1 - 0.7}},
		}},
	}
	r.HalfTurns = []probe.HalfTurn{
		{Unit: 15, K: 1, Following: probe.Following{Place: place, R: 0.997},
			Partner: &probe.Partner{Unit: 40, Sign: 1, K: -4, Following: probe.Following{Place: place, R: 0.981}}},
		{Unit: 37, K: -3, Following: probe.Following{Place: place, R: 0.99}},
	}
	if err := (&probed{Report: r}).print(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"goes once round for 9: +1 turns it by 40°", "R after an operand", "1 443", "space after digit",
		"besides 72 of a memory of positions", "0.28 at 0°", "0.76 at 90°", "0.25 at -40°",
		"So nothing here is called a cause", "half-turn clocks  2 found after an operand",
		"15    0.997  0.08    1 443   40       -4  0.98  twice its phase goes once round for 9: +1 turns it by 40°",
		"37    0.990  0.08    1 443   none               twice its phase goes 3 times round for 9, backwards",
	} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("the text does not say %q:\n%s", want, s.String())
		}
	}
}

// TestProbeMistakes: what cannot be probed is refused in one line.
func TestProbeMistakes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("train", "--task", "modarith", "--model", "csp", "--width", "8", "--steps", "1", "--batch", "4",
		"--test-samples", "4", "--eval-samples", "4", "--backend", "cpu", "--out", "run")
	for _, x := range [][]string{
		{"probe", "--run", "run"}, {"probe", "--run", "nowhere"}, {"probe", "--run", "run", "--n", "1"},
		{"probe", "--run", ""}, {"probe", "run"},
	} {
		code, _, errs := p.try(x...)
		if code != codeUser || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: code %d, %q", x, code, errs)
		}
	}
	if _, _, errs := p.try("probe", "--run", "run"); !strings.Contains(errs, `task is "modarith"`) {
		t.Errorf("modarith: %q", errs)
	}
}
