//go:build !js

package probe

import (
	"bufio"
	"math"
	"strings"
	"testing"

	"mhacsp/model/probe"
	"mhacsp/tasks/assert"
)

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
	(&probed{Report: r}).print(out)
	assert.NoError(t, out.Flush())
	assert.Says(t, s.String(), "goes once round for 9: +1 turns it by 40°", "R after an operand", "1 443",
		"space after digit", "besides 72 of a memory of positions", "0.28 at 0°", "0.76 at 90°", "0.25 at -40°",
		"So nothing here is called a cause", "half-turn clocks  2 found after an operand",
		"15    0.997  0.08    1 443   40       -4  0.98  twice its phase goes once round for 9: +1 turns it by 40°",
		"37    0.990  0.08    1 443   none               twice its phase goes 3 times round for 9, backwards")
}
