//go:build !js

package view

import (
	"fmt"
	"math"
	"strings"

	"mhacsp/model/sequence"
	"mhacsp/model/trace"
	"mhacsp/native/words"
)

// ruleWords says of every token what reading it does to the hands (SPEC §2), in words for a class. Of a network
// without phases there is nothing to say.
func ruleWords(n sequence.Traits, r *trace.Reading) []string {
	if n.Units == 0 {
		return nil
	}
	depends := " How far a hand goes depends on this character."
	if n.Steered || n.Blocks > 1 {
		depends = " How far a hand goes depends on this character, and on what was read before."
	}
	if len(r.Memory) > 0 {
		depends += " The memory takes it in."
	}
	list := make([]string, len(r.Tokens))
	list[0] = "At the start each of its " + words.Plural(r.Width, "hand") + " is set."
	for t := 1; t < len(list); t++ {
		list[t] = "It reads " + spoken(r.Tokens[t]) + ": " + movedWords(r, t) + "." + depends
	}
	return list
}

// movedWords measures how far the hands went, along the shorter arc.
func movedWords(r *trace.Reading, t int) string {
	var parts []string
	for _, kind := range []struct {
		from, to int
		does     string
	}{{0, r.Turning, "turned"}, {r.Turning, r.Width, "reset"}} {
		if kind.from == kind.to {
			continue
		}
		sum := 0.0
		for u := kind.from; u < kind.to; u++ {
			phase := func(t int) float64 { return math.Atan2(float64(r.State[t][r.Width+u]), float64(r.State[t][u])) }
			sum += math.Abs(math.Remainder(phase(t)-phase(t-1), 2*math.Pi))
		}
		n := kind.to - kind.from
		parts = append(parts, fmt.Sprintf("%s %s by %.0f° on average", words.Plural(n, "hand"), kind.does,
			sum/float64(n)*180/math.Pi))
	}
	return strings.Join(parts, "; ")
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
