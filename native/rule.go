//go:build !js

package native

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"mhacsp/model/sequence"
	"mhacsp/model/trace"
)

// ruleWords says of every token what reading it does to the phases (SPEC §2), in words for a class, and how far the
// dots went by it. Of a network without phases there is nothing to say.
func ruleWords(n sequence.Traits, r *trace.Reading) []string {
	if n.Units == 0 {
		return nil
	}
	words := make([]string, len(r.Tokens))
	for t, token := range r.Tokens {
		name := spoken(token)
		if t == 0 {
			words[t] = "Before the text the state is 0. The start token gives each of the " +
				plural(r.Width, "unit") + " its first phase." + memoryWords(r, "The start token")
			continue
		}
		words[t] = "Read " + name + ": " + turnWords(n, name) + " " + movedWords(r, t) + memoryWords(r, name)
	}
	return words
}

// turnWords is the rule of a step.
func turnWords(n sequence.Traits, name string) string {
	source := name + " alone"
	switch {
	case n.Blocks > 1:
		source = "what the block below makes of the text so far"
	case n.Steered:
		source = name + " and on what was read before"
	}
	pull := "Then " + name + " pulls on every phase."
	if n.Blocks > 1 {
		pull = "Then what the block below hands up pulls on every phase."
	}
	turns, holds := n.Turning, n.Units-n.Turning
	turn := fmt.Sprintf("every phase turns by its own angle, which depends on %s.", source)
	switch {
	case turns == 0:
		turn = "no phase turns by itself."
	case holds > 0:
		turn = fmt.Sprintf("%s turn, each by its own angle, which depends on %s; %s.",
			plural(turns, "phase"), source, verb(holds, "holds", "hold"))
	}
	return turn + " " + pull
}

// memoryWords is what a step does to the memory, where there is one, after a space.
func memoryWords(r *trace.Reading, name string) string {
	if len(r.Memory) == 0 {
		return ""
	}
	first, size := utf8.DecodeRuneInString(name)
	return fmt.Sprintf(" Each of the %s turns by its own angle, which is always the same. %s is added to it.",
		plural(len(r.Memory[0])/2, "memory unit"), string(unicode.ToUpper(first))+name[size:])
}

func verb(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(n) + " " + many
}

// movedWords measures how far the dots went, along the shorter arc.
func movedWords(r *trace.Reading, t int) string {
	var parts []string
	for _, kind := range []struct {
		from, to int
		name     string
	}{{0, r.Turning, "turning"}, {r.Turning, r.Width, "holding"}} {
		if kind.from == kind.to {
			continue
		}
		sum := 0.0
		for u := kind.from; u < kind.to; u++ {
			phase := func(t int) float64 { return math.Atan2(float64(r.State[t][r.Width+u]), float64(r.State[t][u])) }
			sum += math.Abs(math.Remainder(phase(t)-phase(t-1), 2*math.Pi))
		}
		parts = append(parts, fmt.Sprintf("the %s dots moved %.0f°",
			kind.name, sum/float64(kind.to-kind.from)*180/math.Pi))
	}
	return "On average " + strings.Join(parts, ", ") + "."
}

// spoken is a token in quotes, what cannot be seen in words.
func spoken(token string) string {
	switch trimmed := strings.TrimSpace(token); trimmed {
	case "":
		return "the space"
	case "-":
		return "“−”"
	default:
		return "“" + trimmed + "”"
	}
}
