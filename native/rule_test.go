//go:build !js

package main

import (
	"strings"
	"testing"

	"mhacsp/model"
	"mhacsp/model/trace"
)

// TestRuleWords: the words follow the configuration (SPEC §2), and the angles are those of the states.
func TestRuleWords(t *testing.T) {
	r := &trace.Reading{
		Tokens: []string{"<SOS>", "5", " ", "-"}, Width: 2, Turning: 1,
		// Unit 0 goes from 0° to 90° to 90° to −170°, unit 1 from 0° to 0° to 180° to 180°; real plane first.
		State: [][]float32{{1, 1, 0, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {-0.98480775, -1, -0.17364818, 0}},
	}
	config := func(f func(*model.Config)) model.Config {
		c := model.Config{Layers: 1, Width: 2, Rotate: "mixed", RotateShare: 0.5, Theta: "state"}
		f(&c)
		return c
	}
	for name, c := range map[string]struct {
		model.Config
		turning     int
		has, hasNot string
	}{
		"state":  {config(func(*model.Config) {}), 1, "depends on “5” and on what was read before; 1 holds. Then “5” pulls on every phase.", "alone"},
		"token":  {config(func(c *model.Config) { c.Theta = "token" }), 1, "depends on “5” alone; 1 holds.", "read before"},
		"all":    {config(func(c *model.Config) { c.Rotate = "state" }), 2, "every phase turns by its own angle, which depends on “5” and", "hold"},
		"none":   {config(func(c *model.Config) { c.Rotate = "input" }), 0, "no phase turns by itself. Then “5” pulls", "depends"},
		"blocks": {config(func(c *model.Config) { c.Layers = 2 }), 1, "depends on what the block below makes of the text so far", "“5” pulls"},
	} {
		r.Turning = c.turning
		words := ruleWords(c.Config, r)
		if len(words) != 4 || !strings.HasPrefix(words[0], "Before the text the state is 0.") || !strings.HasPrefix(words[1], "Read “5”: ") {
			t.Fatalf("%s: %q", name, words)
		}
		if !strings.Contains(words[1], c.has) || strings.Contains(words[1], c.hasNot) {
			t.Errorf("%s: %q has not %q, or has %q", name, words[1], c.has, c.hasNot)
		}
	}
	r.Turning = 1
	words := ruleWords(config(func(*model.Config) {}), r)
	for i, want := range []string{"the turning dots moved 90°, the holding dots moved 0°.", "moved 0°, the holding dots moved 180°.", "the turning dots moved 100°, the holding"} {
		if !strings.Contains(words[i+1], want) {
			t.Errorf("token %d: %q, want %q", i+1, words[i+1], want)
		}
	}
	if !strings.HasPrefix(words[2], "Read the space: ") || !strings.HasPrefix(words[3], "Read “−”: ") {
		t.Errorf("%q", words[2:])
	}
}
