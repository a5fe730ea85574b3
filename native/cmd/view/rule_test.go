//go:build !js

package view

import (
	"strings"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/trace"
	"mhacsp/tasks/assert"
)

// TestRuleWords: the words follow the configuration (SPEC §2), and the angles are those of the states.
func TestRuleWords(t *testing.T) {
	r := &trace.Reading{
		Tokens: []string{"<SOS>", "5", " ", "-"}, Width: 2, Turning: 1,
		// Unit 0 goes from 0° to 90° to 90° to −170°, unit 1 from 0° to 0° to 180° to 180°; real plane first.
		State: [][]float32{{1, 1, 0, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {-0.98480775, -1, -0.17364818, 0}},
	}
	words := ruleWords(sequence.Traits{Blocks: 1, Units: 2, Turning: 1}, r)
	depends := " How far a hand goes depends on this character."
	assert.Is(t, words, []string{
		"At the start each of its 2 hands is set.",
		"It reads “5”: 1 hand turned by 90° on average; 1 hand reset by 0° on average." + depends,
		"It reads the space: 1 hand turned by 0° on average; 1 hand reset by 180° on average." + depends,
		"It reads “−”: 1 hand turned by 100° on average; 1 hand reset by 0° on average." + depends,
	}, "words")
	for _, n := range []sequence.Traits{{Blocks: 1, Units: 2, Steered: true}, {Blocks: 2, Units: 2}} {
		words := ruleWords(n, r)
		assert.True(t, strings.HasSuffix(words[1], "character, and on what was read before."), "%+v: %q", n, words[1])
	}
	for turning, want := range map[int]string{0: "“5”: 2 hands reset by 45°", 2: "“5”: 2 hands turned by 45°"} {
		r.Turning = turning
		assert.Says(t, ruleWords(sequence.Traits{Blocks: 1, Units: 2}, r)[1], want)
	}
	r.Memory = make([][]float32, 4)
	words = ruleWords(sequence.Traits{Blocks: 1, Units: 2}, r)
	assert.True(t, strings.HasSuffix(words[3], "The memory takes it in."), "with a memory: %q", words[3])
	assert.True(t, ruleWords(sequence.Traits{}, r) == nil, "a network without phases has a rule")
}
