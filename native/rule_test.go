//go:build !js

package native

import (
	"strings"
	"testing"

	"mhacsp/model/sequence"
	"mhacsp/model/trace"
)

// TestRuleWords: the words follow the configuration (SPEC §2), and the angles are those of the states.
func TestRuleWords(t *testing.T) {
	r := &trace.Reading{
		Tokens: []string{"<SOS>", "5", " ", "-"}, Width: 2, Turning: 1,
		// Unit 0 goes from 0° to 90° to 90° to −170°, unit 1 from 0° to 0° to 180° to 180°; real plane first.
		State: [][]float32{{1, 1, 0, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {-0.98480775, -1, -0.17364818, 0}},
	}
	for name, c := range map[string]struct {
		traits      sequence.Traits
		has, hasNot string
	}{
		"state":  {sequence.Traits{Blocks: 1, Units: 2, Turning: 1, Steered: true}, "depends on “5” and on what was read before; 1 holds. Then “5” pulls on every phase.", "alone"},
		"token":  {sequence.Traits{Blocks: 1, Units: 2, Turning: 1}, "depends on “5” alone; 1 holds.", "read before"},
		"all":    {sequence.Traits{Blocks: 1, Units: 2, Turning: 2, Steered: true}, "every phase turns by its own angle, which depends on “5” and", "hold"},
		"none":   {sequence.Traits{Blocks: 1, Units: 2}, "no phase turns by itself. Then “5” pulls", "depends"},
		"blocks": {sequence.Traits{Blocks: 2, Units: 2, Turning: 1, Steered: true}, "depends on what the block below makes of the text so far", "“5” pulls"},
	} {
		r.Turning = c.traits.Turning
		words := ruleWords(c.traits, r)
		if len(words) != 4 || !strings.HasPrefix(words[0], "Before the text the state is 0.") ||
			!strings.HasPrefix(words[1], "Read “5”: ") {
			t.Fatalf("%s: %q", name, words)
		}
		if !strings.Contains(words[1], c.has) || strings.Contains(words[1], c.hasNot) {
			t.Errorf("%s: %q has not %q, or has %q", name, words[1], c.has, c.hasNot)
		}
	}
	r.Turning = 1
	words := ruleWords(sequence.Traits{Blocks: 1, Units: 2, Turning: 1, Steered: true}, r)
	for i, want := range []string{
		"the turning dots moved 90°, the holding dots moved 0°.",
		"moved 0°, the holding dots moved 180°.", "the turning dots moved 100°, the holding",
	} {
		if !strings.Contains(words[i+1], want) {
			t.Errorf("token %d: %q, want %q", i+1, words[i+1], want)
		}
	}
	if strings.Contains(strings.Join(words, ""), "memory") {
		t.Errorf("without a memory: %q", words)
	}
	r.Memory = [][]float32{make([]float32, 6), make([]float32, 6), make([]float32, 6), make([]float32, 6)}
	words = ruleWords(sequence.Traits{Blocks: 1, Units: 2, Turning: 1, Steered: true, Reach: 4}, r)
	for i, want := range []string{
		"The start token is added to it.", "“5” is added to it.", "The space is added to it.",
	} {
		if !strings.HasSuffix(words[i], want) || !strings.Contains(words[i], "Each of the 3 memory units turns") {
			t.Errorf("token %d with a memory: %q, want %q", i, words[i], want)
		}
	}
	if !strings.HasPrefix(words[2], "Read the space: ") || !strings.HasPrefix(words[3], "Read “−”: ") {
		t.Errorf("%q", words[2:])
	}
}
