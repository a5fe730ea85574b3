//go:build !js

package main

import (
	"testing"

	"mhacsp/model/study"
	"mhacsp/tasks/assert"
)

// TestOutcomes: what is not reproduced is parted by which side of the paper's score the runs are on, the furthest
// first; a claim that is no score failed; groups without a verdict are not there.
func TestOutcomes(t *testing.T) {
	score := func(name, word string, here float64) study.Verdict {
		claim := study.Claim{Name: name, Rule: study.Rule{Kind: "near", Value: 50}, Needs: []study.Need{{Row: "lstm"}}}
		return study.Verdict{Claim: claim, Word: word, Figures: []study.Figure{{Mean: here, N: 1}}}
	}
	no := study.NotReproduced
	p := paper{Report: study.Report{Verdicts: []study.Verdict{
		score("above", no, 60), score("far above", no, 90), score("below", no, 20), score("near", study.Reproduced, 51),
		{Claim: study.Claim{Name: "other", Rule: study.Rule{Kind: "clocks"}}, Word: no},
	}}}
	var got []string
	for _, o := range p.Outcomes() {
		for _, v := range o.Verdicts {
			got = append(got, o.Class+": "+v.Name)
		}
	}
	want := []string{"reproduced: near", "better: far above", "better: above", "worse: below", "not-reproduced: other"}
	assert.Is(t, got, want, "outcomes")
	assert.Is(t, p.Count(no, study.Undecided), 4, "not reproduced")
}
